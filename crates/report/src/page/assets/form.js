// The question, with every option that a page may set. What an option means is in its title; those that name files or programs are
// shown, and set on the command line only.

const QUESTIONS = [["verify", "for every schedule"], ["contexts", "within contexts"], ["rounds", "within rounds"], ["livelock", "does it run for ever?"]];
const PROPERTIES = [["unreach-call", "assertions"], ["valid-memsafety", "memory"], ["no-overflow", "overflow"], ["no-data-race", "data races"]];
/** What is asked about deadlocks if nothing is chosen: tables, Boolean programs and C are not asked. */
const deadlocks = ({ language, file }) => [["", language === "program" && !file.endsWith(".bp") ? "where threads wait" : "not asked for"], ["all", "all"], ["none", "none"]];
const MIB = 1048576;

class QuestionForm {
  constructor(holder, setup, ask, start, cancel) {
    this.setup = setup;
    this.fields = {};
    const { fields } = this;
    const option = (chosen) => ([value, text]) => make("option", { value, selected: value === chosen }, text);
    const field = (name, text, input, title) => { fields[name] = input; return make("label", { title: title || null }, text, input); };
    const number = (id, value, least = 0, hint = null) => make("input", { id, type: "number", min: least, value: value === undefined ? null : value, placeholder: hint });
    const text = (id, value, hint) => make("input", { id, type: "text", value: value === undefined ? null : value, placeholder: hint, spellcheck: "false", autocomplete: "off" });
    const tick = (name, id, is, words, title) => { fields[name] = make("input", { id, type: "checkbox", checked: is }); return make("label", { class: "flat", title }, fields[name], words); };
    const given = ask.threads || {};
    const counts = setup.threads.map(({ name, count }) => field(`thread ${name}`, `threads ${name}`,
      make("input", { id: `threads-${name}`, type: "number", min: 0, max: 1000, value: given[name] === undefined ? count : given[name], placeholder: "any" }), "--threads"));
    const consts = setup.consts.map(({ name, value }) => field(`const ${name}`, `const ${name}`, text(`const-${name}`, (ask.consts || {})[name], value), `--const; ${value} in the file`));
    const engines = make("select", { id: "engine" }, ...setup.engines.map(({ name }) => option(ask.engine)([name, name])));
    this.about = make("p", { class: "faint", id: "engine-about" });
    const c = ask.c || {};
    const isProgram = setup.language !== "table";
    const more = [
      field("target", "must not be reached", text("target", ask.target, isProgram ? "worker@critical" : "0|1,6"), "--target"),
      isProgram ? null : field("init", "initial state", text("init", ask.init, "as in the file"), "--init"),
      field("memory", "memory, MiB", number("memory", ask.memory_bytes ? Math.max(1, Math.round(ask.memory_bytes / MIB)) : undefined, 1, "80 %"), "--memory"),
      field("jobs", "workers", number("jobs", ask.jobs, 1, "all cores"), "--jobs"),
      setup.language === "c" ? field("model", "data model", make("select", { id: "data-model" }, ...[["", "as in the file"], ["ilp32", "32 bits"], ["lp64", "64 bits"]].map(option(c.data_model || ""))), "--data-model") : null,
      setup.language === "c" ? field("heap", "objects of a malloc", number("heap", c.heap, 1, "5"), "--heap") : null,
      field("observe", "observed by delays", text("observe", ask.observe, "shared,top=1"), "--observe: what the engine delays observes of a state"),
      field("closure", "tried by delays", make("select", { id: "closure" }, ...[["", "disrespectful"], ["all", "all"], ["published", "published"]].map(option(ask.closure || ""))), "--closure: which actions the engine delays tries when what it observes has stopped growing"),
      tick("predicates", "predicates", ask.given_predicates, "given predicates only", "--predicates given: prove with the predicates of the program alone"),
      tick("symmetry", "no-symmetry", ask.no_symmetry, "threads one by one", "--no-symmetry: list interchangeable threads one by one"),
      tick("reduction", "no-reduction", ask.no_reduction, "all states", "--no-reduction: store the states between local steps, too"),
      tick("reached", "require-reached", ask.require_reached, "assertions reached", "--require-reached: unknown where some assertion is never reached"),
      ...(setup.language === "c" ? PROPERTIES.map(([name, words]) => tick(`property ${name}`, `property-${name}`, (c.properties || []).includes(name), words, `--property ${name}`)) : []),
    ];
    this.cancelButton = make("button", { type: "button", id: "cancel", onclick: cancel }, "Cancel");
    this.options = make("details", { class: "options", id: "options" }, make("summary", {}, "more options"),
      make("div", { class: "question" }, ...more),
      setup.fixed.length ? make("p", { class: "faint", id: "fixed" }, `set on the command line only: ${setup.fixed.join(" ")}`) : null);
    this.form = make("form", { onsubmit: (event) => { event.preventDefault(); start(); } },
      make("div", { class: "question" },
        field("question", "question", make("select", { id: "question" }, ...QUESTIONS.map(option(ask.question))), "--contexts, --rounds, --livelock"),
        field("bound", "bound", number("bound", ask.bound), "The K of --contexts or --rounds"),
        field("delays", "delays", number("delays", ask.delays), "--delays, with rounds"),
        field("engine", "engine", engines, "--engine"),
        field("timeout", "seconds", number("timeout", ask.timeout_s, 1, "no limit"), "--timeout"),
        ...counts, ...consts,
        field("deadlock", "deadlocks", make("select", { id: "deadlock" }, ...deadlocks(setup).map(option(ask.deadlock ? "all" : ask.no_deadlock ? "none" : ""))),
          "--deadlock: all of them; --no-deadlock: none. Within a bound, none are looked for unless all are"),
        make("span", { class: "buttons" }, make("button", { class: "main", id: "restart" }, "Run again"), this.cancelButton)),
      this.about, this.options);
    this.status = make("p", { class: "status", id: "status", role: "status" });
    fields.question.addEventListener("change", () => this.adapt());
    engines.addEventListener("change", () => this.adapt());
    put(holder, this.form, this.status);
    holder.hidden = false;
    this.adapt();
  }

  /** Only fields that mean something to the question can be changed. */
  adapt() {
    const { question, bound, delays, deadlock, engine, reached, symmetry, reduction, jobs, observe, closure, predicates } = this.fields;
    bound.disabled = !["contexts", "rounds"].includes(question.value);
    if (!bound.disabled && bound.value === "") bound.value = "3";
    delays.disabled = question.value !== "rounds";
    for (const input of [deadlock, engine, reached, symmetry, reduction, jobs]) input.disabled = question.value === "livelock";
    predicates.disabled = question.value !== "verify";
    for (const input of [observe, closure]) input.disabled = predicates.disabled || engine.value !== "delays";
    const chosen = this.setup.engines.find(({ name }) => name === engine.value);
    this.about.textContent = chosen && !engine.disabled ? `${chosen.name}: ${chosen.about}` : "";
  }

  ask() {
    const { fields } = this;
    const { question, bound, delays, deadlock, engine, timeout } = fields;
    const said = (input) => input && !input.disabled && input.value !== "";
    const ask = { question: question.value, deadlock: deadlock.value === "all", no_deadlock: deadlock.value === "none", threads: {}, consts: {}, c: {} };
    ask.engine = engine.disabled ? "auto" : engine.value;
    if (said(bound)) ask.bound = Number(bound.value);
    if (said(delays)) ask.delays = Number(delays.value);
    if (said(timeout)) ask.timeout_s = Number(timeout.value);
    for (const { name, count } of this.setup.threads) {
      const input = fields[`thread ${name}`];
      // What is as in the file is left out of the command.
      const given = (this.setup.ask.threads || {})[name] !== undefined;
      if (said(input) && (given || Number(input.value) !== count)) ask.threads[name] = Number(input.value);
    }
    for (const { name } of this.setup.consts) {
      const input = fields[`const ${name}`];
      if (said(input)) ask.consts[name] = input.value.trim();
    }
    if (said(fields.target)) ask.target = fields.target.value;
    if (said(fields.init)) ask.init = fields.init.value;
    if (said(fields.memory)) ask.memory_bytes = Number(fields.memory.value) * MIB;
    if (said(fields.jobs)) ask.jobs = Number(fields.jobs.value);
    for (const [name, key] of [["symmetry", "no_symmetry"], ["reduction", "no_reduction"], ["reached", "require_reached"], ["predicates", "given_predicates"]]) {
      if (fields[name].checked && !fields[name].disabled) ask[key] = true;
    }
    if (said(fields.observe)) ask.observe = fields.observe.value.trim();
    if (said(fields.closure)) ask.closure = fields.closure.value;
    if (said(fields.model)) ask.c.data_model = fields.model.value;
    if (said(fields.heap)) ask.c.heap = Number(fields.heap.value);
    const properties = PROPERTIES.map(([name]) => name).filter((name) => fields[`property ${name}`] && fields[`property ${name}`].checked);
    if (properties.length) ask.c.properties = properties;
    return ask;
  }

  say(text, wrong = false) {
    this.status.textContent = text;
    this.status.classList.toggle("wrong", wrong);
  }
}
