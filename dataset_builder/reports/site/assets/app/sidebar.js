// Beside the chat: the questions of the context, its sessions, and what a search found.
"use strict";

const SIDE_ROW = 64;

function makeSidebar(view, link) {
  const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Lists" });
  const body = h("div", { class: "side-body", role: "tabpanel", id: "side-list" });
  const element = h("aside", { class: "side context-side", "aria-label": "Questions and sessions" }, tabs, body);
  const lists = {
    questions: { title: "Questions", size: () => view.head.questions.length, row: renderQuestion },
    sessions: { title: "Sessions", size: () => view.head.sessions.length, row: renderSession },
    matches: { title: "Matches", size: () => matches.length, row: renderMatch },
  };
  let matches = [];
  let place = 0;
  let shown = "questions";
  let rows = null;

  function draw() {
    const names = Object.keys(lists).filter((name) => name !== "matches" || view.words.length);
    if (!names.includes(shown)) shown = "questions";
    const focused = tabs.contains(document.activeElement);
    replaceChildren(
      tabs,
      names.map((name) =>
        h(
          "button",
          {
            role: "tab", "aria-selected": String(name === shown), "aria-controls": "side-list", id: `tab-${name}`,
            onclick: () => choose(name),
          },
          `${lists[name].title} `, h("small", {}, formatNumber(lists[name].size())),
        )),
    );
    if (focused) tabs.querySelector('[aria-selected="true"]').focus();
    body.setAttribute("aria-labelledby", `tab-${shown}`);
    const list = lists[shown];
    rows = makeRows({ count: list.size(), height: SIDE_ROW, render: list.row, label: list.title });
    replaceChildren(body, list.size() ? rows.element : h("p", { class: "soft side-empty" }, `No ${list.title.toLowerCase()} here.`));
    rows.refresh(list.size());
  }

  function choose(name) {
    shown = name;
    draw();
    showCurrent();
  }

  function showCurrent() {
    if (shown === "questions" && view.selected >= 0) rows.show(view.selected);
    if (shown === "sessions") rows.show(place);
  }

  function renderQuestion(number) {
    const question = view.head.questions[number];
    const verdicts = view.card.sides.map((run, side) => {
      const answer = question.answers.find((each) => each.run === run);
      return makeVerdict(answer ? VERDICT_NUMBERS[answer.verdict] : null, view.card.sides.length > 1 ? "AB"[side] : view.card.runs[run].name);
    });
    return h(
      "a",
      {
        class: number === view.selected ? "side-row current" : "side-row", href: link({ q: number, m: "", tab: "" }),
        "aria-current": number === view.selected ? "true" : null,
      },
      h("span", { class: "side-text", dir: "auto" }, question.text),
      h("span", { class: "side-meta" }, verdicts, h("span", { class: "side-meta-text" }, `${number + 1} · ${question.facets[0]}`)),
    );
  }

  function renderSession(number) {
    const [start, date, topic, title] = view.head.sessions[number];
    return h(
      "a",
      { class: number === place ? "side-row current" : "side-row", href: link({ m: start, tab: "" }) },
      h("span", { class: "side-text", dir: "auto" }, title),
      h("span", { class: "side-meta side-meta-text" }, [date ? formatDate(date) : `session ${number + 1}`, topic ? formatTopic(topic) : ""].filter(Boolean).join(" · ")),
    );
  }

  function renderMatch(number) {
    const { message, text } = matches[number];
    return h(
      "a",
      { class: "side-row", href: link({ m: message, tab: "" }) },
      h("span", { class: "side-text", dir: "auto" }, markWords(cutSnippet(text, view.words), view.words)),
      h("span", { class: "side-meta" }, `message ${message}`),
    );
  }

  return {
    element,
    draw,
    choose,
    get shown() {
      return shown;
    },
    setMatches(found) {
      matches = found;
    },
    // The session that is being read, for the list of sessions.
    setPlace(session) {
      if (session === place) return;
      place = session;
      if (shown === "sessions") {
        rows.refresh(view.head.sessions.length);
        rows.show(place);
      }
    },
    showCurrent,
  };
}
