// One context: its chat with the questions at their places, lists beside it, and its timeline.
"use strict";

function makeContext(site) {
  const element = h("div", { class: "context-view" });
  let current = null;

  async function update(route) {
    const number = readSplit(site, route);
    const split = site.splits[number];
    const place = Math.max(0, Math.min(split.contexts.length - 1, Number(route.c || 0)));
    const name = `s${number}/c${place}`;
    if (!current || current.name !== name) {
      current?.close();
      keepContext(name);
      const head = await loadData(name);
      current = openContext({ element, name, head, split, number, place });
    }
    await current.show(route);
  }

  const call = (method, ...values) => () => current && current[method](...values);
  return {
    element,
    update,
    close: () => current?.close(),
    search: "Search this conversation",
    submitSearch: call("moveMatch", 1),
    keys: {
      j: call("moveQuestion", 1), k: call("moveQuestion", -1), e: call("nextEvidence"),
      b: call("backToQuestion"), n: call("moveMatch", 1), p: call("moveMatch", -1),
      "]": call("moveSession", 1), "[": call("moveSession", -1), t: call("switchTab"),
      l: call("switchLists"),
    },
  };
}

function openContext({ element, name, head, split, number, place }) {
  const description = split.contexts[place];
  const link = (changes) => formatRoute({ ...readRoute(), ...changes });
  const view = makeView(head, split, link);
  let last = {};
  let matches = [];
  let match = -1;
  let evidence = -1;
  let message = 0;
  let search = 0;

  const chat = makeChat(name, view, (first) => {
    message = first;
    minimap.move(first);
    const session = sessionOf(head.sessions, first);
    sidebar.setPlace(session);
    tellSession(session);
  });
  const minimap = makeMinimap(description.messages, (picked) => patchRoute({ m: picked, tab: "" }));
  const sidebar = makeSidebar(view, link);
  const facts = makeFacts(view, link);
  const where = h("p", { class: "where" });
  const head2 = h("div", { class: "context-head" });
  const pane = h("div", { class: "pane" });
  replaceChildren(element, head2, sidebar.element, pane);

  function tellSession(session) {
    const [, date, topic] = head.sessions[session] || [0, "", ""];
    replaceChildren(where, [
      date ? formatDate(date) : "", topic ? formatTopic(topic) : "", `session ${formatNumber(session + 1)} of ${formatNumber(head.sessions.length)}`,
    ].filter(Boolean).join(" · "));
  }

  function drawHead(route) {
    const isFacts = route.tab === "facts";
    const tab = (title, value) =>
      h("a", { class: "tab", href: link({ tab: value, m: "" }), "aria-current": (value === "facts") === isFacts ? "page" : null }, title);
    replaceChildren(
      head2,
      h("button", { class: "quiet lists-button", "aria-expanded": String(element.classList.contains("with-lists")), onclick: switchLists }, "Lists"),
      h("h1", {}, description.label),
      h("nav", { class: "tab-links", "aria-label": "Views of the context" }, tab("Chat", ""), tab("Timeline", "facts")),
      isFacts ? null : where,
      h("span", { class: "steps" },
        h("button", { class: "quiet", title: "Previous question (k)", "aria-label": "Previous question", onclick: () => moveQuestion(-1) }, "↑"),
        h("button", { class: "quiet", title: "Next question (j)", "aria-label": "Next question", onclick: () => moveQuestion(1) }, "↓")),
    );
  }

  async function show(route) {
    const changed = (key) => (route[key] || "") !== (last[key] || "");
    const first = last.c === undefined;
    const isNew = first || ["q", "find", "a", "b"].some(changed);
    const before = last;
    last = route;
    setSelected(route);
    view.words = splitWords(route.find || "");
    view.card.sides = readRuns(route, split);
    if (changedFrom(before, route, "q")) evidence = -1;
    drawHead(route);
    if (first || changedFrom(before, route, "find")) startSearch();
    if (isNew) sidebar.draw();
    sidebar.showCurrent();
    element.classList.remove("with-lists");
    if (route.tab === "facts") {
      if (pane.firstChild !== facts.element) replaceChildren(pane, facts.element);
      facts.draw(route.fact);
      return;
    }
    const returns = pane.firstChild !== chat.element;
    if (returns) replaceChildren(pane, chat.element, minimap.element);
    if (isNew && !returns) chat.refresh();
    else if (returns) {
      chat.layOut();
      if (isNew) chat.refresh();
    }
    const onlySearch = !first && !returns && changedFrom(before, route, "find");
    if (route.m !== undefined) await chat.showMessage(Number(route.m));
    else if (view.selected >= 0 && !onlySearch) await chat.showQuestion(view.selected);
    else if (returns && !first) await chat.showMessage(message);
  }

  function setSelected(route) {
    const wanted = route.q === undefined ? -1 : Number(route.q);
    view.selected = Number.isInteger(wanted) && wanted >= 0 && wanted < head.questions.length ? wanted : -1;
    view.marks = new Map();
    const question = head.questions[view.selected];
    for (const index of question?.related || []) view.marks.set(index, "related");
    for (const proof of question?.proofs || []) for (const index of proof.messages) view.marks.set(index, "evidence");
    minimap.mark([
      ...head.questions.map((each) => [each.place, "question"]),
      ...[...view.marks].map(([index, kind]) => [index, kind]),
      ...(question ? [[question.place, "selected"]] : []),
    ]);
  }

  async function startSearch() {
    const turn = (search += 1);
    matches = [];
    match = -1;
    sidebar.setMatches(matches);
    if (!view.words.length) {
      if (sidebar.shown === "matches") sidebar.choose("questions");
      return;
    }
    sidebar.choose("matches");
    try {
      for await (const { found, done } of findMessages(name, head, view.words)) {
        if (turn !== search) return;
        matches = found;
        sidebar.setMatches(matches);
        announce(done < 1 ? `${count(matches.length, "match", "matches")} so far` : count(matches.length, "match", "matches"));
      }
    } catch (error) {
      showFault(error);
      return;
    }
    if (turn === search) sidebar.draw();
  }

  function moveQuestion(step) {
    if (!head.questions.length) return;
    const next = view.selected < 0 ? (step > 0 ? 0 : head.questions.length - 1) : view.selected + step;
    if (next >= 0 && next < head.questions.length) patchRoute({ q: next, m: "", tab: "" });
  }

  function nextEvidence() {
    const places = [...view.marks].filter(([, kind]) => kind === "evidence").map(([index]) => index).sort((a, b) => a - b);
    if (!places.length) {
      announce("No evidence is stated.");
      return;
    }
    evidence = (evidence + 1) % places.length;
    patchRoute({ m: places[evidence], tab: "" });
  }

  function moveMatch(step) {
    if (!matches.length) return;
    match = (match + step + matches.length) % matches.length;
    patchRoute({ m: matches[match].message, tab: "" });
  }

  function moveSession(step) {
    const next = sessionOf(head.sessions, message) + step;
    if (next >= 0 && next < head.sessions.length) patchRoute({ m: head.sessions[next][0], tab: "" }, true);
  }

  function switchLists() {
    const isOpen = element.classList.toggle("with-lists");
    head2.querySelector(".lists-button").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) sidebar.choose(sidebar.shown);
  }

  return {
    name, show, moveQuestion, nextEvidence, moveMatch, moveSession, switchLists,
    backToQuestion: () => view.selected >= 0 && patchRoute({ m: "", tab: "" }),
    switchTab: () => patchRoute({ tab: last.tab === "facts" ? "" : "facts", m: "" }),
    close: () => chat.close(),
  };
}

function changedFrom(before, route, key) {
  return (before[key] || "") !== (route[key] || "");
}

// What the chat, the lists and the timeline of a context share.
function makeView(head, split, link) {
  const questionsAt = new Map();
  head.questions.forEach((question, number) => {
    const numbers = questionsAt.get(question.place) || [];
    questionsAt.set(question.place, [...numbers, number]);
  });
  const factIds = new Set(head.facts.map((fact) => fact.fact_id));
  return {
    head,
    selected: -1,
    words: [],
    marks: new Map(),
    questionsAt,
    sessionStarts: new Map(head.sessions.map((session, number) => [session[0], number])),
    card: {
      total: head.questions.length,
      facets: split.facets,
      runs: split.runs,
      sides: [],
      link,
      dateOf: (message) => (head.sessions[sessionOf(head.sessions, message)] || [0, ""])[1],
      factOf(question) {
        const stated = question.details.find(([name]) => name === "fact");
        return [stated && stated[1], question.question_id].find((id) => factIds.has(id)) || "";
      },
    },
  };
}

// Return the number of the session that holds a message.
function sessionOf(sessions, message) {
  let low = 0;
  let high = sessions.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sessions[middle][0] <= message) low = middle;
    else high = middle - 1;
  }
  return low;
}
