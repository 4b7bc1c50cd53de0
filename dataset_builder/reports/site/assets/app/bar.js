// The bar at the top: where we are, the splits, the search, the theme, the help.
"use strict";

const SEARCH_DELAY = 180;

function makeBar(site, findView) {
  const bar = document.getElementById("bar");
  const links = h("nav", { class: "views", "aria-label": "Views" });
  const splits = h("span", { class: "split-choice" });
  const box = h("input", {
    id: "search", type: "search", autocomplete: "off", spellcheck: "false", "aria-label": "Search",
  });
  let timer = 0;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(applySearch, SEARCH_DELAY);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    clearTimeout(timer);
    if (readRoute().find === box.value.trim() && findView().submitSearch) findView().submitSearch();
    else applySearch();
  });

  function applySearch() {
    const route = readRoute();
    const find = box.value.trim();
    // From a view without a search of its own, the questions are searched.
    if (!findView().search) goTo({ ...keepFilters(route), view: "questions", find });
    else patchRoute({ find, m: "" }, true);
  }

  function update(route, view) {
    const kept = { ...keepFilters(route), find: "" };
    const number = readSplit(site, route);
    const link = (name, value) =>
      h("a", { href: formatRoute({ ...kept, s: route.s, view: value }), "aria-current": (route.view || "") === value ? "page" : null }, name);
    replaceChildren(links, link("Overview", ""), link("Questions", "questions"),
      site.splits[number].runs.length ? link("Runs", "runs") : null,
      site.pages.length ? link("Reports", "reports") : null);
    replaceChildren(
      splits,
      site.splits.length > 1
        ? h(
            "select",
            { "aria-label": "Split", onchange: (event) => goTo({ s: event.target.value, view: route.view === "context" ? "questions" : route.view }) },
            site.splits.map((split, place) => h("option", { value: place, selected: place === number }, split.name)),
          )
        : null,
    );
    box.placeholder = view.search || "Search questions";
    box.setAttribute("aria-label", box.placeholder);
    if (document.activeElement !== box) box.value = route.find || "";
  }

  replaceChildren(
    bar,
    h("a", { class: "home", href: "#", title: site.title }, site.title),
    splits,
    links,
    h("span", { class: "search" }, box, h("kbd", { "aria-hidden": "true" }, "/")),
    h("button", { id: "theme", class: "quiet icon", onclick: switchTheme }),
    h("button", { class: "quiet icon", "aria-label": "Keys and help", title: "Keys (?)", onclick: switchHelp }, "?"),
  );
  bar.hidden = false;
  applyTheme(readTheme());
  return { update };
}

function focusSearch() {
  const box = document.getElementById("search");
  box.focus();
  box.select();
}

function clearSearch() {
  const box = document.getElementById("search");
  box.value = "";
  patchRoute({ find: "" }, true);
}
