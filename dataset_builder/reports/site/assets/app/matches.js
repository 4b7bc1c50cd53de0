// Searching the messages of a context: its parts are loaded one after the other and looked through.
"use strict";

const PARTS_AT_ONCE = 32;

// Yield what is found so far: the numbers of messages that hold all words, and how much was read.
async function* findMessages(name, head, words) {
  const found = [];
  for (let first = 0; first < head.parts.length; first += PARTS_AT_ONCE) {
    const numbers = head.parts.slice(first, first + PARTS_AT_ONCE).map((_, offset) => first + offset);
    const loaded = await Promise.all(numbers.map((number) => loadData(`${name}-p${number}`)));
    loaded.forEach((turns, offset) => {
      const start = head.parts[numbers[offset]][0];
      turns.forEach(([, , text], place) => {
        if (holdsAll(text, words)) found.push({ message: start + place, text });
      });
    });
    yield { found, done: Math.min(1, (first + PARTS_AT_ONCE) / head.parts.length) };
  }
}

// Return the words around the first match, for a line of a list.
function cutSnippet(text, words) {
  const place = Math.max(0, lower(text).indexOf(words[0]));
  const start = Math.max(0, place - 30);
  return `${start ? "…" : ""}${text.slice(start, start + 140).replace(/\s+/g, " ")}`;
}
