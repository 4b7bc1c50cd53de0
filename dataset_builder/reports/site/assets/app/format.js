// Figures, dates and names as people read them.
"use strict";

const MONTHS = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September",
  "October", "November", "December",
];
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

function formatNumber(value) {
  return value.toLocaleString("en");
}

function formatShare(value) {
  return Number.isNaN(value) ? "–" : `${(100 * value).toFixed(1)} %`;
}

function count(number, one, many) {
  return `${formatNumber(number)} ${number === 1 ? one : many || `${one}s`}`;
}

// "2024-03-12" is "12 March 2024"; what is no date stays as it is.
function formatDate(date) {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  return found ? `${Number(found[3])} ${MONTHS[Number(found[2]) - 1]} ${found[1]}` : date;
}

function formatShortDate(date) {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  return found ? `${Number(found[3])} ${MONTHS[Number(found[2]) - 1].slice(0, 3)} ${found[1]}` : date;
}

// "musicRecommendation" is "music recommendation".
function formatTopic(topic) {
  if (!/^[a-z]+([A-Z][a-z]*)+$/.test(topic)) return topic;
  return topic.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

function formatFacet(name, value) {
  if (value === "") return "none stated";
  return name === "topic" ? formatTopic(value) : value;
}

const VERDICTS = [
  { name: "wrong", sign: "✗" },
  { name: "partly right", sign: "◐" },
  { name: "right", sign: "✓" },
];

function makeVerdict(verdict, label) {
  if (verdict === null || verdict === undefined) {
    return h("span", { class: "verdict none", title: `${label}: no answer` }, "–");
  }
  const { name, sign } = VERDICTS[verdict];
  return h(
    "span",
    { class: `verdict v${verdict}`, title: `${label}: ${name}` },
    h("span", { "aria-hidden": "true" }, sign),
    h("span", { class: "unseen" }, `${label}: ${name}`),
  );
}
