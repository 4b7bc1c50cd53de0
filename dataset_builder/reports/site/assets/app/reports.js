// Pages of tables: the audit of the dataset, and the report on results.
"use strict";

function makeReports(site) {
  const element = h("div", { class: "page reports" });

  async function update(route) {
    const number = Math.max(0, Math.min(site.pages.length - 1, Number(route.page) || 0));
    const page = site.pages[number];
    if (!page) {
      replaceChildren(element, h("h1", {}, "Reports"), h("p", {}, "This site has none. ",
        h("code", {}, "personamem page SOURCE --out DIR --results FOLDER --audit FILE"), " adds them."));
      return;
    }
    replaceChildren(
      element,
      site.pages.length > 1
        ? h("nav", { class: "page-links", "aria-label": "Reports" }, site.pages.map((each, place) =>
            h("a", { href: formatRoute({ view: "reports", page: place }), "aria-current": place === number ? "page" : null }, each.title)))
        : null,
      h("h1", {}, page.title),
      page.note ? h("p", { class: "lead" }, page.note) : null,
      page.tables.map(makeTextTable),
    );
  }

  return { element, update, keys: {} };
}

function makeTextTable({ title, head, rows, note }) {
  // Figures stand to the right, words to the left.
  const isText = head.map((_, column) => rows.some((row) => /[a-z]{2}/i.test(row[column] || "")));
  return h(
    "section",
    {},
    h("h2", {}, title),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": title },
      h("table", {},
        h("thead", {}, h("tr", {}, head.map((name, column) =>
          name ? h("th", { scope: "col", class: isText[column] ? "text" : null }, name) : h("td", {})))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, column) =>
          column ? h("td", { class: classifyCell(cell, isText[column]) }, cell)
            : h("th", { scope: "row" }, cell))))))),
    note ? h("p", { class: "soft" }, note) : null,
  );
}

function classifyCell(cell, isText) {
  if (cell === "failed") return "text fails";
  return isText ? "text" : null;
}
