// Steps by hand: what can happen next, what if it had, who cannot move and why; walks at random and towards something. The explorer is
// asked with a path and keeps nothing.

class Walker {
  constructor(explorer) {
    this.explorer = explorer;
    this.known = new Map();
    this.asked = 0;
    this.look = null;
    this.threads = {};
    this.list = make("div", { id: "choices" });
    this.said = make("p", { class: "said", id: "said", role: "status", hidden: true });
    const button = (id, text, title, call) => make("button", { type: "button", id, title, onclick: call }, text);
    const line = make("input", { id: "line", type: "number", min: 1, placeholder: "line", "aria-label": "Line to go to" });
    this.marks = make("div", { class: "bookmarks", id: "bookmarks" });
    put(byId("next-steps"),
      make("div", { class: "head" }, make("h2", {}, "What next?"), make("span", { class: "faint", id: "where" })),
      this.list, this.said,
      make("div", { class: "walks" },
        button("random", "random", "Twenty random steps (r)", () => this.random()),
        button("to-wrong", "to a failure", "The shortest way to a state that is wrong (f)", () => this.wander({ kind: "wrong" })),
        button("to-new", "to a new line", "The shortest way to a line where nobody was yet (l)", () => this.wander({ kind: "new" })),
        make("span", { class: "pair" }, line, button("to-line", "to line", "The shortest way to this line", () => { if (line.value) this.wander({ kind: "line", line: Number(line.value) }); })),
        button("bookmark", "bookmark", "Remember this state (b)", () => this.bookmark()),
        button("link", "copy link", "Copy the address of this state", (event) => copyText(location.href, event.target)),
        button("answer-run", "back to the answer", "The run that was found (a)", () => this.backToAnswer())),
      this.marks);
    this.bookmarks = new Bookmarks(this.marks, explorer.setup.file);
    this.nearby = new Nearby(byId("near"), this);
  }

  /** The options that walks are asked with. */
  ask() {
    const ask = { ...this.explorer.asked };
    ask.threads = { ...ask.threads, ...this.threads };
    return ask;
  }

  fetch(path, go) {
    return this.explorer.send("walk", { ask: this.ask(), path, go });
  }

  say(text) {
    this.said.hidden = !text;
    this.said.textContent = text || "";
  }

  /** Forgets everything: the program or the question is another one. */
  forget() {
    this.known.clear();
    this.asked += 1;
    this.look = null;
    this.say("");
    byId("next-steps").hidden = true;
    this.nearby.hide();
  }

  /** Shows what can happen at the state that is looked at. Stepping fast asks for the last one only. */
  go(step) {
    if (!page.path) return;
    byId("next-steps").hidden = false;
    const path = page.path.slice(0, step + 1);
    const key = pathText(path);
    const known = this.known.get(key);
    this.asked += 1;
    const turn = this.asked;
    this.nearby.go(path);
    if (known) { this.show(known, step); return; }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.fetch(path, { kind: "here" }).then((look) => {
        if (this.known.size > 200) this.known.clear();
        this.known.set(key, look);
        if (turn === this.asked) this.show(look, step);
      }).catch((error) => { if (turn === this.asked) this.say(error.message); });
    }, 60);
  }

  show(look, step) {
    this.look = look;
    this.step = step;
    const taken = page.path[step + 1];
    const { threads } = look.schedule;
    const steps = look.path.length - 1;
    byId("where").textContent = steps ? `after step ${steps}` : "at the start";
    const choice = (next, index) => {
      const lines = [...new Set(next.s.map(([, at]) => at).filter((at) => at))];
      return make("button", { type: "button", class: `choice ${index === taken ? "taken" : ""}`, "data-choice": index, onclick: () => this.choose(index),
        title: index === taken ? "The step that this run takes" : "What if this happens?" },
      make("kbd", {}, index < 9 ? String(index + 1) : "·"),
      make("b", { class: `own ${threadClass(next.t)}` }, threads[next.t].name),
      make("span", { class: "faint" }, lines.length ? `line ${lines.join(", ")}` : ""),
      make("span", { class: "mono" }, next.s.map(([text]) => text).join("; ")),
      make("span", { class: "news" }, next.changes.join(", ")));
    };
    const start = (_, index) => make("button", { type: "button", class: `small ${index === look.path[0] ? "taken" : ""}`, onclick: () => this.walk([index]) }, `start ${index + 1}`);
    const able = [...new Set(look.next.map((next) => next.t))];
    const alone = (t) => make("button", { type: "button", class: `small own ${threadClass(t)}`, title: `Let ${threads[t].name} act as long as it has no choice`, onclick: () => this.wander({ kind: "thread", thread: t }) }, `run ${threads[t].name}`);
    const waits = look.waits.filter((wait) => wait.why !== "has ended");
    const ended = look.waits.filter((wait) => wait.why === "has ended").map((wait) => threads[wait.t].name);
    put(this.list,
      steps === 0 && look.starts > 1 ? make("div", { class: "walks" }, ...Array.from({ length: Math.min(look.starts, 40) }, start)) : null,
      ...look.next.slice(0, 60).map(choice),
      look.next.length > 60 ? make("p", { class: "faint" }, `… ${look.next.length - 60} more`) : null,
      look.end ? make("p", { class: "ends", id: "ends" }, look.end) : null,
      able.length > 1 ? make("div", { class: "walks" }, ...able.map(alone)) : null,
      look.end && waits.every((wait) => wait.why.startsWith("the run has gone wrong")) ? null
        : make("ul", { class: "waits" }, ...waits.map((wait) =>
          make("li", {}, make("b", { class: `own ${threadClass(wait.t)}` }, threads[wait.t].name), ` ${wait.why}`))),
      ended.length ? make("p", { class: "faint" }, `ended: ${ended.join(", ")}`) : null);
    byId("answer-run").hidden = !page.isBranch;
  }

  /** Takes a step: the one of this run, or another one, which begins a branch. */
  choose(index) {
    if (!this.look || this.step !== page.step || !this.look.next[index]) return;
    if (page.path[page.step + 1] === index) { go(page.step + 1); return; }
    this.walk([...this.look.path, index]);
  }

  random() {
    this.wander({ kind: "random", seed: Math.floor(Math.random() * 2 ** 32), steps: 20 });
  }

  /** Goes somewhere from the state that is looked at. */
  wander(way) {
    if (page.path) this.walk(page.path.slice(0, page.step + 1), way);
  }

  /** Makes the run of a path the one that is shown, and stands at its end, or at a step of it. */
  async walk(path, way = { kind: "here" }, step = null) {
    this.say("");
    this.asked += 1;
    const turn = this.asked;
    try {
      const look = await this.fetch(path, way);
      if (turn !== this.asked) return;
      if (look.path.length !== path.length || !page.run || way.kind === "here") {
        if (this.known.size > 200) this.known.clear();
        this.known.set(pathText(look.path), look);
        page.isBranch = true;
        showRun(look.schedule, look.path, step === null ? look.path.length - 1 : step);
      }
      this.say(look.said);
    } catch (error) {
      this.say(error.message);
    }
  }

  backToAnswer() {
    const { data } = page;
    page.isBranch = false;
    this.say("");
    if (data.schedule) showRun(data.schedule, data.way ? data.way.path : null, data.schedule.period === null ? data.schedule.steps.length : data.schedule.period);
    else hideRun();
  }

  bookmark() {
    if (!page.run) return;
    const { run, step } = page;
    const last = step ? run.schedule.threads[run.schedule.steps[step - 1].t].name : "start";
    const line = run.line(step);
    this.bookmarks.add(`step ${step} · ${last}${line ? ` · line ${line}` : ""}${page.isBranch ? " · what if" : ""}`, location.hash);
  }
}

/** The states near by, as a graph; drawn while it is open. */
class Nearby {
  constructor(holder, walker) {
    this.holder = holder;
    this.walker = walker;
    this.path = null;
    this.asked = 0;
    this.steps = make("select", { id: "near-steps", "aria-label": "Steps" }, ...[1, 2, 3, 4, 6, 8].map((n) => make("option", { value: n, selected: n === 2 }, `${n} ${n === 1 ? "step" : "steps"}`)));
    this.steps.addEventListener("change", () => this.draw());
    this.picture = make("div", { id: "near-graph" });
    this.note = make("p", { class: "faint" });
    this.details = make("details", {}, make("summary", {}, make("b", {}, "States near by")),
      make("div", { class: "walks" }, make("label", {}, "within ", this.steps), make("span", { class: "faint" }, "a click goes there; the filled box is here")),
      this.picture, this.note);
    this.details.addEventListener("toggle", () => this.draw());
    put(holder, this.details);
  }

  hide() {
    this.holder.hidden = true;
    this.path = null;
    put(this.picture);
  }

  toggle() {
    this.details.open = !this.details.open;
    if (this.details.open) this.holder.scrollIntoView({ block: "nearest" });
  }

  go(path) {
    this.holder.hidden = false;
    this.path = path;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.draw(), 150);
  }

  async draw() {
    if (!this.details.open || !this.path) return;
    const { path } = this;
    this.asked += 1;
    const turn = this.asked;
    try {
      const { near, schedule } = await this.walker.fetch(path, { kind: "near", steps: Number(this.steps.value) });
      if (turn !== this.asked || !near) return;
      const nodes = near.nodes.map((node, index) => ({
        lines: index === 0 ? ["here"] : node.lines.length ? node.lines : ["the same values"],
        name: `${index === 0 ? "here" : ""} ${node.kind || ""}`,
        title: [node.kind ? `this state is ${node.kind}` : null, ...node.lines].filter((text) => text).join("\n"),
        call: index === 0 ? null : () => this.walker.walk([...path, ...node.path]),
      }));
      const edges = near.edges.map(({ from, to, t, text }) => ({
        from, to, text: text.length > 26 ? `${text.slice(0, 25)}…` : text, name: `own ${threadClass(t)}`,
        title: `${schedule.threads[t] ? schedule.threads[t].name : "a thread"}: ${text}`,
      }));
      const picture = graphPicture(nodes, edges, { direction: "TB", words: `The ${nodes.length} states near by` });
      put(this.picture, picture);
      const here = picture.querySelector(".here");
      if (here) picture.scrollLeft = here.getBBox().x - picture.clientWidth / 2 + 30;
      this.note.textContent = near.is_cut ? "There are more states than are drawn." : "";
    } catch (error) {
      if (turn === this.asked) put(this.picture, make("p", { class: "faint" }, error.message));
    }
  }
}
