// Graphs, laid out by dagre: boxes in layers, edges around them. Whoever calls says what a node and an edge look like.

/**
 * A picture of a graph. A node has lines, a class and perhaps a call; an edge has a text, a class and a title. The first node is where
 * it begins.
 */
function graphPicture(nodes, edges, { direction = "LR", round = false, words }) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: 34, edgesep: 12, marginx: 12, marginy: 12 });
  const width = (lines) => Math.max(...lines.map((line) => line.length), 2) * 6.7 + 16;
  nodes.forEach((node, index) => graph.setNode(String(index), round
    ? { width: 30, height: 30 }
    : { width: Math.min(width(node.lines), 300), height: node.lines.length * 15 + 10 }));
  edges.forEach((edge, index) => graph.setEdge(String(edge.from), String(edge.to),
    { width: edge.text.length * 6.4 + 8, height: 15, labelpos: "c" }, String(index)));
  dagre.layout(graph);
  const parts = [];
  const texts = [];
  edges.forEach((edge, index) => {
    const { points, x, y } = graph.edge({ v: String(edge.from), w: String(edge.to), name: String(index) });
    const at = (point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    let d;
    let before;
    let end;
    if (edge.from === edge.to) {
      // Around the place that was left for its label.
      const node = graph.node(String(edge.from));
      const far = Math.hypot(x - node.x, y - node.y) || 1;
      const [ux, uy] = [(x - node.x) / far, (y - node.y) / far];
      const rim = Math.abs(uy) > Math.abs(ux) ? node.height / 2 : node.width / 2;
      const point = (along, across) => ({ x: node.x + ux * along - uy * across, y: node.y + uy * along + ux * across });
      const reach = far + 14;
      [before, end] = [point(reach, 26), point(rim, 7)];
      d = `M${at(point(rim, -7))} C${at(point(reach, -26))} ${at(before)} ${at(end)}`;
    } else {
      d = `M${at(points[0])}`;
      for (let n = 1; n < points.length - 1; n++) {
        const next = n === points.length - 2 ? points[n + 1] : { x: (points[n].x + points[n + 1].x) / 2, y: (points[n].y + points[n + 1].y) / 2 };
        d += ` Q${at(points[n])} ${at(next)}`;
      }
      if (points.length === 2) d += ` L${at(points[1])}`;
      [before, end] = points.slice(-2);
    }
    const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
    const title = () => draw("title", {}, edge.title || edge.text);
    parts.push(draw("path", { class: `edge ${edge.name || ""}`, d }, title()));
    parts.push(draw("path", { class: `tip ${edge.name || ""}`, d: "M0 0 l-8 -4 v8 z", transform: `translate(${end.x} ${end.y}) rotate(${angle})` }));
    if (!edge.text) return;
    const wide = edge.text.length * 6.4 + 4;
    texts.push(draw("rect", { class: "ground", x: x - wide / 2, y: y - 7, width: wide, height: 14 }));
    texts.push(draw("text", { class: `label ${edge.name || ""}`, x, y: y + 4, "text-anchor": "middle" }, edge.text, title()));
  });
  nodes.forEach((node, index) => {
    const { x, y, width: wide, height: high } = graph.node(String(index));
    const shape = round
      ? [draw("circle", { cx: x, cy: y, r: 15 }), node.double ? draw("circle", { cx: x, cy: y, r: 11 }) : null]
      : [draw("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 5 })];
    const most = Math.floor((wide - 12) / 6.7);
    const line = (text, row) => draw("text", { x, y: y + 4 + (row - (node.lines.length - 1) / 2) * 15, "text-anchor": "middle" },
      !round && text.length > most ? `${text.slice(0, most - 1)}…` : text);
    parts.push(draw("g", {
      class: `node ${node.name || ""}`, "data-node": index, tabindex: node.call ? "0" : null, role: node.call ? "button" : null,
      "aria-label": node.call ? node.lines.join(", ") : null, onclick: node.call,
      onkeydown: node.call ? (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); node.call(); } } : null,
    }, ...shape, ...node.lines.map(line), draw("title", {}, node.title || node.lines.join("\n"))));
  });
  const { width: wide, height: high } = graph.graph();
  return make("div", { class: "graph", tabindex: "0", role: "region", "aria-label": words },
    draw("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}` }, ...parts, ...texts));
}
