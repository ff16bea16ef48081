// The observation sequence as a picture: from below on the left, growing with the bound; from above on the
// right, shrinking with each cut. Both count visible states on one axis.

const CHART = { height: 250, left: 58, right: 12, top: 40, bottom: 34 };

/** A scale from numbers to heights: logarithmic where numbers are far apart. */
function scale(numbers) {
  const most = numbers.reduce((a, b) => Math.max(a, b), 1);
  const least = numbers.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), most);
  const { height, top, bottom } = CHART;
  const room = height - top - bottom;
  const log = most / Math.max(1, least) > 30;
  const at = log
    ? (n) => Math.log10(Math.max(n, 1)) / Math.log10(most)
    : (n) => n / most;
  const ticks = [];
  if (log) {
    const powers = Math.floor(Math.log10(most));
    const every = Math.max(1, Math.ceil(powers / 5));
    for (let p = 0; p <= powers; p += every) ticks.push(10 ** p);
  } else {
    const raw = most / 4;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw));
    for (let n = 0; n <= most; n += step) ticks.push(n);
  }
  return { y: (n) => height - bottom - at(n) * room, ticks, log };
}

function shortNumber(n) {
  if (n >= 1e6 && n < 1e9) return `${+(n / 1e6).toPrecision(3)}M`;
  if (n >= 1e9) return n.toExponential(0).replace("e+", "e");
  return amount(n);
}

/** Draws what is known of `data`: below, above, unit, collapse, violation. */
function chart(holder, data) {
  const width = Math.max(260, Math.min(1100, holder.clientWidth || 600));
  const { height, left, right, top, bottom } = CHART;
  const number = (n) => (n === null || n === undefined ? null : Number(n));
  const states = data.below.map((seen) => number(seen.states));
  const visible = data.below.map((seen) => number(seen.visible));
  const cuts = data.above.map((seen) => number(seen.visible));
  const known = [...states, ...visible, ...cuts].filter((n) => n !== null);
  const { y, ticks, log } = scale(known);
  const share = cuts.length ? (data.below.length ? 0.66 : 0) : 1;
  const inner = width - left - right;
  const split = left + inner * share;
  const gap = cuts.length && data.below.length ? 26 : 0;
  const place = (from, to, count) => (index) => (count < 2 ? (from + to) / 2 : from + 8 + (index * (to - from - 16)) / (count - 1));
  const belowX = place(left, split - gap / 2, data.below.length);
  const aboveX = place(split + gap / 2, width - right, cuts.length);
  const parts = [];
  for (const tick of ticks) {
    parts.push(draw("line", { class: "axis", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }));
    parts.push(draw("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, shortNumber(tick)));
  }
  data.below.forEach((seen, index) => {
    if (!seen.mark) return;
    const half = data.below.length > 1 ? (belowX(1) - belowX(0)) / 2 : 10;
    const [from, to] = [Math.max(left, belowX(index) - half), Math.min(split - gap / 2, belowX(index) + half)];
    parts.push(draw("rect", { class: "flat", x: from, y: top, width: to - from, height: height - top - bottom },
      draw("title", {}, `${seen.bound}: ${seen.mark}`)));
  });
  const series = (name, numbers, x) => {
    // No more points than there are places to put them.
    const each = Math.ceil(numbers.length / 600);
    const drawn = (n, index) => n !== null && (index % each === 0 || index === numbers.length - 1);
    const points = numbers.flatMap((n, index) => (drawn(n, index) ? [[x(index), y(n)]] : []));
    parts.push(draw("polyline", { class: name, points: points.map((p) => p.map((n) => n.toFixed(1)).join(",")).join(" ") }));
    if (points.length <= 60) parts.push(...points.map(([cx, cy]) => draw("circle", { class: name, cx, cy, r: 3 })));
  };
  series("states", states, belowX);
  series("visible", visible, belowX);
  series("cuts", cuts, aboveX);
  const every = Math.max(1, Math.ceil(data.below.length / Math.max(2, (inner * share) / 34)));
  data.below.forEach((seen, index) => {
    if (index % every === 0) parts.push(draw("text", { x: belowX(index), y: height - bottom + 15, "text-anchor": "middle" }, String(seen.bound)));
  });
  data.above.forEach((seen, index) => {
    const name = `${seen.depth}${seen.heights ? "h" : ""}`;
    parts.push(draw("text", { x: aboveX(index), y: height - bottom + 15, "text-anchor": "middle" }, name,
      draw("title", {}, cutName(seen))));
  });
  if (data.below.length) parts.push(draw("text", { class: "strong", x: (left + split - gap / 2) / 2, y: height - 4, "text-anchor": "middle" }, `from below: ${data.unit} →`));
  if (cuts.length) parts.push(draw("text", { class: "strong", x: (split + gap / 2 + width - right) / 2, y: height - 4, "text-anchor": "middle" }, share && width < 520 ? "above: cuts" : "from above: stack cuts"));
  const mark = (name, bound, row) => {
    const index = data.below.findIndex((seen) => seen.bound === bound);
    if (index < 0) return;
    const x = belowX(index);
    const end = x > left + (split - left) * 0.6 || (name === "violation" && bound < data.collapse && x > left + 90);
    parts.push(draw("line", { class: name, x1: x, x2: x, y1: top - 18 + 14 * row, y2: height - bottom }));
    parts.push(draw("text", { class: name, id: `mark-${name}`, x: end ? x - 5 : x + 5, y: top - 22 + 14 * row, "text-anchor": end ? "end" : "start" }, `${name} at ${bound}`));
  };
  mark("collapse", data.collapse, 0);
  mark("violation", data.violation, data.collapse === null ? 0 : 1);
  const words = `Observations: ${data.below.length} bounds from below, ${cuts.length} stack cuts from above`
    + (data.collapse === null ? "" : `, collapse at ${data.collapse}`)
    + (data.violation === null ? "" : `, violation at ${data.violation}`);
  const legend = (name, text) => make("span", {}, make("i", { class: name }), text);
  put(holder,
    make("div", { class: "legend" },
      states.some((n) => n !== null) ? legend("states", "states") : null,
      legend("visible", "visible states"),
      cuts.length ? legend("cuts", "visible states left from above") : null,
      data.below.some((seen) => seen.mark) ? legend("flat", "nothing visible is new") : null,
      log ? make("span", { class: "scale" }, "heights are logarithmic") : null),
    draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words }, ...parts));
}

function cutName(seen) {
  return `top ${seen.depth} of each stack${seen.heights ? ", heights compared" : ""}`;
}
