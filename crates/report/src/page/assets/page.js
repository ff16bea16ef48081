// The page: puts a document on it, and follows the keys.

const page = { run: null, path: null, isBranch: false, parts: [], step: 0, data: null, table: null, source: null, walker: null };

/** Copies a text, and says so on the button that was pressed. */
async function copyText(text, button) {
  const said = button.textContent;
  try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { button.textContent = "copy it by hand"; }
  setTimeout(() => { button.textContent = said; }, 1200);
}

function verdictView({ question, answer, notes }) {
  const details = [...answer.details, ...notes.map((note) => ["note", note])];
  const repeat = question.command ? [make("dt", {}, "again"), make("dd", { class: "again" }, make("code", { id: "command" }, ...pathParts(question.command)),
    make("button", { type: "button", id: "copy", class: "small", title: "Copy the command line that asks this again", onclick: (event) => copyText(question.command, event.target) }, "copy"))] : [];
  put(byId("verdict"),
    make("p", { class: "asked" }, question.text),
    make("div", { class: "answer" },
      make("span", { class: `badge ${answer.verdict}`, id: "badge" }, answer.verdict),
      make("span", { class: "sentence", id: "sentence" }, answer.sentence)),
    make("dl", { class: "details" }, ...details.flatMap(([label, text]) => [make("dt", {}, label), make("dd", {}, ...withOptions(text))]), ...repeat),
    page.explorer && !page.data.schedule ? make("button", { type: "button", id: "by-hand", onclick: () => page.walker.walk([0]) }, "Step through it by hand") : null);
}

/** The numbers, as far as they are known. */
function observationsView(data) {
  const holder = byId("observations");
  holder.hidden = data.below.length + data.above.length === 0;
  if (holder.hidden) return;
  // Beside the program, unless there is a schedule.
  const wide = Boolean(page.run);
  if (holder.classList.contains("wide") !== wide || !holder.parentNode.closest("main")) {
    holder.classList.toggle("wide", wide);
    if (wide) byId("near").after(holder);
    else byId("side").append(holder);
  }
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

function hideRun() {
  for (const id of ["schedule", "state", "player", "next-steps", "near"]) byId(id).hidden = true;
  Object.assign(page, { run: null, path: null, parts: [], step: 0, isBranch: false });
  if (page.source) { page.source.light(null); page.source.stand([]); }
}

/** Shows a run and stands at a step of it. With a path, whoever explores can leave it. */
function showRun(schedule, path, step) {
  for (const id of ["schedule", "state", "player"]) byId(id).hidden = false;
  const run = new Run(schedule);
  page.run = run;
  page.path = path;
  const slider = make("input", {
    type: "range", id: "slider", min: 0, max: run.length, value: 0, "aria-label": "Step",
    oninput: (event) => go(Number(event.target.value)),
  });
  const button = (id, text, name, call) =>
    make("button", { type: "button", id, "aria-label": name, title: name, onclick: call }, text);
  const count = make("span", { class: "count", id: "count" });
  put(byId("player"), make("div", { class: "tools" },
    button("first", "|◀", "First state (Home)", () => go(0)),
    button("previous-context", "«", "Previous context (p)", () => goContext(-1)),
    button("previous", "◀", "Previous step (←)", () => go(page.step - 1)),
    button("next", "▶", "Next step (→)", () => go(page.step + 1)),
    button("next-context", "»", "Next context (n)", () => goContext(1)),
    button("last", "▶|", "Last state (End)", () => go(run.length)),
    slider, count));
  const now = make("div", { class: "now", id: "now", "aria-live": "polite" });
  const lanes = make("div", { id: "lanes" });
  const title = page.isBranch ? "What if: a run by hand" : schedule.period === null ? "Schedule" : "A run that never ends: stem, then the period again and again";
  put(byId("schedule"), make("h2", {}, title), now, lanes);
  byId("schedule").classList.toggle("branch", page.isBranch);
  page.parts = [
    new Lanes(lanes, run, go),
    new StateView(byId("state"), run),
    new StepList(byId("steps"), run, go),
    { go: (at) => { slider.value = at; count.textContent = `${at}/${run.length}`; put(now, ...nowView(run, at)); } },
    { go: (at) => { page.source.light(run.line(at)); page.source.stand(run.places(at, page.source.texts)); } },
    { go: () => keepAddress() },
  ];
  if (page.walker && path) page.parts.push({ go: (at) => page.walker.go(at) });
  else byId("next-steps").hidden = true;
  go(step);
}

/** The address follows what is looked at: a link to it leads here again. */
const keepAddress = beforeFrame(() => {
  if (!page.run) return;
  const changed = page.explorer ? page.explorer.changed() : null;
  const hash = addressOf({ path: page.isBranch || changed ? page.path : null, step: page.step, ask: changed });
  if (location.hash !== hash) history.replaceState(null, "", hash);
});

/** Goes where the address says; whether it says something. */
function followAddress() {
  const { path, step } = readAddress();
  if (path && page.walker) { page.walker.walk(path, { kind: "here" }, step); return true; }
  if (step === null || !page.run) return false;
  go(step);
  return true;
}

/** What happens at a step, in words. */
function nowView(run, step) {
  const { schedule } = run;
  const wrong = () => make("div", { class: "badge unsafe", id: "wrong" }, schedule.wrong);
  if (run.length === 0 && schedule.wrong) return ["the first state, before any step", wrong()];
  if (run.length === 0) return ["start of the program: choose what happens next"];
  if (step === 0) return [`start, before the first of ${run.length} ${run.length === 1 ? "step" : "steps"}`];
  const thread = schedule.steps[step - 1].t;
  const statements = run.statements(step - 1);
  const lines = [...new Set(statements.map(([, line]) => line).filter((line) => line))];
  const changes = run.changes(step - 1);
  const parts = [
    `step ${step} of ${run.length} · ${run.contextName(run.contextOf[step - 1])} · `,
    make("span", { class: `own ${threadClass(thread)}` }, make("b", {}, schedule.threads[thread].name)),
    lines.length ? ` · line ${lines.join(", ")}: ` : ": ",
    make("span", { class: "mono" }, statements.map(([text]) => text).join("; ")),
    changes.length ? make("span", { class: "news" }, ` ${changes.join(", ")}`) : null,
  ];
  if (step === run.length && schedule.wrong) parts.push(wrong());
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

/** Shows a document: at the failure, or where the period begins, or where the address says. */
function show(data) {
  page.data = data;
  put(byId("file"), ...pathParts(data.file));
  hideRun();
  verdictView(data);
  page.source = new SourceView(byId("source"), data.source, data.file, chooseLine);
  byId("proof").hidden = !data.invariant;
  page.proof = data.invariant ? new InvariantView(byId("proof"), data.invariant, chooseLine) : null;
  if (page.proof) page.source.mark(page.proof.lines());
  page.source.fade(data.never || []);
  const { schedule } = data;
  const { path, step } = readAddress();
  const isElsewhere = Boolean(path && page.walker);
  if (schedule) {
    const opens = schedule.period === null ? schedule.steps.length : schedule.period;
    showRun(schedule, data.way ? data.way.path : null, step !== null && !isElsewhere ? step : opens);
  }
  observed(data);
  if (isElsewhere) followAddress();
}

/** What was made beside the answer, and may come after it. */
function observed(data) {
  page.data = data;
  observationsView(data);
  automataView(byId("automata"), data.automata);
  put(byId("footer"), `Selvedge ${data.selvedge} · ${data.answer.engine} · ${data.answer.time_s.toFixed(2)} s · ${bytes(data.answer.peak_memory_bytes)}`);
}

function followKeys(help) {
  const keys = {
    ArrowLeft: () => go(page.step - 1), ArrowRight: () => go(page.step + 1),
    Home: () => go(0), End: () => go(page.run.length), n: () => goContext(1), p: () => goContext(-1),
  };
  const walks = {
    r: (walker) => walker.random(), f: (walker) => walker.wander({ kind: "wrong" }), l: (walker) => walker.wander({ kind: "new" }),
    b: (walker) => walker.bookmark(), a: (walker) => walker.backToAnswer(), g: (walker) => walker.nearby.toggle(),
  };
  document.addEventListener("keydown", (event) => {
    const editing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && !["range", "checkbox"].includes(event.target.type);
    if (editing || event.ctrlKey || event.altKey || event.metaKey) return;
    let call = null;
    if (event.key === "?") call = help;
    else if (page.run && keys[event.key]) call = keys[event.key];
    else if (page.path && page.walker && walks[event.key]) call = () => walks[event.key](page.walker);
    else if (page.path && page.walker && /^[1-9]$/.test(event.key)) call = () => page.walker.choose(Number(event.key) - 1);
    if (!call) return;
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
