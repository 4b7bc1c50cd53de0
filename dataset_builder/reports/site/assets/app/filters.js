// Filters of questions: by facets of the dataset, and by how runs did.
"use strict";

const ROW = { id: 0, text: 1, context: 2, number: 3, facets: 4, verdicts: 5, reasons: 6, causes: 7 };

// The two runs that a route compares; the second may be absent.
function readRuns(route, split) {
  if (!split.runs.length) return [];
  const known = (value) => Number.isInteger(value) && value >= 0 && value < split.runs.length;
  const first = known(Number(route.a || 0)) ? Number(route.a || 0) : 0;
  const second = route.b === undefined ? (split.runs.length > 1 ? 1 - Math.min(first, 1) : -1)
    : Number(route.b);
  return known(second) && second !== first ? [first, second] : [first];
}

// Return the filters of a split: a key of the route, a title, values, and the value of a row.
function listFilters(split, data, route) {
  const filters = split.facets.map((name, facet) => ({
    key: `f${facet}`,
    title: name,
    options: sortOptions(
      data.values[facet].map((value, id) => ({ id: String(id), label: formatFacet(name, value) })),
    ),
    valueOf: (row) => String(row[ROW.facets][facet]),
  }));
  const runs = readRuns(route, split);
  runs.forEach((run, place) => {
    filters.push({
      key: place ? "vb" : "va",
      title: `${runs.length > 1 ? (place ? "B: " : "A: ") : ""}${split.runs[run].name}`,
      options: [
        { id: "2", label: "right" },
        { id: "1", label: "partly right" },
        { id: "0", label: "wrong" },
        { id: "n", label: "not answered" },
      ],
      valueOf: (row) => (row[ROW.verdicts][run] === null ? "n" : String(row[ROW.verdicts][run])),
    });
  });
  if (runs.length) {
    const many = runs.length > 1;
    filters.push(makeTextFilter("why", many ? "A chose wrongly" : "chosen wrongly", ROW.reasons, data, runs[0]));
    filters.push(makeTextFilter("cause", many ? "A, by its memory" : "by the memory", ROW.causes, data, runs[0]));
  }
  for (const filter of filters) {
    filter.chosen = new Set((route[filter.key] || "").split(".").filter(Boolean));
    const values = new Set(data.rows.map(filter.valueOf));
    filter.options = filter.options.filter((option) => values.has(option.id));
  }
  return filters.filter((filter) => filter.options.length > 1 || filter.chosen.size);
}

// Return a filter by what is said of wrong answers of a run; `column` is a place in a row.
function makeTextFilter(key, title, column, data, run) {
  const texts = [...new Set(data.rows.map((row) => row[column][run]))];
  return {
    key,
    title,
    options: sortOptions(texts.map((text, id) => ({ id: String(id), label: text || "nothing wrong" }))),
    valueOf: (row) => String(texts.indexOf(row[column][run])),
  };
}

function sortOptions(options) {
  const order = new Intl.Collator("en", { numeric: true });
  return options.sort((one, other) => order.compare(sortKey(one), sortKey(other)));
}

// "under 1k" comes before "1k to 4k".
function sortKey(option) {
  return option.label.startsWith("under ") ? ` ${option.label}` : option.label;
}

function passes(row, filters, words, but) {
  for (const filter of filters) {
    if (filter !== but && filter.chosen.size && !filter.chosen.has(filter.valueOf(row))) {
      return false;
    }
  }
  return !words.length || holdsAll(row[ROW.text], words) || words.includes(lower(row[ROW.id]));
}

// Return the panel of filters, with how many questions each value would leave.
function makeFilterPanel(filters, rows, words, route) {
  const groups = filters.map((filter) => {
    const counts = new Map();
    for (const row of rows) {
      if (!passes(row, filters, words, filter)) continue;
      const value = filter.valueOf(row);
      counts.set(value, (counts.get(value) || 0) + 1);
    }
    const boxes = filter.options.map((option) => {
      const number = counts.get(option.id) || 0;
      const box = h("input", { type: "checkbox", checked: filter.chosen.has(option.id) });
      box.dataset.filter = `${filter.key}:${option.id}`;
      box.addEventListener("change", () => {
        if (box.checked) filter.chosen.add(option.id);
        else filter.chosen.delete(option.id);
        patchRoute({ [filter.key]: [...filter.chosen].join(".") }, true);
      });
      return h(
        "label",
        { class: number ? "choice" : "choice empty" },
        box,
        h("span", { class: "choice-name" }, option.label),
        h("span", { class: "choice-count" }, formatNumber(number)),
      );
    });
    const isOpen = filter.chosen.size > 0 || filter.options.length <= 12;
    return h(
      "details",
      { class: "filter", open: isOpen },
      h("summary", {}, filter.title, filter.chosen.size ? h("b", {}, ` · ${filter.chosen.size}`) : null),
      boxes,
    );
  });
  const isFiltered = filters.some((filter) => filter.chosen.size);
  const clear = Object.fromEntries(filters.map((filter) => [filter.key, ""]));
  return h(
    "div",
    { class: "filters" },
    h(
      "div",
      { class: "filters-head" },
      h("h2", {}, "Filters"),
      isFiltered
        ? h("button", { class: "quiet", onclick: () => patchRoute(clear, true) }, "Clear")
        : null,
    ),
    groups,
    route.s === undefined && !groups.length ? h("p", { class: "soft" }, "Nothing to filter by.") : null,
  );
}
