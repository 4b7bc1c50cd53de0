// A strip beside the chat: where questions stand, where the evidence of the open one lies, and
// where the reader is. It repeats what lists and links offer, for the mouse.
"use strict";

function makeMinimap(total, onpick) {
  const place = h("div", { class: "minimap-place" });
  const ticks = h("div", {});
  const element = h("div", { class: "minimap", "aria-hidden": "true" }, ticks, place);
  element.addEventListener("click", (event) => {
    const box = element.getBoundingClientRect();
    onpick(Math.min(total - 1, Math.floor(((event.clientY - box.top) / box.height) * total)));
  });
  return {
    element,
    mark(kinds) {
      ticks.replaceChildren(
        ...kinds.map(([message, kind]) =>
          h("div", { class: `tick ${kind}`, style: `top:${((100 * message) / total).toFixed(3)}%` })),
      );
    },
    move(message) {
      place.style.top = `${((100 * message) / total).toFixed(3)}%`;
    },
  };
}
