// All questions of a split: searched, filtered, listed; each leads to its place in its context.
"use strict";

function makeQuestions(site) {
  const panel = h("div", { class: "panel" });
  const head = h("div", { class: "list-head" });
  const list = h("div", { class: "list-body" });
  const element = h(
    "div",
    { class: "split-view" },
    h("aside", { class: "side", "aria-label": "Filters" }, panel),
    h("section", { class: "list", "aria-label": "Questions" }, h("h1", { class: "unseen" }, "Questions"), head, list),
  );
  let rows = null;
  let found = [];
  let active = -1;
  let context = {};

  async function update(route) {
    const number = readSplit(site, route);
    const split = site.splits[number];
    const data = await loadData(`s${number}/questions`);
    const words = splitWords(route.find || "");
    const filters = listFilters(split, data, route);
    found = data.rows.filter((row) => passes(row, filters, words));
    context = { route, number, split, values: data.values, words, runs: readRuns(route, split) };
    const scrolled = panel.scrollTop;
    // Whoever uses a keyboard stays where they are.
    const focused = document.activeElement && document.activeElement.dataset.filter;
    replaceChildren(panel, makeFilterDrawer(makeFilterPanel(filters, data.rows, words, route)));
    panel.scrollTop = scrolled;
    if (focused) panel.querySelector(`[data-filter="${focused}"]`)?.focus();
    replaceChildren(head, describeFound(data.rows.length), makeRunChoice(split, context.runs));
    active = -1;
    if (!rows) {
      rows = makeRows({ count: found.length, height: rowHeight(), render: renderRow, label: "Questions" });
      list.append(rows.element);
    }
    rows.refresh(found.length);
    announce(`${count(found.length, "question")} found`);
  }

  function describeFound(all) {
    const isPart = found.length < all;
    const text = isPart ? `${formatNumber(found.length)} of ${count(all, "question")}` : count(all, "question");
    return h("p", { class: "found", id: "found" }, found.length ? text : "No question has all of this. Clear a filter or the search.");
  }

  function linkTo(row) {
    return formatRoute({
      ...keepFilters(context.route),
      view: "context", s: context.number, c: row[ROW.context], q: row[ROW.number], find: "",
    });
  }

  function renderRow(place) {
    const row = found[place];
    const { split, values, words, runs } = context;
    const shown = split.facets.slice(0, 3)
      .map((name, facet) => formatFacet(name, values[facet][row[ROW.facets][facet]]))
      .filter((text) => text !== "none stated");
    return h(
      "a",
      { class: place === active ? "question-row active" : "question-row", href: linkTo(row) },
      h("span", { class: "question-text", dir: "auto" }, markWords(row[ROW.text], words)),
      h(
        "span",
        { class: "question-meta" },
        [split.contexts[row[ROW.context]].label, ...shown].join(" · "),
      ),
      runs.length
        ? h("span", { class: "question-verdicts" }, runs.map((run, side) =>
            makeVerdict(row[ROW.verdicts][run], runs.length > 1 ? "AB"[side] : split.runs[run].name)))
        : null,
    );
  }

  function move(step) {
    if (!found.length) return;
    active = Math.max(0, Math.min(found.length - 1, active + step));
    rows.show(active);
    rows.refresh(found.length);
    list.querySelector(".question-row.active")?.focus();
  }

  return {
    element,
    update,
    keys: { j: () => move(1), k: () => move(-1) },
    search: "Search questions",
  };
}

// On a phone the filters fold away.
function makeFilterDrawer(filters) {
  const isNarrow = matchMedia("(max-width: 800px)").matches;
  if (!isNarrow) return filters;
  return h("details", { class: "drawer" }, h("summary", {}, "Filters"), filters);
}

function rowHeight() {
  return matchMedia("(max-width: 800px)").matches ? 96 : 88;
}

function makeRunChoice(split, runs) {
  if (split.runs.length < 2) return null;
  const select = (side, name) =>
    h(
      "label",
      {},
      h("span", {}, name),
      h(
        "select",
        { "aria-label": `Run ${name}`, onchange: (event) => patchRoute({ [side]: event.target.value, va: "", vb: "", why: "", cause: "" }, true) },
        side === "b" ? h("option", { value: "-1", selected: runs.length < 2 }, "no other run") : null,
        split.runs.map((run, number) =>
          h("option", { value: number, selected: runs[side === "a" ? 0 : 1] === number }, run.name)),
      ),
    );
  return h("div", { class: "run-choice" }, select("a", "A"), select("b", "B"));
}
