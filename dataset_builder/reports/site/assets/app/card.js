// A question at its place in the chat: folded to a line, or open with options, gold and answers.
"use strict";

// `view` has: total, runs (names), sides (numbers of compared runs), link(changes), dateOf(message).
function makeCard(question, number, isOpen, view) {
  const label = `Question ${number + 1} of ${view.total}`;
  if (!isOpen) {
    return h(
      "div",
      { class: "card folded", "data-question": number },
      h(
        "a",
        { href: view.link({ q: number, m: "" }) },
        h("span", { class: "card-label" }, label),
        h("span", { class: "card-line", dir: "auto" }, question.text),
      ),
    );
  }
  return h(
    "section",
    { class: "card open", "data-question": number, "aria-label": label },
    h(
      "header",
      {},
      h("h2", { class: "card-label" }, label),
      question.asked_on ? h("span", {}, `asked on ${formatDate(question.asked_on)}`) : null,
      h("span", {}, `after ${count(question.place, "message")}`),
      h("a", { class: "card-close", href: view.link({ q: "", m: Math.max(0, question.place - 1) }), "aria-label": "Fold the question" }, "×"),
    ),
    h("p", { class: "card-text", dir: "auto" }, question.text),
    h("ul", { class: "tags", "aria-label": "Kind" }, listTags(question, view).map((tag) => h("li", {}, tag))),
    question.options.length ? makeOptions(question, view) : makeGold(question, view),
    makeProofs(question, view),
    makeAnswers(question, view),
    makeDetails(question, view),
  );
}

function listTags(question, view) {
  return question.facets
    .map((value, facet) => {
      if (!value) return "";
      const name = view.facets[facet];
      return facet < 3 ? formatFacet(name, value) : `${name}: ${value}`;
    })
    .filter(Boolean);
}

function makeOptions(question, view) {
  return h(
    "ol",
    { class: "options" },
    question.options.map((option, place) => {
      const chosen = question.answers.filter((answer) => answer.chosen === place);
      return h(
        "li",
        { class: option.is_gold ? "option gold" : "option" },
        h("span", { class: "option-letter" }, LETTERS[place]),
        h(
          "div",
          {},
          h("p", { dir: "auto" }, option.text),
          h(
            "p",
            { class: "option-notes" },
            option.is_gold ? h("b", {}, "✓ gold") : null,
            option.role ? h("span", { class: "role" }, option.role.replaceAll("_", " ")) : null,
            chosen.map((answer) =>
              h("span", { class: `chosen v${VERDICT_NUMBERS[answer.verdict]}` }, `chosen by ${view.runs[answer.run].name}`)),
          ),
        ),
      );
    }),
  );
}

const VERDICT_NUMBERS = { wrong: 0, partly: 1, right: 2 };

function makeGold(question, view) {
  return h(
    "div",
    { class: "gold-values" },
    h("h3", {}, "Answer"),
    h("ul", {}, question.gold.map((value) => h("li", { dir: "auto" }, value))),
  );
}

const MOST_LINKS = 12;

function makeProofs(question, view) {
  const links = (messages, kind) => {
    const make = (message) =>
      h(
        "a",
        { class: `jump ${kind}`, href: view.link({ m: message }), "data-message": message },
        view.dateOf(message) ? `${formatShortDate(view.dateOf(message))} · ` : "",
        `message ${message}`,
      );
    const rest = messages.slice(MOST_LINKS);
    return [
      messages.slice(0, MOST_LINKS).map(make),
      rest.length ? h("details", { class: "more" }, h("summary", {}, `${rest.length} more`), rest.map(make)) : null,
    ];
  };
  const blocks = question.proofs.map((proof) =>
    h("div", { class: "jumps" }, h("h3", {}, proof.value ? `Evidence for “${proof.value}”` : "Evidence"), links(proof.messages, "evidence")),
  );
  if (question.related.length) {
    blocks.push(h("div", { class: "jumps" }, h("h3", {}, "Mentions of other options"), links(question.related, "related")));
  }
  const fact = view.factOf(question);
  if (fact) {
    blocks.push(h("p", {}, h("a", { href: view.link({ tab: "facts", fact, m: "" }) }, "Timeline of this fact")));
  }
  return blocks;
}

function makeAnswers(question, view) {
  if (!view.runs.length) return null;
  const shown = view.sides.length ? view.sides : view.runs.map((_, run) => run);
  return h(
    "div",
    { class: "answers" },
    shown.map((run, side) => {
      const answer = question.answers.find((each) => each.run === run);
      const name = shown.length > 1 ? `${"AB"[side]} · ${view.runs[run].name}` : view.runs[run].name;
      return h(
        "div",
        { class: "answer" },
        h("h3", {}, name),
        answer ? describeAnswer(question, answer) : h("p", { class: "soft" }, "Not answered."),
      );
    }),
  );
}

function describeAnswer(question, answer) {
  const verdict = VERDICT_NUMBERS[answer.verdict];
  const parts = [makeVerdict(verdict, "answer"), h("b", {}, VERDICTS[verdict].name)];
  if (answer.chosen !== null) parts.push(` · chose (${LETTERS[answer.chosen]})`);
  if (answer.why && answer.verdict !== "right") parts.push(` · ${answer.why}`);
  if (answer.cause) parts.push(` · memory: ${answer.cause}`);
  for (const [name, value] of Object.entries(answer.scores || {})) {
    parts.push(` · ${name} ${value.toFixed(2)}`);
  }
  return [
    h("p", { class: "answer-verdict" }, parts),
    h("p", { class: "answer-text", dir: "auto", tabindex: "0" }, answer.text || "(an empty text)"),
  ];
}

function makeDetails(question, view) {
  const rows = [...question.details, ["question", question.question_id]];
  return h(
    "details",
    { class: "card-details" },
    h("summary", {}, "Details"),
    h("dl", {}, rows.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)])),
  );
}
