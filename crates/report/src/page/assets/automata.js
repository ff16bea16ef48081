// The stacks that occur, as automata: folded away until somebody wants to see them.

const MOST_NAMES = 2;

function automaton(data) {
  const short = (names) => (names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES - 1).join(", ")}, … ${names.length - MOST_NAMES + 1} more` : names.join(", "));
  const nodes = data.accepting.map((double, state) => ({
    lines: [String(state)], double, title: double ? `state ${state}: a stack may end here` : `state ${state}`,
  }));
  const edges = data.edges.map(([from, to, names]) => ({ from, to, text: short(names), title: names.join("\n") }));
  return graphPicture(nodes, edges, { round: true, words: `${data.title}: ${nodes.length} states` });
}

function automataView(holder, automata) {
  holder.hidden = automata.length === 0;
  if (!automata.length) return;
  const one = (data) => {
    const count = data.accepting.length;
    const size = `${count} ${count === 1 ? "state" : "states"}, ${data.edges.length} ${data.edges.length === 1 ? "edge" : "edges"}`;
    const details = make("details", { class: "automaton" }, make("summary", {}, data.title, make("span", { class: "faint" }, ` · ${size}`)));
    // Large ones are laid out when they are looked at.
    details.addEventListener("toggle", () => { if (details.open && !details.querySelector("svg")) details.append(automaton(data)); });
    return details;
  };
  put(holder, make("h2", {}, "Stacks, as automata"),
    make("p", { class: "faint" }, "A stack is read from its top; it belongs to the set if the path ends in a double circle. Point at an edge to see all its symbols."),
    ...automata.map(one));
}
