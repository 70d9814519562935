// A list of any length: only the rows on screen exist.
import { h } from "./dom.js";

const SPARE = 8; // rows drawn above and below the screen, so quick scrolling shows no gaps
const TALLEST = 8_000_000; // pixels; browsers limit the height of an element, so a longer list is scaled

/** Make a scrolling list. `row(index)` makes the element of a row; `setCount` redraws them, from the top by default. */
export function longList({ label, head, row, rowHeight: measure }) {
  const space = h("div.v-space", { role: "rowgroup" });
  const top = h("div.v-head", { role: "rowgroup" }, head);
  const body = h("div.v-body", { role: "table", "aria-label": label }, top, space);
  const box = h("div.v-list", { tabindex: "0", role: "group", "aria-label": `${label}, scrolling` }, body);
  let count = 0;
  let rowHeight = measure();
  let pending = false;
  let first = -1;
  let last = -1;

  function draw(force) {
    pending = false;
    const full = count * rowHeight;
    const stretch = Math.min(1, TALLEST / Math.max(full, 1));
    const start = box.scrollTop / stretch;
    const from = Math.max(0, Math.floor(start / rowHeight) - SPARE);
    const to = Math.min(count, Math.ceil((start + box.clientHeight) / rowHeight) + SPARE);
    if (!force && from === first && to === last) return;
    const focused = document.activeElement?.closest?.(".v-row")?.dataset.row;
    [first, last] = [from, to];
    const shift = box.scrollTop - start; // 0 unless scaled
    space.replaceChildren();
    for (let index = from; index < to; index += 1) {
      const element = row(index);
      element.style.transform = `translateY(${index * rowHeight + shift}px)`;
      element.dataset.row = index;
      element.setAttribute("aria-rowindex", index + 2);
      space.append(element);
    }
    if (focused !== undefined) space.querySelector(`[data-row="${focused}"] a`)?.focus({ preventScroll: true });
  }

  box.addEventListener("scroll", () => {
    if (!pending) {
      pending = true;
      requestAnimationFrame(() => draw(false));
    }
  }, { passive: true });
  new ResizeObserver(() => {
    size();
    draw(false);
  }).observe(box);

  function size() {
    rowHeight = measure();
    space.style.height = `${Math.min(count * rowHeight, TALLEST)}px`;
  }

  return {
    element: box,
    setCount(next, { keepPlace = false } = {}) {
      count = next;
      body.setAttribute("aria-rowcount", count + 1);
      size();
      if (!keepPlace) box.scrollTop = 0;
      draw(true);
    },
  };
}
