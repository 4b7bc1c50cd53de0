// Long lists: rows of one height, of which only those in view are in the page.
"use strict";

const ROWS_BEYOND = 6;

// Return a list of `count` rows of `height` pixels; `render` makes the element of a number.
function makeRows({ count, height, render, label }) {
  const body = h("div", { class: "rows-body", role: "list", "aria-label": label });
  const element = h("div", { class: "rows", tabindex: "0", role: "group", "aria-label": label }, body);
  const shown = new Map();
  let total = count;
  let frame = 0;

  function draw() {
    frame = 0;
    body.style.height = `${total * height}px`;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - ROWS_BEYOND);
    const last = Math.min(
      total - 1,
      Math.ceil((element.scrollTop + element.clientHeight) / height) + ROWS_BEYOND,
    );
    for (const [number, row] of shown) {
      if (number < first || number > last) {
        row.remove();
        shown.delete(number);
      }
    }
    for (let number = first; number <= last; number += 1) {
      if (shown.has(number)) continue;
      const row = h("div", {
        class: "row", role: "listitem", "aria-setsize": total, "aria-posinset": number + 1,
      }, render(number));
      row.style.transform = `translateY(${number * height}px)`;
      row.style.height = `${height}px`;
      shown.set(number, row);
      // In the order of numbers, for those who read by the order of the page.
      const after = [...shown.keys()].filter((other) => other > number);
      body.insertBefore(row, after.length ? shown.get(Math.min(...after)) : null);
    }
  }

  function schedule() {
    frame = frame || requestAnimationFrame(draw);
  }

  element.addEventListener("scroll", schedule, { passive: true });
  new ResizeObserver(schedule).observe(element);
  return {
    element,
    // Draw anew, with another number of rows.
    refresh(newTotal) {
      total = newTotal;
      for (const row of shown.values()) row.remove();
      shown.clear();
      draw();
    },
    show(number) {
      const top = number * height;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + height > element.scrollTop + element.clientHeight) {
        element.scrollTop = top + height - element.clientHeight;
      }
      draw();
    },
  };
}
