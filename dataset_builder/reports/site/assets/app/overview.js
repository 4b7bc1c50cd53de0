// The first view: what the dataset holds, what it does not say, and its contexts.
"use strict";

function makeOverview(site) {
  const element = h("div", { class: "page overview" });

  async function update(route) {
    const number = readSplit(site, route);
    const split = site.splits[number];
    const data = await loadData(`s${number}/questions`);
    replaceChildren(
      element,
      h("h1", {}, site.title),
      h("p", { class: "lead" }, describeSite(site)),
      makeSplitTable(site, number),
      split.notes.length ? makeNotes(split) : null,
      h(
        "section",
        { class: "breakdowns", "aria-label": "Questions by kind" },
        split.facets.map((name, facet) => makeBreakdown(split, data, name, facet, number)),
      ),
      h("h2", {}, `Contexts of ${split.name}`),
      makeContextList(split, number),
    );
  }

  return { element, update, keys: {} };
}

function readSplit(site, route) {
  const number = Number(route.s || 0);
  return Number.isInteger(number) && number >= 0 && number < site.splits.length ? number : 0;
}

function describeSite(site) {
  const questions = site.splits.reduce((sum, split) => sum + split.questions, 0);
  const contexts = site.splits.reduce((sum, split) => sum + split.contexts.length, 0);
  return `${count(questions, "question")} over ${count(contexts, "context")}, in ${count(site.splits.length, "split")}.`;
}

function makeSplitTable(site, chosen) {
  const sum = (split, name) => split.contexts.reduce((all, context) => all + (context[name] || 0), 0);
  const rows = site.splits.map((split, number) =>
    h(
      "tr",
      { class: number === chosen ? "chosen" : null },
      h("th", { scope: "row" }, h("a", { href: formatRoute({ s: number }) }, split.name)),
      h("td", { class: "text" }, split.family),
      [split.questions, split.contexts.length, sum(split, "sessions"), sum(split, "messages"), sum(split, "tokens")]
        .map((value) => h("td", {}, value ? formatNumber(value) : "–")),
    ),
  );
  const head = ["split", "family", "questions", "contexts", "sessions", "messages", "tokens"];
  return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "Splits" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, head.map((name, place) => h("th", { scope: "col", class: place === 1 ? "text" : null }, name)))),
      h("tbody", {}, rows),
    ),
  );
}

function makeNotes(split) {
  return h(
    "section",
    { class: "notes" },
    h("h2", {}, "What this dataset does not say"),
    h("ul", {}, split.notes.map((note) => h("li", {}, note))),
  );
}

// Bars of how many questions have each value; each leads to those questions.
function makeBreakdown(split, data, name, facet, number) {
  const counts = data.values[facet].map(() => 0);
  for (const row of data.rows) counts[row[ROW.facets][facet]] += 1;
  if (counts.length < 2) return null;
  const most = Math.max(...counts);
  const options = sortOptions(
    data.values[facet].map((value, id) => ({ id, label: formatFacet(name, value) })),
  );
  return h(
    "figure",
    { class: "breakdown" },
    h("figcaption", {}, name),
    h(
      "ul",
      {},
      options.map((option) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: formatRoute({ view: "questions", s: number, [`f${facet}`]: option.id }) },
            h("span", { class: "bar-name" }, option.label),
            h("span", { class: "bar-track" }, h("span", { class: "bar-fill", style: `width:${(100 * counts[option.id]) / most}%` })),
            h("span", { class: "bar-count" }, formatNumber(counts[option.id])),
          ),
        ),
      ),
    ),
  );
}

function makeContextList(split, number) {
  return h(
    "ul",
    { class: "contexts" },
    split.contexts.map((context, place) =>
      h(
        "li",
        {},
        h(
          "a",
          { href: formatRoute({ view: "context", s: number, c: place }) },
          h("span", { class: "context-name" }, context.label),
          h(
            "span",
            { class: "context-dates" },
            context.first ? `${formatDate(context.first)} to ${formatDate(context.last)}` : "no dates",
          ),
          h(
            "span",
            { class: "context-counts" },
            `${count(context.questions, "question")} · ${count(context.sessions, "session")} · ${count(context.messages, "message")}`,
            context.tokens ? ` · ${formatNumber(context.tokens)} tokens` : "",
          ),
        ),
      ),
    ),
  );
}
