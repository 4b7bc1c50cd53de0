// The messages of one part of a context, with session borders and the questions between them.
"use strict";

const TURN_ROLES = ["system", "user", "assistant", "document"];

// Fill the element of a part. `view` has: head, words, marks (message -> kind), selected, card.
function fillPart(element, part, view) {
  element.replaceChildren();
  part.turns.forEach((turn, offset) => {
    const index = part.start + offset;
    const session = view.sessionStarts.get(index);
    if (session !== undefined) element.append(makeBorder(view.head.sessions[session], session, view));
    element.append(makeTurn(turn, index, view));
    for (const number of view.questionsAt.get(index + 1) || []) {
      element.append(makeCard(view.head.questions[number], number, number === view.selected, view.card));
    }
  });
}

function makeBorder([, date, topic], number, view) {
  return h(
    "div",
    { class: "border", "data-session": number, role: "separator" },
    h("span", {}, [
      date ? formatDate(date) : "", topic ? formatTopic(topic) : "",
      `session ${formatNumber(number + 1)} of ${formatNumber(view.head.sessions.length)}`,
    ].filter(Boolean).join(" · ")),
  );
}

const MARK_NAMES = { evidence: "evidence", related: "mentions another option" };

function makeTurn([role, speaker, text], index, view) {
  const kind = TURN_ROLES[role];
  const mark = view.marks.get(index);
  const head = h(
    "header",
    {},
    h("span", { class: "who" }, speaker),
    h("span", { class: "number" }, String(index)),
    mark ? h("span", { class: "mark-name" }, MARK_NAMES[mark]) : null,
    mark && view.selected >= 0
      ? h("a", { class: "back", href: view.card.link({ m: "" }) }, `back to question ${view.selected + 1}`)
      : null,
  );
  const words = view.words.length && holdsAll(text, view.words) ? view.words : [];
  const body = h("div", { class: "text", dir: "auto" }, markWords(text, words));
  const classes = ["turn", kind, mark || "", words.length ? "hit" : ""].filter(Boolean).join(" ");
  const properties = { class: classes, "data-message": index };
  if (kind !== "system") return h("article", properties, head, body);
  return h(
    "details",
    { ...properties, open: words.length > 0 || Boolean(mark) },
    h("summary", {}, h("span", { class: "who" }, speaker), h("span", { class: "number" }, String(index)), h("span", { class: "system-line", dir: "auto" }, text.slice(0, 120))),
    body,
  );
}
