// Making elements, and numbers for people.

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const byId = (id) => document.getElementById(id);

/** Puts these in the place of what an element has. */
function put(node, ...children) {
  node.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A name that keeps its end where there is little room: of `philosopher#1`, the number tells it from others. */
function shortened(name) {
  const at = name.lastIndexOf("#");
  return at > 0 ? [make("span", { class: "cut" }, name.slice(0, at)), make("span", {}, name.slice(at))] : [make("span", { class: "cut" }, name)];
}

/** A statement that keeps how it came out where there is little room: `[yes]` at its end. */
function withOutcome(text) {
  const at = text.endsWith("]") ? text.lastIndexOf(" [") : -1;
  return at > 0 ? [make("span", { class: "cut" }, text.slice(0, at)), make("span", { class: "outcome" }, text.slice(at))] : [text];
}

/** A path or a command, which a line may end in after each word and each folder; within these only where one is longer than the line. */
const pathParts = (text) => text.split(/(\s+)/).flatMap((word) => (word.trim() ? word.split(/(?<=[/\\])/).map((part) => make("span", { class: "part" }, part)) : [word]));

/** A sentence in which no line ends inside of an option. */
const withOptions = (text) => text.split(/(\(?--[a-z][a-z-]*\)?)/).map((part) => (/^\(?--/.test(part) ? make("span", { class: "part" }, part) : part));

/** A number of states: what a browser cannot calculate with comes as a text. */
function amount(number) {
  if (number === null || number === undefined) return "–";
  const digits = String(number);
  return digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, "\u202f") : digits;
}

function bytes(number) {
  let unit = "B";
  for (const larger of ["KiB", "MiB", "GiB"]) {
    if (number < 1023.5) break;
    number /= 1024;
    unit = larger;
  }
  return `${number < 9.95 && unit !== "B" ? number.toFixed(1) : Math.round(number)} ${unit}`;
}

const threadClass = (index) => `thread-${index % 8}`;

/** Calls a function once before the next frame, however often it is asked for. */
function beforeFrame(call) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; call(); });
  };
}

/**
 * A list of which only the rows that can be seen are there. All rows have one height, and the list knows how
 * far it is scrolled: to ask would cost a layout.
 */
class VirtualList {
  constructor(holder, render, height = 24) {
    this.holder = holder;
    this.render = render;
    this.height = height;
    this.space = make("div", { class: "space" });
    this.shown = new Map();
    this.top = 0;
    // What `.rows` leaves of its 264 pixels inside of its border.
    this.room = 262;
    holder.append(this.space);
    holder.addEventListener("scroll", beforeFrame(() => { this.top = holder.scrollTop; this.draw(); }));
    this.resize(0);
  }

  /** So many rows, all of them new. */
  resize(count) {
    this.count = count;
    this.space.style.height = `${count * this.height}px`;
    this.redraw();
  }

  redraw() {
    this.shown.clear();
    this.space.replaceChildren();
    this.draw();
  }

  draw() {
    const from = Math.max(0, Math.floor(this.top / this.height) - 4);
    const to = Math.min(this.count, from + Math.ceil(this.room / this.height) + 8);
    for (const [index, row] of this.shown) {
      if (index < from || index >= to) {
        row.remove();
        this.shown.delete(index);
      }
    }
    for (let index = from; index < to; index++) {
      if (this.shown.has(index)) continue;
      const row = this.render(index);
      row.style.transform = `translateY(${index * this.height}px)`;
      this.shown.set(index, row);
      this.space.append(row);
    }
  }

  /** Scrolls so that a row can be seen. */
  reveal(index) {
    const at = index * this.height;
    const room = this.room - 3 * this.height;
    if (at < this.top || at > this.top + room) {
      const most = Math.max(0, (this.count + 1) * this.height - this.room);
      this.top = Math.min(most, Math.max(0, Math.round(at - room / 2)));
      this.holder.scrollTop = this.top;
    }
    this.draw();
  }
}
