// The page: puts a document on it, and follows the keys.

const page = { run: null, parts: [], step: 0, data: null, table: null, source: null };

function verdictView({ question, answer, notes }) {
  const details = [...answer.details, ...notes.map((note) => ["note", note])];
  put(byId("verdict"),
    make("p", { class: "asked" }, question.text),
    make("div", { class: "answer" },
      make("span", { class: `badge ${answer.verdict}`, id: "badge" }, answer.verdict),
      make("span", { class: "sentence", id: "sentence" }, answer.sentence)),
    make("dl", { class: "details" }, ...details.flatMap(([label, text]) => [make("dt", {}, label), make("dd", {}, text)])));
}

/** The numbers, as far as they are known. */
function observationsView(data) {
  const holder = byId("observations");
  holder.hidden = data.below.length + data.above.length === 0;
  if (holder.hidden) return;
  // Beside the program, unless there is a schedule.
  holder.classList.toggle("wide", Boolean(page.run));
  if (page.run) byId("columns").after(holder);
  else byId("side").append(holder);
  if (!page.table || !holder.contains(page.table.holder)) {
    const box = (id) => make("div", { id });
    const [picture, rows, cuts] = [box("chart"), box("below"), box("above")];
    picture.className = "chart";
    put(holder, make("h2", {}, "Observations"), make("div", { class: "two" }, picture, make("div", {}, rows, cuts)));
    page.table = new ObservationTable(rows);
  }
  chart(byId("chart"), data);
  byId("below").hidden = data.below.length === 0;
  page.table.show(data);
  cutTable(byId("above"), data.above);
}

function scheduleView(data) {
  const holder = byId("schedule");
  holder.hidden = !data.schedule;
  byId("state").hidden = !data.schedule;
  page.run = null;
  page.parts = [];
  if (!data.schedule) return;
  const run = new Run(data.schedule);
  page.run = run;
  const button = (id, text, name, call) =>
    make("button", { type: "button", id, "aria-label": name, title: name, onclick: call }, text);
  const slider = make("input", {
    type: "range", id: "slider", min: 0, max: run.length, value: 0, "aria-label": "Step",
    oninput: (event) => go(Number(event.target.value)),
  });
  const now = make("div", { class: "now", id: "now", "aria-live": "polite" });
  const lanes = make("div", { id: "lanes" });
  const title = data.schedule.period === null ? "Schedule" : "A run that never ends: stem, then the period again and again";
  put(holder, make("h2", {}, title),
    make("div", { class: "tools" },
      button("first", "|◀", "First state (Home)", () => go(0)),
      button("previous-context", "«", "Previous context (p)", () => goContext(-1)),
      button("previous", "◀", "Previous step (←)", () => go(page.step - 1)),
      button("next", "▶", "Next step (→)", () => go(page.step + 1)),
      button("next-context", "»", "Next context (n)", () => goContext(1)),
      button("last", "▶|", "Last state (End)", () => go(run.length)),
      slider, make("span", { class: "keys" }, "← → Home End n p")),
    now, lanes);
  page.parts = [
    new Lanes(lanes, run, go),
    new StateView(byId("state"), run),
    new StepList(byId("steps"), run, go),
    { go: (step) => { slider.value = step; put(now, ...nowView(run, step)); } },
    { go: (step) => page.source.light(run.line(step)) },
  ];
  go(0);
}

/** What happens at a step, in words. */
function nowView(run, step) {
  const { schedule } = run;
  if (step === 0) return [`start, before the first of ${run.length} ${run.length === 1 ? "step" : "steps"}`];
  const thread = schedule.steps[step - 1].t;
  const statements = run.statements(step - 1);
  const lines = [...new Set(statements.map(([, line]) => line).filter((line) => line))];
  const parts = [
    `step ${step} of ${run.length} · ${run.contextName(run.contextOf[step - 1])} · `,
    make("span", { class: `own ${threadClass(thread)}` }, make("b", {}, schedule.threads[thread].name)),
    lines.length ? ` · line ${lines.join(", ")}: ` : ": ",
    make("span", { class: "mono" }, statements.map(([text]) => text).join("; ")),
  ];
  if (step === run.length && schedule.wrong) parts.push(make("div", { class: "badge unsafe", id: "wrong" }, schedule.wrong));
  if (step === run.length && schedule.period !== null) parts.push(make("div", { class: "faint" }, "and again from the start of the period"));
  return parts;
}

function go(step) {
  if (!page.run) return;
  page.step = Math.max(0, Math.min(page.run.length, step));
  for (const part of page.parts) part.go(page.step);
}

/** To the end of the context before, or of the next one. */
function goContext(direction) {
  const { run, step } = page;
  if (!run || !run.length) return;
  if (direction > 0) {
    const context = step < run.length ? run.contextOf[step] : run.contexts.length - 1;
    go(run.contexts[context].to);
  } else {
    go(step > 0 ? run.contexts[run.contextOf[step - 1]].from : 0);
  }
}

function chooseLine(line) {
  if (page.proof) {
    page.proof.choose(line);
    page.source.choose(line);
  }
  if (page.run && line) {
    // The next step at this line, or the first one.
    const { run } = page;
    const isAt = (step) => run.statements(step).some(([, at]) => at === line);
    for (let n = 0; n < run.length; n++) {
      const step = (page.step + n) % run.length;
      if (isAt(step)) return go(step + 1);
    }
  }
}

/** Shows a document. */
function show(data) {
  page.data = data;
  byId("file").textContent = data.file;
  verdictView(data);
  page.source = new SourceView(byId("source"), data.source, chooseLine);
  scheduleView(data);
  byId("proof").hidden = !data.invariant;
  page.proof = data.invariant ? new InvariantView(byId("proof"), data.invariant, chooseLine) : null;
  if (page.proof) page.source.mark(page.proof.lines());
  observationsView(data);
  automataView(byId("automata"), data.automata);
  put(byId("footer"), `Selvedge ${data.selvedge} · ${data.answer.engine} · ${data.answer.time_s.toFixed(2)} s · ${bytes(data.answer.peak_memory_bytes)}`);
}

function followKeys() {
  const keys = {
    ArrowLeft: () => go(page.step - 1), ArrowRight: () => go(page.step + 1),
    Home: () => go(0), End: () => go(page.run.length), n: () => goContext(1), p: () => goContext(-1),
  };
  document.addEventListener("keydown", (event) => {
    const editing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.id !== "slider";
    const call = keys[event.key];
    if (!call || !page.run || editing || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    call();
  });
}

function followTheme() {
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem("selvedge-theme"); } catch { return null; } };
  if (stored()) root.dataset.theme = stored();
  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("selvedge-theme", root.dataset.theme); } catch { /* a page without a memory */ }
  });
}

function followSize() {
  const again = beforeFrame(() => {
    if (page.data && !byId("observations").hidden) chart(byId("chart"), page.data);
    for (const part of [...page.parts, page.source]) if (part && part.measure) part.measure();
  });
  addEventListener("resize", again);
}
