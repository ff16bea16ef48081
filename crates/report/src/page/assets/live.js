// The explorer: asks, listens, shows what comes, and follows the file.

/** How often to ask whether the file has changed, in milliseconds. */
const WATCH = 700;

class Explorer {
  constructor(setup) {
    this.setup = setup;
    this.run = null;
    this.events = null;
    this.misses = 0;
    put(byId("file"), ...pathParts(setup.file));
    this.build(readAddress().ask || setup.ask);
    // What the page began with: an address says what is different.
    this.begun = JSON.stringify(new QuestionForm(make("div"), setup, setup.ask, () => {}, () => {}).ask());
    page.walker = new Walker(this);
    page.source = new SourceView(byId("source"), setup.source, setup.file, chooseLine);
    addEventListener("hashchange", () => { if (!followAddress()) go(0); });
    this.start();
    setTimeout(() => this.watch(), WATCH);
  }

  build(ask) {
    const open = this.form && this.form.options.open;
    this.form = new QuestionForm(byId("controls"), this.setup, ask, () => { this.changes = ""; this.start(); }, () => this.cancel());
    this.form.options.open = Boolean(open);
  }

  /** The options, if they are not those that the page began with. */
  changed() {
    return JSON.stringify(this.asked) === this.begun ? null : this.asked;
  }

  async send(path, body) {
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    }).catch(() => { throw new Error("the explorer has ended; start it again"); });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.trim());
    return JSON.parse(text);
  }

  /** Asks again and again whether the file is another one, and runs that. */
  async watch() {
    try {
      const answer = await fetch("revision");
      const { revision } = await answer.json();
      this.misses = 0;
      if (revision !== this.setup.revision) await this.reload();
    } catch {
      this.misses += 1;
      if (this.misses === 3) this.form.say("the explorer has ended; start it again", true);
    }
    if (this.misses < 3) setTimeout(() => this.watch(), WATCH);
  }

  async reload() {
    const answer = await fetch("setup");
    const ask = this.form.ask();
    this.setup = await answer.json();
    const { setup } = this;
    // What is set stays set, as far as it is still there.
    const here = (list, values) => Object.fromEntries(Object.entries(values).filter(([name]) => list.some((one) => one.name === name)));
    if (!setup.wrong) {
      ask.threads = here(setup.threads, ask.threads);
      ask.consts = here(setup.consts, ask.consts);
      this.build(ask);
    }
    page.source = new SourceView(byId("source"), setup.source, setup.file, chooseLine);
    const when = new Date().toLocaleTimeString();
    const what = setup.language === "c" || setup.file.endsWith(".c") ? `${setup.file}, or what it includes, has` : `${setup.file} has`;
    this.changes = setup.wrong ? `${what} changed (${when}), and cannot be read` : `${what} changed (${when}): this is the answer for what is on disk now`;
    if (setup.wrong) {
      await this.stop();
      this.clear();
      this.failed(setup.wrong);
    } else await this.start(page.isBranch);
  }

  /** Only this page's own run is ended. */
  async cancel() {
    if (this.run !== null) await this.send(`runs/${this.run}/cancel`, {}).catch((error) => this.form.say(error.message, true));
  }

  async stop() {
    if (this.events) {
      this.events.close();
      await this.cancel();
    }
    this.events = null;
    this.run = null;
  }

  /** Asks; a new question is looked at from its own end, whatever the address says of the last one. */
  async start(keep = false) {
    const turn = (this.turn || 0) + 1;
    this.turn = turn;
    if (turn > 1 && !keep) history.replaceState(null, "", location.pathname);
    await this.stop();
    if (turn !== this.turn) return;
    this.asked = this.form.ask();
    this.clear();
    try {
      const { run } = await this.send("runs", this.asked);
      if (turn !== this.turn) return;
      this.run = run;
      this.listen(run);
    } catch (error) {
      this.failed(error.message);
    }
  }

  /** Forgets the last answer. */
  clear() {
    this.form.say(this.changes || "");
    this.form.cancelButton.disabled = false;
    this.note = "";
    hideRun();
    if (page.walker) { page.walker.forget(); page.walker.threads = {}; }
    put(byId("verdict"), make("div", { class: "answer" }, make("span", { class: "badge running", id: "badge" }, "running"),
      make("span", { class: "sentence", id: "sentence" }, "the program is being explored")));
    for (const id of ["proof", "observations", "automata"]) byId(id).hidden = true;
    page.proof = null;
    const rounds = this.asked && this.asked.question === "rounds";
    page.data = { below: [], above: [], unit: rounds ? "rounds" : "contexts", collapse: null, violation: null };
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
    this.isAnswered = false;
    this.events = new EventSource(`runs/${run}/events`);
    this.events.onmessage = (message) => {
      const event = JSON.parse(message.data);
      // What is seen after the answer comes with the document.
      if (this.isAnswered && ["below", "above"].includes(event.kind)) return;
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
      else if (event.kind === "tick") this.form.say(`${event.time_s.toFixed(1)} s · ${bytes(event.memory_bytes)}${this.note ? ` · ${this.note}` : ""}`);
      else if (event.kind === "answered") this.answered(run);
      else if (event.kind === "done") this.done(run);
      else if (event.kind === "failed") this.failed(event.text);
    };
    this.events.onerror = () => {
      if (!this.isDone && this.events.readyState === EventSource.CLOSED) this.failed("the explorer has ended; start it again");
    };
  }

  async document(run) {
    const answer = await fetch(`runs/${run}/document`);
    return this.run === run && answer.ok ? answer.json() : null;
  }

  /** The answer is shown at once; what is made beside it comes later. */
  async answered(run) {
    this.isAnswered = true;
    const data = await this.document(run);
    if (data && this.run === run && this.shown !== run) {
      this.shown = run;
      page.walker.threads = data.way ? data.way.threads : {};
      show(data);
    }
  }

  async done(run) {
    this.finish();
    const data = await this.document(run);
    if (!data || this.run !== run) return;
    if (this.shown === run) observed(data);
    else {
      this.shown = run;
      page.walker.threads = data.way ? data.way.threads : {};
      show(data);
    }
    this.form.say(this.changes || "");
  }

  failed(text) {
    this.finish();
    put(byId("verdict"), make("div", { class: "answer" }, make("span", { class: "badge unknown", id: "badge" }, "no answer"),
      make("span", { class: "sentence failure", id: "sentence" }, text)));
  }

  finish() {
    this.isDone = true;
    this.note = "";
    if (this.events) this.events.close();
    this.events = null;
    this.form.cancelButton.disabled = true;
  }
}

followTheme();
followKeys(helpView());
followSize();
{
  const holder = byId("data");
  const data = JSON.parse(holder.textContent);
  if (holder.dataset.kind === "setup") page.explorer = new Explorer(data);
  else {
    show(data);
    addEventListener("hashchange", followAddress);
  }
}
