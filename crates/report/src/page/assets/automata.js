// Automata in layers: a state stands as many columns to the right as it is steps away from the start.

function automaton(data) {
  const count = data.accepting.length;
  const layer = new Array(count).fill(-1);
  const layers = [];
  let frontier = count ? [0] : [];
  if (count) layer[0] = 0;
  while (frontier.length) {
    layers.push(frontier);
    const next = [];
    for (const [from, to] of data.edges) {
      if (layer[from] === layers.length - 1 && layer[to] < 0) {
        layer[to] = layers.length;
        next.push(to);
      }
    }
    frontier = next;
  }
  const label = ([, , names]) => (names.length > 3 ? `${names.slice(0, 2).join(", ")}, … ${names.length - 2} more` : names.join(", "));
  const longest = Math.max(4, ...data.edges.map((edge) => label(edge).length));
  const step = Math.max(90, Math.min(330, longest * 6.8 + 50));
  const tallest = Math.max(1, ...layers.map((states) => states.length));
  const loops = data.edges.some(([from, to]) => from === to);
  const top = loops ? 74 : 44;
  const height = top + tallest * 76;
  const width = 60 + (layers.length - 1) * step + 60 + (loops ? longest * 3 : 0);
  const at = [];
  layers.forEach((states, column) => states.forEach((state, row) => {
    at[state] = { x: 44 + column * step, y: top + (tallest * 76 * (row + 0.5)) / states.length };
  }));
  const parts = [draw("path", { d: `M6 ${at[0] ? at[0].y : 0} h14` })];
  if (at[0]) parts.push(draw("path", { class: "tip", d: `M28 ${at[0].y} l-8 -4 v8 z` }));
  const texts = [];
  data.edges.forEach((edge, index) => {
    const [from, to, names] = edge;
    const a = at[from];
    const b = at[to];
    let path;
    let tip;
    let text;
    if (from === to) {
      path = `M${a.x - 7} ${a.y - 13} C${a.x - 24} ${a.y - 46} ${a.x + 24} ${a.y - 46} ${a.x + 7} ${a.y - 13}`;
      tip = { x: a.x + 7, y: a.y - 13, angle: 110 };
      text = { x: a.x, y: a.y - 44 };
    } else {
      const back = layer[to] <= layer[from];
      const bend = back ? 46 + 12 * (index % 3) : layer[to] - layer[from] > 1 ? -50 : 0;
      const length = Math.hypot(b.x - a.x, b.y - a.y);
      const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
      const middle = { x: (a.x + b.x) / 2 - uy * bend, y: (a.y + b.y) / 2 + ux * bend * (back ? -1 : 1) };
      if (back) middle.y = (a.y + b.y) / 2 + bend;
      const toward = Math.atan2(b.y - middle.y, b.x - middle.x);
      const away = Math.atan2(middle.y - a.y, middle.x - a.x);
      const start = { x: a.x + 16 * Math.cos(away), y: a.y + 16 * Math.sin(away) };
      const end = { x: b.x - 17 * Math.cos(toward), y: b.y - 17 * Math.sin(toward) };
      path = `M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
      tip = { x: end.x, y: end.y, angle: (toward * 180) / Math.PI };
      text = { x: (start.x + 2 * middle.x + end.x) / 4, y: (start.y + 2 * middle.y + end.y) / 4 - 5 };
    }
    parts.push(draw("path", { d: path }));
    parts.push(draw("path", { class: "tip", d: "M0 0 l-8 -4 v8 z", transform: `translate(${tip.x} ${tip.y}) rotate(${tip.angle})` }));
    texts.push(draw("text", { class: "label", x: text.x, y: text.y, "text-anchor": "middle" }, label(edge), draw("title", {}, names.join("\n"))));
  });
  data.accepting.forEach((accepts, state) => {
    if (!at[state]) return;
    const { x, y } = at[state];
    parts.push(draw("circle", { cx: x, cy: y, r: 15 }));
    if (accepts) parts.push(draw("circle", { cx: x, cy: y, r: 11 }));
    parts.push(draw("text", { x, y: y + 4, "text-anchor": "middle" }, String(state)));
  });
  const words = `${data.title}: ${count} states`;
  return make("div", { class: "graph", tabindex: "0", role: "region", "aria-label": words },
    draw("svg", { width, height: height + 24, role: "img", "aria-label": words }, ...parts, ...texts));
}

function automataView(holder, automata) {
  holder.hidden = automata.length === 0;
  if (!automata.length) return;
  put(holder, make("h2", {}, "Pushdown store automata"),
    make("p", { class: "faint" }, "A stack is read from its top; it belongs to the set if the path ends in a double circle."),
    ...automata.flatMap((data) => [make("h3", {}, data.title), automaton(data)]));
}
