// A state in an address: after `#`, the path from the start, the step that is looked at, and the options if they are not those that the
// page began with. Paths are short: `0.1.2x5` is 0, 1, and 2 five times.

function pathText(path) {
  const parts = [];
  for (let at = 0; at < path.length;) {
    let end = at;
    while (end < path.length && path[end] === path[at]) end++;
    parts.push(end - at > 1 ? `${path[at]}x${end - at}` : String(path[at]));
    at = end;
  }
  return parts.join(".");
}

/** The path of a text; null if it is none. Longer ones than anybody answers are none. */
function pathOf(text) {
  const path = [];
  for (const part of text.split(".")) {
    const found = /^(\d{1,9})(?:x(\d{1,5}))?$/.exec(part);
    if (!found) return null;
    for (let n = Number(found[2] || 1); n > 0; n--) path.push(Number(found[1]));
    if (path.length > 20000) return null;
  }
  return path;
}

function readAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const path = fields.has("path") ? pathOf(fields.get("path")) : null;
  const step = /^\d{1,6}$/.test(fields.get("step") || "") ? Number(fields.get("step")) : null;
  let ask = null;
  try { ask = fields.has("ask") ? JSON.parse(fields.get("ask")) : null; } catch { /* no options, then */ }
  return { path, step, ask };
}

/** What stands after `#` for the state that is looked at. */
function addressOf({ path, step, ask }) {
  const fields = new URLSearchParams();
  if (path) fields.set("path", pathText(path));
  fields.set("step", step);
  if (ask) fields.set("ask", JSON.stringify(ask));
  return `#${fields}`;
}

/** Bookmarks: links with a name, kept by the browser for this file. */
class Bookmarks {
  constructor(holder, file) {
    this.holder = holder;
    this.key = `selvedge-bookmarks ${file}`;
    try { this.list = JSON.parse(localStorage.getItem(this.key)) || []; } catch { this.list = []; }
    if (!Array.isArray(this.list)) this.list = [];
    this.draw();
  }

  add(name, hash) {
    this.list = [...this.list.filter((mark) => mark.hash !== hash), { name, hash }].slice(-20);
    this.keep();
  }

  keep() {
    try { localStorage.setItem(this.key, JSON.stringify(this.list)); } catch { /* a page without a memory */ }
    this.draw();
  }

  draw() {
    const one = (mark) => make("li", {}, make("a", { href: mark.hash }, mark.name),
      make("button", { type: "button", class: "small", "aria-label": `Forget ${mark.name}`, title: "Forget it", onclick: () => { this.list = this.list.filter((other) => other !== mark); this.keep(); } }, "×"));
    this.holder.hidden = this.list.length === 0;
    put(this.holder, make("h3", {}, "Bookmarks"), make("ul", {}, ...this.list.filter((mark) => typeof mark.hash === "string" && mark.hash.startsWith("#")).map(one)));
  }
}
