// The schedule as lanes: one a thread, contexts as blocks, steps as cells. Only what can be seen is drawn.

const LANE = 26;
const LANES_TOP = 22;

class Lanes {
  constructor(holder, run, choose) {
    this.run = run;
    this.choose = choose;
    this.current = 0;
    this.left = 0;
    const { threads } = run.schedule;
    this.height = LANES_TOP + threads.length * LANE + 4;
    this.names = make("div", { class: "lane-names" }, ...threads.map((thread, index) =>
      make("div", { class: `own ${threadClass(index)}`, title: thread.name }, ...shortened(thread.name))));
    this.svg = draw("svg", { height: this.height, role: "img", "aria-label": "Schedule: a lane for each thread" });
    this.space = make("div", {}, this.svg);
    this.scroll = make("div", { class: "lane-scroll", tabindex: "-1" }, this.space);
    put(holder, make("div", { class: "lanes" }, this.names, this.scroll));
    this.scroll.addEventListener("scroll", beforeFrame(() => { this.left = this.scroll.scrollLeft; this.draw(); }));
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
    this.left = Math.min(this.scroll.scrollLeft, Math.max(0, this.width * this.run.length - this.room));
    this.go(this.current);
  }

  go(steps) {
    this.current = steps;
    const x = (steps - 1) * this.width;
    if (x < this.left || x > this.left + this.room - 3 * this.width) {
      const most = Math.max(0, this.width * this.run.length - this.room);
      this.left = Math.min(most, Math.max(0, Math.round(x - this.room / 2)));
      this.scroll.scrollLeft = this.left;
    }
    this.draw();
  }

  draw() {
    const { run, width, left } = this;
    const from = Math.max(0, Math.floor(left / width) - 1);
    const to = Math.min(run.length, Math.ceil((left + this.room) / width) + 1);
    const parts = [];
    run.schedule.threads.forEach((_, lane) => {
      const y = LANES_TOP + lane * LANE + LANE / 2;
      parts.push(draw("line", { class: "lane-line", x1: 0, x2: this.room, y1: y, y2: y }));
    });
    // One path for all blocks of a lane, and one for all its cells: few elements are drawn fast.
    const blocks = new Map();
    const cells = new Map();
    const add = (paths, lane, x, y, wide, high) =>
      paths.set(lane, `${paths.get(lane) || ""}M${x.toFixed(1)} ${y}h${wide.toFixed(1)}v${high}h-${wide.toFixed(1)}z`);
    const last = to > from ? run.contextOf[to - 1] : -1;
    for (let c = to > from ? run.contextOf[from] : 0; c <= last; c++) {
      const context = run.contexts[c];
      // What is far outside is cut off.
      const x = Math.max(context.from * width - left, -50);
      const end = Math.min(context.to * width - left, this.room + 50);
      add(blocks, context.thread, x, LANES_TOP + context.thread * LANE + 2, Math.max(1, end - x - 1), LANE - 4);
      const wide = Math.min(end, this.room) - Math.max(x, 0);
      if (wide > 16) {
        const full = run.contextName(c);
        const name = wide > full.length * 6 + 6 ? full : `${run.contextNumber(c).number}`;
        parts.push(draw("text", { x: Math.max(x, 0) + 2, y: 14 }, name));
      }
    }
    const size = Math.max(2, Math.min(width - 3, 12));
    for (let index = from; index < to; index++) {
      const lane = run.schedule.steps[index].t;
      add(cells, lane, index * width - left + (width - size) / 2, LANES_TOP + lane * LANE + (LANE - 12) / 2, size, 12);
    }
    for (const [name, paths] of [["block", blocks], ["cell", cells]]) {
      for (const [lane, d] of paths) parts.push(draw("path", { class: `${name} own ${threadClass(lane)}`, d }));
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
