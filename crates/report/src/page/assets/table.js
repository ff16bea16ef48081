// The observation table, the cuts, the steps and the invariant as lists.

const cell = (text, name, title) => make("span", { class: name || null, title: title || null }, text);

/** What is new at each bound. */
class ObservationTable {
  constructor(holder) {
    this.head = make("div", { class: "row head" });
    this.holder = make("div", { class: "rows observed", tabindex: "0", role: "region", "aria-label": "Observation table" }, this.head);
    this.more = make("p", { class: "mono", id: "which" });
    this.list = new VirtualList(this.holder, (index) => this.row(index));
    this.data = { below: [] };
    put(holder, make("h3", {}, "From below"), this.holder, this.more);
  }

  show(data) {
    this.data = data;
    put(this.head, ...[data.unit, "states", "new", "visible", "new"].map((name) => cell(name)), cell("what is new", "words"));
    this.list.resize(data.below.length);
  }

  row(index) {
    const seen = this.data.below[index];
    const which = (seen.which || []).join(" ");
    const marks = [];
    if (seen.bound === this.data.collapse) marks.push("collapse");
    if (seen.bound === this.data.violation) marks.push("violation");
    if (seen.mark) marks.push(seen.mark);
    const name = seen.bound === this.data.violation ? "is-violation" : seen.bound === this.data.collapse ? "is-collapse" : seen.mark ? "is-flat" : "";
    return make("div", {
      class: `row ${name}`,
      onclick: () => put(this.more, which ? `new at ${seen.bound}: ${which}` : ""),
    },
    ...[String(seen.bound), amount(seen.states), amount(seen.new_states), amount(seen.visible), amount(seen.new_visible)].map((text) => cell(text)),
    cell([marks.join(", "), which].filter((text) => text).join(" · "), "words", which));
  }
}

/** What is left with each cut. */
function cutTable(holder, above) {
  const result = (seen) => [
    seen.violated === null ? null : seen.violated ? "does not exclude a violation" : "excludes a violation",
    seen.exact ? "exactly what is reachable" : null,
  ].filter((text) => text).join(", ");
  put(holder, above.length ? make("h3", {}, "From above") : null,
    above.length ? make("div", { class: "rows cuts-seen" },
      make("div", { class: "row head" }, cell("stack cut", "words"), cell("visible states"), cell("", "words")),
      ...above.map((seen) => make("div", { class: "row" }, cell(cutName(seen), "words"), cell(amount(seen.visible)), cell(result(seen), "words", result(seen))))) : null);
}

/** All steps of a run. */
class StepList {
  constructor(holder, run, choose) {
    this.run = run;
    this.current = 0;
    this.choose = choose;
    this.holder = make("div", { class: run.schedule.period === null ? "rows steps" : "rows steps periodic", tabindex: "-1", role: "region", "aria-label": "Steps" },
      make("div", { class: "row head" }, cell("step"), cell("context", "words"), cell("line"), cell("statement", "words"), cell("changes", "words")));
    holder.append(this.holder);
    this.list = new VirtualList(this.holder, (index) => this.row(index));
    this.list.resize(run.length);
  }

  row(index) {
    const { run } = this;
    const step = run.schedule.steps[index];
    const statements = run.statements(index);
    const [, line] = statements[0];
    const context = run.contextOf[index];
    const starts = run.contexts[context].from === index;
    const { number, again } = run.contextNumber(context);
    const words = statements.map(([text]) => text).join("; ");
    const isWrong = index + 1 === run.length && Boolean(run.schedule.wrong) && run.schedule.period === null;
    const changes = [...(isWrong ? ["goes wrong"] : []), ...run.changes(index)].join(", ");
    const contextLabel = again ? `period ${number}` : String(number);
    return make("div", { class: index + 1 === this.current ? "row lit" : "row", onclick: () => this.choose(index + 1) },
      cell(String(index + 1)),
      make("span", { class: `words own ${threadClass(step.t)}` }, ...(starts ? shortened(`${contextLabel} ${run.schedule.threads[step.t].name}`) : [])),
      cell(line ? String(line) : ""), make("span", { class: "words mono", title: words }, ...withOutcome(words)), cell(changes, isWrong ? "words news bad" : "words news", isWrong ? `${changes}: ${run.schedule.wrong}` : changes));
  }

  go(steps) {
    const mark = (index, lit) => {
      const row = this.list.shown.get(index);
      if (row) row.classList.toggle("lit", lit);
    };
    mark(this.current - 1, false);
    this.current = steps;
    this.list.reveal(Math.max(0, steps - 1));
    mark(steps - 1, true);
  }

  /** The page has another width: a narrow one has no head above the rows, so that the row of the step may be out of sight. */
  measure() {
    this.list.reveal(Math.max(0, this.current - 1));
  }
}

/** What holds at which place, and why. */
class InvariantView {
  constructor(holder, invariant, chosen) {
    this.rows = invariant.places.map((place) => ({
      place,
      node: make("tr", { onclick: () => chosen(place.line) }, make("td", {}, place.thread), make("td", {}, place.place),
        make("td", { class: "mono" }, ...place.facts.map((fact) => make("div", {}, fact)))),
    }));
    this.holder = make("div", { class: "facts", tabindex: "0", role: "region", "aria-label": "Invariant" }, make("table", {},
      make("thead", {}, make("tr", {}, ...["thread", "place", "what holds there"].map((name) => make("th", {}, name)))),
      make("tbody", {}, ...this.rows.map((row) => row.node))));
    put(holder, make("h2", {}, "Why it holds"), make("p", {}, invariant.why), invariant.places.length ? this.holder : null);
  }

  lines() {
    return this.rows.map((row) => row.place.line).filter((line) => line);
  }

  choose(line) {
    let first = null;
    for (const { place, node } of this.rows) {
      const is = Boolean(line) && place.line === line;
      node.classList.toggle("chosen", is);
      if (is && !first) first = node;
    }
    if (first) this.holder.scrollTop = first.offsetTop - 40;
  }
}
