// Automata in layers: a state stands to the right of those that lead to it, unless there is a cycle.

/** The layer of each state: after all states before it, as far as there are no cycles. */
function layersOf(count, edges) {
  const out = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) if (from !== to) out[from].push(to);
  const seen = new Array(count).fill(0);
  const order = [];
  const back = new Set();
  // Depth first, without recursion: an edge to a state that is still open goes back.
  const path = count ? [[0, 0]] : [];
  if (count) seen[0] = 1;
  while (path.length) {
    const top = path[path.length - 1];
    const [state, next] = top;
    if (next === out[state].length) {
      seen[state] = 2;
      order.push(state);
      path.pop();
      continue;
    }
    top[1] += 1;
    const to = out[state][next];
    if (seen[to] === 1) back.add(`${state} ${to}`);
    else if (seen[to] === 0) {
      seen[to] = 1;
      path.push([to, 0]);
    }
  }
  const layer = new Array(count).fill(0);
  for (const state of order.reverse()) {
    for (const to of out[state]) {
      if (!back.has(`${state} ${to}`)) layer[to] = Math.max(layer[to], layer[state] + 1);
    }
  }
  const layers = [];
  layer.forEach((column, state) => {
    layers[column] = layers[column] || [];
    layers[column].push(state);
  });
  return { layer, layers };
}

function automaton(data) {
  const count = data.accepting.length;
  const { layer, layers } = layersOf(count, data.edges);
  const label = ([, , names]) => (names.length > 3 ? `${names.slice(0, 2).join(", ")}, … ${names.length - 2} more` : names.join(", "));
  const longest = Math.max(4, ...data.edges.map((edge) => label(edge).length));
  const step = Math.max(90, Math.min(330, longest * 6.8 + 50));
  const tallest = Math.max(1, ...layers.map((states) => states.length));
  const loops = data.edges.some(([from, to]) => from === to);
  const passing = data.edges.filter(([from, to]) => layer[to] - layer[from] > 1);
  const arch = Math.max(0, ...passing.map(([from, to]) => (36 + 15 * (layer[to] - layer[from]) + 8 * passing.length) / 2));
  const top = Math.max(loops ? 50 : 16, arch - 16);
  const height = top + tallest * 76 + Math.max(0, arch - 24);
  const width = 60 + (layers.length - 1) * step + 60 + (loops ? longest * 3 : 0);
  const at = [];
  layers.forEach((states, column) => states.forEach((state, row) => {
    at[state] = { x: 44 + column * step, y: top + (tallest * 76 * (row + 0.5)) / states.length };
  }));
  const parts = [draw("path", { d: `M6 ${at[0] ? at[0].y : 0} h14` })];
  if (at[0]) parts.push(draw("path", { class: "tip", d: `M28 ${at[0].y} l-8 -4 v8 z` }));
  const texts = [];
  let long = 0;
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
      const far = layer[to] - layer[from];
      // Edges that pass over states go above and below them in turn.
      if (far > 1) long += 1;
      const side = long % 2 ? -1 : 1;
      const bend = back ? 46 + 12 * (index % 3) : far > 1 ? side * (36 + 15 * far + 8 * long) : 0;
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
    draw("svg", { width, height, role: "img", "aria-label": words }, ...parts, ...texts));
}

function automataView(holder, automata) {
  holder.hidden = automata.length === 0;
  if (!automata.length) return;
  put(holder, make("h2", {}, "Pushdown store automata"),
    make("p", { class: "faint" }, "A stack is read from its top; it belongs to the set if the path ends in a double circle."),
    ...automata.flatMap((data) => [make("h3", {}, data.title), automaton(data)]));
}
