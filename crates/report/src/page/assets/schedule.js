// A run: the state after any of its steps, from the first state and what each step changes.

/** How far apart states are that are remembered. */
const CHECKPOINT = 256;

/** The elements of an array, as they are shown: `[1,[2,3]]` has two. */
function elementsOf(text) {
  const parts = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "[") depth++;
    if (text[at] === "]") depth--;
    if ((text[at] === "," && depth === 1) || depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

/** Longer values, of whole arrays, do not stand beside a line: the state has them. */
const LONGEST_BESIDE = 60;

class Run {
  constructor(schedule) {
    this.schedule = schedule;
    this.length = schedule.steps.length;
    // The state that was asked for last, and the words of lines, as far as somebody asked.
    this.last = null;
    this.words = [];
    // The indices of arrays that lines name.
    this.indices = new Map();
    const stack = (frames) => frames.reduce(
      (below, frame) => ({ frame, below, depth: below ? below.depth + 1 : 1 }), null);
    this.stackOf = stack;
    this.checkpoints = [{
      shared: schedule.shared.map(([, value]) => value),
      stacks: schedule.stacks.map(stack),
    }];
    // The context of each step, and where each context begins. The period is counted by itself.
    this.contexts = [];
    this.contextOf = new Uint32Array(this.length);
    let last = -1;
    schedule.steps.forEach((step, index) => {
      if (step.t !== last || index === schedule.period) {
        this.contexts.push({ thread: step.t, from: index, to: index });
        last = step.t;
      }
      const context = this.contexts[this.contexts.length - 1];
      context.to = index + 1;
      this.contextOf[index] = this.contexts.length - 1;
    });
    this.stateAfter(this.length);
  }

  /** The state after so many steps. What it has must not be changed. */
  stateAfter(steps) {
    const known = Math.min(Math.floor(steps / CHECKPOINT), this.checkpoints.length - 1);
    let from = known * CHECKPOINT;
    let start = this.checkpoints[known];
    // Whoever goes step by step asks for the next one.
    if (this.last && this.last.steps <= steps && this.last.steps > from) ({ steps: from, state: start } = this.last);
    const state = this.copy(start);
    for (let index = from; index < steps; index++) {
      this.apply(state, this.schedule.steps[index]);
      if ((index + 1) % CHECKPOINT === 0 && this.checkpoints.length === (index + 1) / CHECKPOINT) {
        this.checkpoints.push(this.copy(state));
      }
    }
    this.last = { steps, state };
    return this.copy(state);
  }

  /** The states before and after a step; stacks that did not change are the same in both. */
  around(steps) {
    if (steps === 0) return [this.checkpoints[0], this.checkpoints[0]];
    const before = this.stateAfter(steps - 1);
    const after = this.copy(before);
    this.apply(after, this.schedule.steps[steps - 1]);
    return [before, after];
  }

  copy(state) {
    return { shared: state.shared.slice(), stacks: state.stacks.slice() };
  }

  apply(state, step) {
    for (const [variable, value] of step.v || []) state.shared[variable] = value;
    let top = state.stacks[step.t];
    for (let n = 0; n < step.pop; n++) top = top.below;
    for (const frame of step.push) {
      top = { frame, below: top, depth: top ? top.depth + 1 : 1 };
    }
    state.stacks[step.t] = top;
    if (step.start) state.stacks.push(this.stackOf(step.start));
  }

  /** The statements of a step: texts and lines. */
  statements(step) {
    return this.schedule.steps[step].s.map((index) => this.schedule.statements[index]);
  }

  /** The line that is lit after so many steps: the one that was executed, or the first. */
  line(steps) {
    if (steps > 0) {
      const lines = this.statements(steps - 1).map(([, line]) => line).filter((line) => line);
      return lines.length ? lines[lines.length - 1] : null;
    }
    const first = this.schedule.stacks[this.length ? this.schedule.steps[0].t : 0];
    if (!first || !first.length) return null;
    return this.place(first[first.length - 1]).line;
  }

  /** What a step changes and writes, in words. */
  changes(step) {
    return this.schedule.steps[step].c || [];
  }

  /** Where each thread stands after so many steps: its line, and the values that the line is about. */
  places(steps, texts) {
    const state = this.stateAfter(steps);
    return state.stacks.map((stack, thread) => {
      if (!stack) return null;
      const [place, values] = this.schedule.frames[stack.frame];
      const { line, variables } = this.schedule.places[place];
      if (!line) return null;
      if (!this.words[line]) this.words[line] = new Set((texts[line - 1] || "").replace(/\/\/.*$/, "").split(/[^\w$]+/));
      const isMeant = (name) => this.words[line].has(name.split(/[[.]/)[0]);
      const meant = [];
      this.schedule.shared.forEach(([name], index) => { if (state.shared[index] !== "" && isMeant(name)) meant.push([name, state.shared[index]]); });
      variables.forEach((name, index) => { if (isMeant(name)) meant.push([name, values[index]]); });
      const known = new Map(meant);
      const isShort = (text) => text.length <= LONGEST_BESIDE;
      const said = meant.flatMap(([name, value]) => this.elements(line, texts, name, value, known));
      return { name: this.schedule.threads[thread].name, line, values: said.filter(isShort).slice(0, 5).join(", ") };
    });
  }

  /** What is said of a variable beside a line: of an array, the elements that the line names, as far as its indices are known. */
  elements(line, texts, name, value, known) {
    const whole = [`${name} = ${value}`];
    if (!value.startsWith("[")) return whole;
    const key = `${line} ${name}`;
    if (!this.indices.has(key)) {
      const text = (texts[line - 1] || "").replace(/\/\/.*$/, "").replace(/\s*([[\]])\s*/g, "$1");
      const escaped = name.replace(/[^\w]/g, "\\$&");
      const uses = [...text.matchAll(new RegExp(`(?<![\\w$.])${escaped}(?![\\w$])(?:\\[([\\w$]+)\\](?![[.]))?`, "g"))];
      this.indices.set(key, uses.map(([, index]) => index));
    }
    const parts = elementsOf(value);
    const said = new Set();
    for (const index of this.indices.get(key)) {
      const number = index && /^\d+$/.test(index) ? index : known.get(index);
      if (number === undefined || parts[number] === undefined) return whole;
      said.add(`${name}[${number}] = ${parts[number]}`);
    }
    return said.size ? [...said] : whole;
  }

  place(frame) {
    return this.schedule.places[this.schedule.frames[frame][0]];
  }

  /** A frame with its values. */
  frameText(frame) {
    const [place, values] = this.schedule.frames[frame];
    const { name, variables } = this.schedule.places[place];
    return values.length ? `${name}  ${variables.map((v, i) => `${v}=${values[i]}`).join(" ")}` : name;
  }

  /** The number of a context, for people. Those of a period are counted from 1 again. */
  contextNumber(context) {
    const { period } = this.schedule;
    if (period === null || this.contexts[context].from < period) return { number: context + 1, again: false };
    return { number: context + 1 - this.contextOf[period], again: true };
  }

  contextName(context) {
    const { number, again } = this.contextNumber(context);
    return again ? `context ${number} of the period` : `context ${number}`;
  }
}
