// A context as a chat to scroll. Only the parts in view, and a screen before and after them, are in
// the page; heights of the others are estimates until they were seen once.
"use strict";

const LINE_LETTERS = 78;
const LINE_HEIGHT = 26;
const TURN_HEIGHT = 46;
const CARD_HEIGHT = 52;
const TOP_MARGIN = 72;
const MOST_ROUNDS = 5;

// `view` is what fillPart takes; `name` is that of the context's data; `onmove` is told the first
// message in view.
function makeChat(name, view, onmove) {
  const before = h("div", { class: "spacer" });
  const body = h("div", { class: "chat-body" });
  const after = h("div", { class: "spacer" });
  const element = h("div", { class: "chat", tabindex: "0", role: "region", "aria-label": "Conversation" }, before, body, after);
  const parts = view.head.parts.map(([start, messages, letters], number) => ({
    number, start, messages, element: null, turns: null, isFilled: false,
    height: (letters / LINE_LETTERS) * LINE_HEIGHT + messages * TURN_HEIGHT + countCards(start, messages) * CARD_HEIGHT,
  }));
  const observer = new ResizeObserver(() => layOut());
  let frame = 0;
  let jump = 0;

  function countCards(start, messages) {
    let cards = 0;
    for (const [place, numbers] of view.questionsAt) {
      if (place > start && place <= start + messages) cards += numbers.length;
    }
    return cards;
  }

  function partOf(message) {
    return parts.find((part) => message < part.start + part.messages) || parts[parts.length - 1];
  }

  function topOf(part) {
    let top = 0;
    for (let number = 0; number < part.number; number += 1) top += parts[number].height;
    return top;
  }

  // Put the parts in view into the page, take the others out, and keep what is read where it is.
  function layOut(keep = true) {
    frame = 0;
    if (!element.isConnected || !element.clientHeight) return;
    const anchor = keep ? findAnchor() : null;
    // Parts that are filled get other heights, so that others may come into view or leave it.
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      measure();
      const isChanged = arrange(listNear());
      measure();
      setSpacers();
      if (anchor && anchor.node.isConnected) {
        const moved = topInView(anchor.node) - anchor.top;
        if (Math.abs(moved) > 0.5) element.scrollTop += moved;
      }
      if (!isChanged) break;
    }
    tellPlace();
  }

  // Return the parts in view, and those a screen before and after.
  function listNear() {
    const screen = element.clientHeight;
    const from = element.scrollTop - screen;
    const to = element.scrollTop + 2 * screen;
    let top = 0;
    const near = new Set();
    for (const part of parts) {
      if (top + part.height >= from && top <= to) near.add(part);
      top += part.height;
    }
    return near;
  }

  function arrange(near) {
    let isChanged = false;
    let place = body.firstChild;
    for (const part of parts) {
      if (!near.has(part)) {
        if (!part.element) continue;
        if (place === part.element) place = part.element.nextSibling;
        unmount(part);
        isChanged = true;
        continue;
      }
      if (!part.element) {
        mount(part, place);
        isChanged = true;
      }
      if (!part.isFilled) isChanged = fill(part) || isChanged;
      place = part.element.nextSibling;
    }
    return isChanged;
  }

  function setSpacers() {
    const first = parts.findIndex((part) => part.element);
    const last = parts.findLastIndex((part) => part.element);
    const sum = (some) => some.reduce((all, part) => all + part.height, 0);
    before.style.height = `${sum(parts.slice(0, Math.max(0, first)))}px`;
    after.style.height = `${sum(parts.slice(last + 1))}px`;
  }

  function measure() {
    for (const part of parts) {
      if (part.isFilled) part.height = part.element.offsetHeight;
    }
  }

  function mount(part, place) {
    part.element = h("div", { class: "part" });
    body.insertBefore(part.element, place);
    part.element.style.height = `${part.height}px`;
    observer.observe(part.element);
  }

  // Fill an empty part, now or when its messages have come; return whether it is filled.
  function fill(part) {
    if (!part.turns) {
      load(part);
      return false;
    }
    part.element.style.height = "";
    fillPart(part.element, part, view);
    part.isFilled = true;
    return true;
  }

  function unmount(part) {
    observer.unobserve(part.element);
    part.element.remove();
    part.element = null;
    part.isFilled = false;
  }

  async function load(part) {
    try {
      part.turns = await loadData(`${name}-p${part.number}`);
    } catch (error) {
      showFault(error);
      return;
    }
    layOut();
  }

  function topInView(node) {
    return node.getBoundingClientRect().top - element.getBoundingClientRect().top;
  }

  // Return the first message or card in view, and where it stands.
  function findAnchor() {
    for (const part of body.children) {
      if (topInView(part) + part.offsetHeight <= 0) continue;
      for (const node of part.children) {
        const top = topInView(node);
        if (top + node.offsetHeight > 1) return { node, top };
      }
    }
    return null;
  }

  function tellPlace() {
    const anchor = findAnchor();
    const node = anchor && (anchor.node.dataset.message !== undefined ? anchor.node : anchor.node.nextElementSibling);
    if (node && node.dataset.message !== undefined) onmove(Number(node.dataset.message));
  }

  // Show a message, or the card of a question, below the top of the view.
  async function show(message, selector) {
    const turn = (jump += 1);
    const part = partOf(message);
    try {
      part.turns = await loadData(`${name}-p${part.number}`);
    } catch (error) {
      showFault(error);
      return;
    }
    if (turn !== jump) return;
    // Several rounds: parts get their heights when they are in the page, which moves the others.
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const node = body.querySelector(selector);
      if (node) element.scrollTop += topInView(node) - Math.min(TOP_MARGIN, element.clientHeight / 4);
      else element.scrollTop = topOf(part);
      layOut(Boolean(node));
    }
    const node = body.querySelector(selector);
    if (!node) return;
    node.classList.remove("arrived");
    void node.offsetWidth; // Starts the animation anew.
    node.classList.add("arrived");
  }

  element.addEventListener("scroll", () => (frame = frame || requestAnimationFrame(() => layOut())), { passive: true });
  observer.observe(element);
  return {
    element,
    layOut,
    showMessage: (message) => show(message, `.turn[data-message="${message}"]`),
    showQuestion: (number) => {
      const place = Math.max(1, view.head.questions[number].place);
      return show(place - 1, `.card[data-question="${number}"]`);
    },
    // Draw the parts in the page anew: other marks, another question open.
    refresh() {
      const anchor = findAnchor();
      const key = anchor && (anchor.node.dataset.message !== undefined
        ? `.turn[data-message="${anchor.node.dataset.message}"]` : anchor.node.dataset.question !== undefined
          ? `.card[data-question="${anchor.node.dataset.question}"]` : null);
      for (const part of parts) if (part.isFilled) fillPart(part.element, part, view);
      const node = key && body.querySelector(key);
      if (node) element.scrollTop += topInView(node) - anchor.top;
      layOut();
    },
    close: () => observer.disconnect(),
  };
}
