// Making elements. Texts of a dataset become text nodes, never markup.
"use strict";

// Return an element; a child is a node, a text, or null. A property that starts with "on" listens.
function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : showControls(String(value)));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : showControls(String(child)));
  }
  return element;
}

// Control characters, and those that turn the direction of writing around, are shown as escapes, as
// in the terminal: a text may not hide or reorder what is beside it.
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

function showControls(text) {
  return text.replaceAll("\r\n", "\n").replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
  });
}

function replaceChildren(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

// Return the nodes of a text in which each word of a search is marked.
function markWords(text, words) {
  if (!words.length) return [text];
  const lowered = lower(text);
  const nodes = [];
  let done = 0;
  for (;;) {
    let found = -1;
    let length = 0;
    for (const word of words) {
      const place = lowered.indexOf(word, done);
      if (place >= 0 && (found < 0 || place < found || (place === found && word.length > length))) {
        found = place;
        length = word.length;
      }
    }
    if (found < 0) break;
    nodes.push(text.slice(done, found), h("mark", {}, text.slice(found, found + length)));
    done = found + length;
  }
  nodes.push(text.slice(done));
  return nodes;
}

// Lower case without a change of length, so that places in both texts agree.
function lower(text) {
  const lowered = text.toLowerCase();
  if (lowered.length === text.length) return lowered;
  return Array.from(text, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  }).join("");
}

// Return what a search looks for: the text in quotes as one, or else its words.
function splitWords(query) {
  const words = [];
  for (const [, quoted, plain] of query.matchAll(/"([^"]+)"|(\S+)/g)) {
    words.push(lower(quoted || plain));
  }
  return words;
}

function holdsAll(text, words) {
  const lowered = lower(text);
  return words.every((word) => lowered.includes(word));
}

function announce(text) {
  document.getElementById("status").textContent = text;
}
