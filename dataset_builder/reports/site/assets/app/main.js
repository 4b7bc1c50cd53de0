// Starts the site: reads the index, and shows the view that the address names.
"use strict";

const MAKERS = {
  "": makeOverview, questions: makeQuestions, runs: makeRuns, reports: makeReports, context: makeContext,
};

function showFault(error) {
  const main = document.getElementById("main");
  main.querySelector(".fault")?.remove();
  main.prepend(h("p", { class: "fault", role: "alert" }, error.message));
}

async function start() {
  const main = document.getElementById("main");
  let site;
  try {
    site = await loadData("index");
  } catch (error) {
    showFault(error);
    return;
  }
  document.title = `${site.title} · personamem`;
  let view = null;
  let name = null;
  const bar = makeBar(site, () => view);
  makeHelp();
  listenForKeys(() => (view ? view.keys : {}));

  async function update() {
    const route = readRoute();
    const wanted = MAKERS[route.view || ""] ? route.view || "" : "";
    if (wanted !== name) {
      view?.close?.();
      name = wanted;
      view = MAKERS[wanted](site);
      main.replaceChildren(view.element);
      main.className = `view-${wanted || "overview"}`;
    }
    bar.update(route, view);
    try {
      await view.update(route);
    } catch (error) {
      showFault(error);
    }
  }

  window.addEventListener("hashchange", update);
  document.addEventListener("click", (event) => followLink(event, main));
  await update();
}

// A link to where we are leads there again, such as to the question that was scrolled out of view.
function followLink(event, main) {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  if (link.className === "skip") {
    event.preventDefault();
    main.focus();
  } else if (link.hash === location.hash) {
    window.dispatchEvent(new Event("hashchange"));
  }
}

start();
