// The explorer: asks, listens, and shows what comes.

class Explorer {
  constructor(setup) {
    this.setup = setup;
    this.run = null;
    this.events = null;
    this.fields = {};
    this.build();
    byId("file").textContent = setup.file;
    page.source = new SourceView(byId("source"), setup.source, chooseLine);
    this.start();
  }

  build() {
    const { ask, engines, threads } = this.setup;
    const option = (chosen) => ([value, text]) => make("option", { value, selected: value === chosen }, text);
    const field = (name, text, input) => { this.fields[name] = input; return make("label", {}, text, input); };
    const number = (id, value, least = 0) => make("input", { id, type: "number", min: least, value: value === undefined ? null : value });
    const questions = [["verify", "for every schedule"], ["contexts", "within contexts"], ["rounds", "within rounds"], ["livelock", "does it run for ever?"]];
    const counts = threads.map((thread) => {
      const input = make("input", { id: `threads-${thread.name}`, type: "number", min: 0, max: 1000, value: thread.count, placeholder: "any" });
      this.fields[`thread ${thread.name}`] = input;
      return make("label", {}, `threads ${thread.name}`, input);
    });
    const deadlock = make("input", { id: "deadlock", type: "checkbox", checked: ask.deadlock });
    this.fields.deadlock = deadlock;
    this.cancelButton = make("button", { type: "button", id: "cancel", onclick: () => this.cancel() }, "Cancel");
    this.status = make("p", { class: "status", id: "status", role: "status" });
    const form = make("form", { class: "question", onsubmit: (event) => { event.preventDefault(); this.start(); } },
      field("question", "question", make("select", { id: "question" }, ...questions.map(option(ask.question)))),
      field("bound", "bound", number("bound", ask.bound)),
      field("delays", "delays", number("delays", ask.delays)),
      field("engine", "engine", make("select", { id: "engine" }, ...engines.map((name) => option(ask.engine)([name, name])))),
      field("timeout", "seconds", make("input", { id: "timeout", type: "number", min: 1, value: ask.timeout_s, placeholder: "no limit" })),
      ...counts,
      make("label", { class: "flat" }, deadlock, "deadlocks"),
      make("span", { class: "buttons" }, make("button", { class: "main", id: "restart" }, "Run again"), this.cancelButton));
    this.fields.question.addEventListener("change", () => this.adapt());
    put(byId("controls"), form, this.status);
    byId("controls").hidden = false;
    this.adapt();
  }

  /** Only fields that mean something to the question can be changed. */
  adapt() {
    const { question, bound, delays, deadlock, engine } = this.fields;
    bound.disabled = !["contexts", "rounds"].includes(question.value);
    if (!bound.disabled && bound.value === "") bound.value = "3";
    delays.disabled = question.value !== "rounds";
    deadlock.disabled = question.value === "livelock";
    engine.disabled = question.value === "livelock";
  }

  ask() {
    const { question, bound, delays, deadlock, engine, timeout } = this.fields;
    const ask = { question: question.value, deadlock: deadlock.checked, threads: {} };
    ask.engine = engine.disabled ? "auto" : engine.value;
    if (!bound.disabled) ask.bound = Number(bound.value);
    if (!delays.disabled && delays.value !== "") ask.delays = Number(delays.value);
    if (timeout.value !== "") ask.timeout_s = Number(timeout.value);
    for (const { name } of this.setup.threads) {
      const { value } = this.fields[`thread ${name}`];
      if (value !== "") ask.threads[name] = Number(value);
    }
    return ask;
  }

  say(text, wrong = false) {
    this.status.textContent = text;
    this.status.classList.toggle("wrong", wrong);
  }

  async send(path, body) {
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.trim());
    return JSON.parse(text);
  }

  /** Only this page's own run is ended. */
  async cancel() {
    if (this.run !== null) await this.send(`runs/${this.run}/cancel`, {}).catch((error) => this.say(error.message, true));
  }

  async start() {
    const turn = (this.turn || 0) + 1;
    this.turn = turn;
    if (this.events) {
      this.events.close();
      await this.cancel();
    }
    this.events = null;
    this.run = null;
    this.clear();
    try {
      const { run } = await this.send("runs", this.ask());
      if (turn !== this.turn) return;
      this.run = run;
      this.listen(run);
    } catch (error) {
      this.failed(error.message);
    }
  }

  /** Forgets the last answer. */
  clear() {
    this.say("");
    this.cancelButton.disabled = false;
    put(byId("verdict"), make("div", { class: "answer" }, make("span", { class: "badge running", id: "badge" }, "running"),
      make("span", { class: "sentence", id: "sentence" }, "the program is being explored")));
    for (const id of ["schedule", "state", "proof", "observations", "automata"]) byId(id).hidden = true;
    page.run = null;
    page.parts = [];
    page.proof = null;
    page.source.light(null);
    const { question } = this.fields;
    page.data = { below: [], above: [], unit: question.value === "rounds" ? "rounds" : "contexts", collapse: null, violation: null };
  }

  listen(run) {
    let asked = false;
    // Bounds may come faster than anybody can look.
    const redraw = () => {
      if (asked) return;
      asked = true;
      setTimeout(() => { asked = false; if (this.run === run && !this.isDone) observationsView(page.data); }, 120);
    };
    this.isDone = false;
    this.events = new EventSource(`runs/${run}/events`);
    this.events.onmessage = (message) => {
      const event = JSON.parse(message.data);
      if (event.kind === "below") {
        const { below } = page.data;
        const at = below.findIndex((seen) => seen.bound >= event.bound);
        // A run that starts anew shows what it saw already: the numbers are the same.
        if (at < 0) below.push(event);
        else if (below[at].bound === event.bound) below[at] = event;
        else below.splice(at, 0, event);
        redraw();
      } else if (event.kind === "above") {
        const same = (seen) => seen.depth === event.depth && seen.heights === event.heights;
        page.data.above = [...page.data.above.filter((seen) => !same(seen)), event];
        redraw();
      } else if (event.kind === "note") this.note = event.text;
      else if (event.kind === "tick") this.say(`${event.time_s.toFixed(1)} s · ${bytes(event.memory_bytes)}${this.note ? ` · ${this.note}` : ""}`);
      else if (event.kind === "done") this.done(run);
      else if (event.kind === "failed") this.failed(event.text);
    };
    this.events.onerror = () => {
      if (!this.isDone && this.events.readyState === EventSource.CLOSED) this.failed("the explorer has ended; start it again");
    };
  }

  async done(run) {
    this.finish();
    const answer = await fetch(`runs/${run}/document`);
    if (this.run === run && answer.ok) {
      show(await answer.json());
      this.say("");
    }
  }

  failed(text) {
    this.finish();
    put(byId("verdict"), make("div", { class: "answer" }, make("span", { class: "badge unknown", id: "badge" }, "no answer"),
      make("span", { class: "sentence", id: "sentence" }, text)));
  }

  finish() {
    this.isDone = true;
    this.note = "";
    if (this.events) this.events.close();
    this.events = null;
    this.cancelButton.disabled = true;
  }
}

followTheme();
followKeys();
followSize();
{
  const holder = byId("data");
  const data = JSON.parse(holder.textContent);
  if (holder.dataset.kind === "setup") page.explorer = new Explorer(data);
  else show(data);
}
