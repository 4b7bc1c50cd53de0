// Runs: how models and memory systems did, two of them side by side.
"use strict";

function makeRuns(site) {
  const element = h("div", { class: "page runs" });

  async function update(route) {
    const number = readSplit(site, route);
    const split = site.splits[number];
    const data = await loadData(`s${number}/questions`);
    const runs = readRuns(route, split);
    if (!runs.length) {
      replaceChildren(
        element,
        h("h1", {}, "Runs"),
        h("p", {}, `No answers to questions of ${split.name}. Write the site with `,
          h("code", {}, "personamem page SOURCE --out DIR --samples FILE"),
          " to see what models and memory systems answered."),
      );
      return;
    }
    const by = Math.min(Number(route.by || 0), split.facets.length - 1);
    replaceChildren(
      element,
      h("h1", {}, runs.length > 1 ? "Two runs side by side" : "One run"),
      makeRunChoice(split, runs),
      makeScores(split, data, runs),
      runs.length > 1 ? makeOutcomes(data, runs, number, route) : null,
      makeScoreTable(split, data, runs, by),
      makeReasonTable(data, runs, "What wrong answers were", ROW.reasons),
      makeReasonTable(data, runs, "Why answers from a memory are wrong", ROW.causes),
      h("p", { class: "soft" }, "Intervals, p-values and curves: ", site.pages.length
        ? h("a", { href: formatRoute({ view: "reports" }) }, "Reports") : h("code", {}, "personamem report"), "."),
    );
  }

  return { element, update, keys: {} };
}

// Return how many rows a run answered and how many of these it got right.
function scoreRun(rows, run) {
  const answered = rows.filter((row) => row[ROW.verdicts][run] !== null);
  const right = answered.filter((row) => row[ROW.verdicts][run] === 2).length;
  return { answered: answered.length, right, share: right / answered.length };
}

function makeScores(split, data, runs) {
  return h(
    "div",
    { class: "scores" },
    runs.map((run, side) => {
      const score = scoreRun(data.rows, run);
      const { name, condition } = split.runs[run];
      return h(
        "div",
        { class: "score" },
        h("span", { class: "score-name" }, runs.length > 1 ? `${"AB"[side]} · ${name}` : name),
        h("span", { class: "score-share" }, formatShare(score.share)),
        h("span", { class: "score-counts" },
          `${formatNumber(score.right)} of ${formatNumber(score.answered)} right`,
          condition ? ` · condition ${condition}` : ""),
      );
    }),
  );
}

function makeOutcomes(data, [first, second], number, route) {
  const common = data.rows.filter((row) => row[ROW.verdicts][first] !== null && row[ROW.verdicts][second] !== null);
  const missing = data.rows.filter((row) => (row[ROW.verdicts][first] === null) !== (row[ROW.verdicts][second] === null));
  const isRight = (row, run) => row[ROW.verdicts][run] === 2;
  const cell = (label, a, b) => {
    const rows = common.filter((row) => isRight(row, first) === a && isRight(row, second) === b);
    const filters = { va: a ? "2" : "0.1", vb: b ? "2" : "0.1" };
    return h(
      "a",
      { class: "outcome", href: formatRoute({ ...keepFilters(route), view: "questions", s: number, a: first, b: second, find: "", ...filters }) },
      h("span", { class: "outcome-count" }, formatNumber(rows.length)),
      h("span", { class: "outcome-name" }, label),
    );
  };
  if (!common.length) {
    return h("p", { class: "notes" }, "These runs answered different questions: none of them can be compared.");
  }
  return h(
    "section",
    { "aria-label": "Outcomes" },
    h("div", { class: "outcomes" },
      cell("both right", true, true), cell("only A right", true, false),
      cell("only B right", false, true), cell("both wrong", false, false)),
    missing.length
      ? h("p", { class: "soft" }, `${count(missing.length, "question")} answered by one of the two only, left out here.`)
      : null,
  );
}

function makeScoreTable(split, data, runs, by) {
  const options = sortOptions(
    data.values[by].map((value, id) => ({ id, label: formatFacet(split.facets[by], value) })),
  );
  const select = h(
    "select",
    { "aria-label": "Group by", onchange: (event) => patchRoute({ by: event.target.value }, true) },
    split.facets.map((name, facet) => h("option", { value: facet, selected: facet === by }, name)),
  );
  const rows = options.map((option) => {
    const group = data.rows.filter((row) => row[ROW.facets][by] === option.id);
    const scores = runs.map((run) => scoreRun(group, run));
    const difference = scores.length > 1 ? scores[0].share - scores[1].share : NaN;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, option.label),
      scores.map((score) => h("td", {}, formatShare(score.share), h("small", {}, ` ${score.right}/${score.answered}`))),
      runs.length > 1 ? h("td", {}, formatDifference(difference)) : null,
    );
  });
  const head = ["", ...(runs.length > 1 ? ["A", "B", "A − B"] : ["right"])];
  return h(
    "section",
    {},
    h("h2", {}, "Right answers by ", select),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Right answers" },
      h("table", {},
        h("thead", {}, h("tr", {}, head.map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))))),
        h("tbody", {}, rows))),
  );
}

function formatDifference(value) {
  if (Number.isNaN(value)) return "–";
  const points = (100 * value).toFixed(1);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${points.replace("-", "")}`;
}

// What is said of wrong answers: a former choice, somebody else's; or never written, not found.
function makeReasonTable(data, runs, title, column) {
  const counts = runs.map((run) => {
    const found = new Map();
    for (const row of data.rows) {
      const reason = row[column][run];
      if (reason && row[ROW.verdicts][run] !== 2) found.set(reason, (found.get(reason) || 0) + 1);
    }
    return found;
  });
  const reasons = [...new Set(counts.flatMap((found) => [...found.keys()]))];
  if (!reasons.length) return null;
  reasons.sort((one, other) => (counts[0].get(other) || 0) - (counts[0].get(one) || 0));
  const head = ["", ...(runs.length > 1 ? ["A", "B"] : ["answers"])];
  return h(
    "section",
    {},
    h("h2", {}, title),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": title },
      h("table", {},
        h("thead", {}, h("tr", {}, head.map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))))),
        h("tbody", {}, reasons.map((reason) =>
          h("tr", {}, h("th", { scope: "row" }, reason),
            counts.map((found) => h("td", {}, formatNumber(found.get(reason) || 0)))))))),
  );
}
