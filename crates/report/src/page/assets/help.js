// What the keys do: shown on `?`.

const KEYS = [
  ["← →", "one step back, one step on"], ["Home End", "the first state, the last state"], ["p n", "the context before, the next context"],
  ["1 … 9", "take the step of this number"], ["r", "twenty random steps"], ["f", "to the nearest failure"], ["l", "to a line where nobody was yet"],
  ["b", "bookmark this state"], ["a", "back to the run of the answer"], ["g", "the states near by"], ["?", "this help"], ["Esc", "close it"],
];

function helpView() {
  const dialog = make("dialog", { id: "help", "aria-label": "Keys" },
    make("h2", {}, "Keys"),
    make("dl", { class: "keys-list" }, ...KEYS.flatMap(([keys, text]) =>
      [make("dt", {}, ...keys.split(" ").flatMap((key) => [key === "…" ? key : make("kbd", {}, key), " "])), make("dd", {}, text)])),
    make("p", { class: "faint" }, "A click at a line goes to the next step there, a double click takes the shortest way to it."),
    make("button", { type: "button", class: "main", onclick: () => dialog.close() }, "Close"));
  document.body.append(dialog);
  const open = () => { if (!dialog.open) dialog.showModal(); };
  byId("keys").addEventListener("click", open);
  return open;
}
