// The program, with the line that is executed lit, and the lines marked of which a proof says something.

class SourceView {
  constructor(holder, text, chosen) {
    this.lines = text.replace(/\n$/, "").split("\n").map((line, index) =>
      make("div", {}, make("span", { class: "n", "aria-hidden": "true" }, String(index + 1)), make("span", {}, line || " ")));
    this.lit = null;
    this.chosen = null;
    this.height = 0;
    this.code = make("div", { class: "code", tabindex: "0", role: "region", "aria-label": "Text of the program" }, ...this.lines);
    this.code.addEventListener("click", (event) => {
      const index = this.lines.findIndex((line) => line.contains(event.target));
      if (index >= 0) chosen(index + 1);
    });
    this.code.addEventListener("scroll", beforeFrame(() => { this.top = this.code.scrollTop; }));
    put(holder, make("h2", {}, "Program"), this.code);
  }

  node(line) {
    return line ? this.lines[line - 1] || null : null;
  }

  measure() {
    this.height = 0;
  }

  light(line) {
    const node = this.node(line);
    if (node === this.lit) return;
    if (this.lit) this.lit.classList.remove("lit");
    this.lit = node;
    if (!node) return;
    node.classList.add("lit");
    this.reveal(line);
  }

  choose(line) {
    if (this.chosen) this.chosen.classList.remove("chosen");
    this.chosen = this.node(line);
    if (this.chosen) this.chosen.classList.add("chosen");
  }

  mark(lines) {
    for (const line of lines) {
      const node = this.node(line);
      if (node) node.classList.add("known");
    }
  }

  /** Scrolls the text, never the page. All lines have one height. */
  reveal(line) {
    const { code } = this;
    if (!this.height) {
      this.height = this.lines[0].offsetHeight;
      this.room = code.clientHeight;
      this.top = code.scrollTop;
    }
    const at = (line - 1) * this.height;
    if (at < this.top || at > this.top + this.room - 2 * this.height) {
      this.top = Math.max(0, Math.round(at - this.room / 2));
      code.scrollTop = this.top;
    }
  }
}
