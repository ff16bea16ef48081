// The values and the stacks after a step; what the step changed is marked.

/** Of deeper stacks, only so many frames are shown. */
const FRAMES = 12;

/** A value, and what it was before; of an array, what became of single elements. */
function differing(was, value) {
  if (was === value || was === "") return [value];
  const [old, now] = [was, value].map((text) => (text.startsWith("[") ? elementsOf(text) : []));
  if (now.length < 2 || old.length !== now.length) return [make("span", { class: "was" }, was), " ", value];
  const parts = now.flatMap((part, index) => [index ? ", " : null, ...(part === old[index] ? [make("span", { class: "same" }, part)] : differing(old[index], part))]);
  return ["[", ...parts, "]"];
}

class StateView {
  constructor(holder, run) {
    this.run = run;
    const { shared, threads } = run.schedule;
    this.cells = shared.map(() => make("td"));
    this.texts = shared.map(() => null);
    this.rows = shared.map(([name], index) => make("tr", {}, make("td", {}, name), this.cells[index]));
    this.cards = threads.map((thread, index) => ({
      key: null,
      node: make("div", { class: `stack ${threadClass(index)}`, "aria-label": `Stack of ${thread.name}` }),
    }));
    put(holder,
      make("h2", {}, "State"),
      shared.length ? make("h3", {}, "Shared") : null,
      shared.length ? make("div", { class: "value-scroll", id: "shared" }, make("table", { class: "values" }, ...this.rows)) : null,
      make("h3", {}, "Threads"),
      make("div", { class: "stacks", id: "stacks" }, ...this.cards.map((card) => card.node)),
      make("h3", {}, "Steps"),
      make("div", { id: "steps" }));
  }

  go(steps) {
    const { run } = this;
    const [before, after] = run.around(steps);
    const acting = steps > 0 ? run.schedule.steps[steps - 1].t : -1;
    after.shared.forEach((value, index) => {
      const was = before.shared[index];
      const key = was === value ? value : `${was} → ${value}`;
      if (this.texts[index] === key) return;
      this.texts[index] = key;
      const cell = this.cells[index];
      // A variable without a value is not there (yet).
      this.rows[index].hidden = value === "";
      cell.className = was === value ? "" : "changed";
      put(cell, ...differing(was, value));
    });
    this.cards.forEach((card, thread) => this.card(card, thread, before.stacks[thread], after.stacks[thread], acting));
  }

  card(card, thread, before, after, acting) {
    const is = thread === acting || before !== after;
    // An unchanged stack looks the same whatever else happens.
    if (card.key && card.key.after === after && !card.key.is && !is) return;
    card.key = { after, is };
    const { name } = this.run.schedule.threads[thread];
    card.node.classList.toggle("acting", thread === acting);
    const frames = [];
    // What the step left of the old stack is not new.
    let common = before;
    const old = new Set();
    for (let n = 0; common && n <= FRAMES; n++, common = common.below) old.add(common);
    let at = after;
    for (; at && frames.length < FRAMES; at = at.below) {
      const place = this.run.place(at.frame);
      const next = frames.length === 0 && place.next ? `next: ${place.next}` : null;
      frames.push(make("li", { class: is && !old.has(at) ? "new" : null, title: next }, this.run.frameText(at.frame)));
    }
    if (at) frames.push(make("li", { class: "faint" }, `… ${at.depth} more below`));
    if (after === undefined) frames.push(make("li", { class: "faint" }, "not started yet"));
    else if (after === null) frames.push(make("li", { class: "faint" }, "has ended"));
    put(card.node, make("div", { class: "name own" }, name), make("ol", {}, ...frames));
  }
}
