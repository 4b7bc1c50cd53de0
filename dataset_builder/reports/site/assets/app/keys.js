// Keys of one letter, and the panel that lists them.
"use strict";

const KEYS = [
  ["?", "show or hide this panel"],
  ["/", "search: questions, or the messages of a context"],
  ["Esc", "clear the search, close a panel"],
  ["j  k", "next and previous question"],
  ["Enter", "open the question that has the focus"],
  ["e", "go to the next message of evidence"],
  ["b", "back to the question"],
  ["n  p", "next and previous match of the search"],
  ["]  [", "next and previous session"],
  ["t", "timeline or chat of a context"],
  ["l", "questions and sessions of a context, on a phone"],
  ["1  2  3  4", "overview, questions, runs, reports"],
  ["d", "theme: system, light, dark"],
];

function makeHelp() {
  const help = document.getElementById("help");
  replaceChildren(
    help,
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, KEYS.map(([keys, what]) => [
      h("dt", {}, keys.split("  ").map((key) => h("kbd", {}, key))), h("dd", {}, what),
    ])),
    h("button", { class: "quiet", onclick: () => help.close() }, "Close"),
  );
  // A click beside the panel closes it.
  help.addEventListener("click", (event) => event.target === help && help.close());
}

function switchHelp() {
  const help = document.getElementById("help");
  if (help.open) help.close();
  else help.showModal();
}

// `findKeys` returns the keys of the view that is shown.
function listenForKeys(findKeys) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, select, textarea");
    const isText = field && field.type !== "checkbox";
    if (event.key === "Escape" && isText) {
      if (field.value && field.id === "search") clearSearch();
      else field.blur();
      return;
    }
    if (isText) return;
    const common = {
      "?": switchHelp, "/": focusSearch, d: switchTheme,
      1: () => goTo({ ...keepFilters(readRoute()) }),
      2: () => goTo({ ...keepFilters(readRoute()), view: "questions" }),
      3: () => goTo({ ...keepFilters(readRoute()), view: "runs" }),
      4: () => goTo({ ...keepFilters(readRoute()), view: "reports" }),
    };
    if (document.getElementById("help").open && event.key !== "?") return;
    const act = common[event.key] || findKeys()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
