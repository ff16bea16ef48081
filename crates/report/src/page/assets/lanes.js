// The schedule as lanes: one a thread, contexts as blocks, steps as cells. Only what can be seen is drawn.

const LANE = 26;
const LANES_TOP = 22;

class Lanes {
  constructor(holder, run, choose) {
    this.run = run;
    this.choose = choose;
    this.current = 0;
    const { threads } = run.schedule;
    this.height = LANES_TOP + threads.length * LANE + 4;
    this.names = make("div", { class: "lane-names" }, ...threads.map((thread, index) =>
      make("div", { class: `own ${threadClass(index)}`, title: thread.name }, thread.name)));
    this.svg = draw("svg", { height: this.height, role: "img", "aria-label": "Schedule: a lane for each thread" });
    this.space = make("div", {}, this.svg);
    this.scroll = make("div", { class: "lane-scroll", tabindex: "-1" }, this.space);
    put(holder, make("div", { class: "lanes" }, this.names, this.scroll));
    this.scroll.addEventListener("scroll", beforeFrame(() => this.draw()));
    this.svg.addEventListener("click", (event) => {
      const x = event.clientX - this.svg.getBoundingClientRect().left + this.scroll.scrollLeft;
      choose(Math.min(run.length, Math.floor(x / this.width) + 1));
    });
    this.measure();
  }

  /** Steps are as wide as the room allows, but never too small to be seen. */
  measure() {
    this.room = this.scroll.clientWidth || 600;
    this.width = Math.max(7, Math.min(60, this.room / Math.max(1, this.run.length)));
    this.space.style.width = `${Math.max(this.room, this.width * this.run.length)}px`;
    this.svg.setAttribute("width", this.room);
    this.draw();
  }

  go(steps) {
    this.current = steps;
    const x = (steps - 1) * this.width;
    const left = this.scroll.scrollLeft;
    if (x < left + this.width || x > left + this.room - 3 * this.width) {
      this.scroll.scrollLeft = Math.max(0, x - this.room / 2);
    }
    this.draw();
  }

  draw() {
    const { run, width } = this;
    const left = this.scroll.scrollLeft;
    const from = Math.max(0, Math.floor(left / width) - 1);
    const to = Math.min(run.length, Math.ceil((left + this.room) / width) + 1);
    const parts = [];
    run.schedule.threads.forEach((_, lane) => {
      const y = LANES_TOP + lane * LANE + LANE / 2;
      parts.push(draw("line", { class: "lane-line", x1: 0, x2: this.room, y1: y, y2: y }));
    });
    const last = to > from ? run.contextOf[to - 1] : -1;
    for (let c = to > from ? run.contextOf[from] : 0; c <= last; c++) {
      const context = run.contexts[c];
      const y = LANES_TOP + context.thread * LANE + 2;
      const x = context.from * width - left;
      const wide = (context.to - context.from) * width;
      parts.push(draw("rect", { class: `block own ${threadClass(context.thread)}`, x, y, width: wide - 1, height: LANE - 4, rx: 3 }));
      if (wide > 16) {
        const name = wide > 90 ? run.contextName(c) : `${c + 1}`;
        parts.push(draw("text", { x: Math.max(x, 0) + 2, y: 14 }, name));
      }
    }
    for (let index = from; index < to; index++) {
      const lane = run.schedule.steps[index].t;
      const size = Math.max(2, Math.min(width - 3, 12));
      parts.push(draw("rect", {
        class: `cell own ${threadClass(lane)}`, x: index * width - left + (width - size) / 2,
        y: LANES_TOP + lane * LANE + (LANE - 12) / 2, width: size, height: 12, rx: 2,
      }));
    }
    const { period } = run.schedule;
    if (period !== null && period >= from && period <= to) {
      const x = period * width - left;
      parts.push(draw("line", { class: "period", x1: x, x2: x, y1: 0, y2: this.height }));
    }
    if (this.current > 0) {
      const lane = run.schedule.steps[this.current - 1].t;
      parts.push(draw("rect", {
        class: "cursor", x: (this.current - 1) * width - left, y: LANES_TOP + lane * LANE + 1,
        width: Math.max(width, 4), height: LANE - 2, rx: 3,
      }));
    }
    this.svg.replaceChildren(...parts);
  }
}
