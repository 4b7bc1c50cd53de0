// The facts of a context over time: when each held, was told, and was asked.
"use strict";

function makeFacts(view, link) {
  const element = h("div", { class: "page facts", tabindex: "0", role: "region", "aria-label": "Timeline" });
  const sessions = view.head.sessions;
  const dates = sessions.map((session) => session[1]).filter(Boolean);

  function draw(chosen) {
    const facts = view.head.facts;
    if (!facts.length) {
      replaceChildren(
        element,
        h("h2", {}, "Timeline"),
        h("p", { class: "notes" }, "This dataset has no annotations: it does not state what each question is about, when it was told, or when it held."),
      );
      return;
    }
    const scale = makeScale([...dates, ...facts.flatMap(listDates)]);
    replaceChildren(
      element,
      h("h2", {}, "Timeline"),
      h("ul", { class: "legend" },
        h("li", {}, h("span", { class: "key held" }), "the user’s own"),
        h("li", {}, h("span", { class: "key other" }), "something else, as it says"),
        h("li", {}, h("span", { class: "key told" }), "told in a message"),
        h("li", {}, h("span", { class: "key asked" }), "asked")),
      facts.map((fact) => makeFact(fact, scale, fact.fact_id === chosen)),
    );
    element.querySelector(".fact.chosen")?.scrollIntoView({ block: "start" });
  }

  function makeFact(fact, scale, isChosen) {
    return h(
      "section",
      { class: isChosen ? "fact chosen" : "fact" },
      h("h3", { dir: "auto" }, fact.title),
      h("p", { class: "soft" }, [formatTopic(fact.topic), fact.note].filter(Boolean).join(" · ")),
      h("div", { class: "lanes" }, fact.lanes.map((lane) => makeLane(lane, scale)), makeAxis(scale)),
      makeEvents(fact),
    );
  }

  function makeLane(lane, scale) {
    return h(
      "div",
      { class: "lane" },
      h("span", { class: "lane-name", dir: "auto" }, lane.label),
      h(
        "div",
        { class: "track" },
        lane.spans.map((span) => {
          const left = scale.place(span.start);
          const width = Math.max(0.5, scale.place(span.end) - left);
          return h(
            "span",
            { class: span.is_held ? "span held" : "span", style: `left:${left}%;width:${width}%`, title: describeSpan(span) },
            h("span", { class: "span-name" }, span.is_held ? "" : span.state),
          );
        }),
        lane.marks.map((mark) =>
          h("a", {
            class: `mark ${mark.kind}`, href: linkMark(mark), style: `left:${scale.place(mark.date)}%`,
            title: describeMark(mark), "aria-label": describeMark(mark),
          })),
      ),
    );
  }

  function makeEvents(fact) {
    const events = fact.lanes.flatMap((lane) => lane.marks.map((mark) => ({ lane, mark })));
    events.sort((one, other) => (one.mark.date < other.mark.date ? -1 : one.mark.date > other.mark.date ? 1 : 0));
    if (!events.length) return h("p", { class: "soft" }, "Nothing is told of it.");
    return h(
      "details",
      { class: "events" },
      h("summary", {}, count(events.length, "event")),
      h("ol", {}, events.map(({ lane, mark }) =>
        h("li", {},
          h("span", { class: "event-date" }, formatDate(mark.date)), " ",
          h("a", { href: linkMark(mark) }, mark.kind === "asked" ? `asked: ${mark.text}` : `told: ${mark.text}`),
          h("span", { class: "soft", dir: "auto" }, ` · ${lane.label}`)))),
    );
  }

  function linkMark(mark) {
    if (mark.kind === "told") return link({ tab: "", m: mark.target });
    const number = view.head.questions.findIndex((question) => question.question_id === mark.target);
    return link({ tab: "", m: "", q: number });
  }

  return { element, draw };
}

function listDates(fact) {
  return fact.lanes.flatMap((lane) => [
    ...lane.spans.flatMap((span) => [span.start, span.end]), ...lane.marks.map((mark) => mark.date),
  ]);
}

function describeSpan(span) {
  const state = span.is_held ? "the user’s own" : span.state;
  return `${formatDate(span.start)} to ${formatDate(span.end)}: ${state}`;
}

function describeMark(mark) {
  const place = mark.kind === "told" ? `, message ${mark.target}` : "";
  return `${formatDate(mark.date)}, ${mark.kind}: ${mark.text}${place}`;
}

// Places on the time line in percent of its width.
function makeScale(dates) {
  const times = dates.map((date) => Date.parse(date)).filter((time) => !Number.isNaN(time));
  const first = Math.min(...(times.length ? times : [0]));
  const last = Math.max(first, ...times);
  const reach = Math.max(1, last - first);
  return {
    first: new Date(first).toISOString().slice(0, 10),
    last: new Date(last).toISOString().slice(0, 10),
    place(date) {
      const time = Date.parse(date);
      return Number.isNaN(time) ? 0 : Number(((100 * (time - first)) / reach).toFixed(3));
    },
  };
}

function makeAxis(scale) {
  return h("div", { class: "lane axis" }, h("span", { class: "lane-name" }),
    h("div", { class: "axis-ends" }, h("span", {}, formatDate(scale.first)), h("span", {}, formatDate(scale.last))));
}
