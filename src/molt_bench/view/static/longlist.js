// A list of any length in which only the rows on screen exist.
import { h } from "./dom.js";

const SPARE = 8; // rows drawn above and below the screen, so quick scrolling shows no gaps
const TALLEST = 8_000_000; // pixels; browsers limit the height of an element, so a longer list is scaled

/** Make a scrolling list. `row(index)` makes the element of a row; `setCount` redraws them all from the top. */
export function longList({ label, head, row, rowHeight: measure }) {
  const space = h("div.v-space", { role: "rowgroup" });
  const body = h(
    "div.v-body",
    { role: "table", "aria-label": label },
    h("div.v-head", { role: "rowgroup" }, head),
    space,
  );
  const box = h("div.v-list", { tabindex: "0", role: "region", "aria-label": `${label}, scrolling` }, body);
  let count = 0;
  let rowHeight = measure();
  let pending = false;
  let first = -1;
  let last = -1;

  function draw(force) {
    pending = false;
    const full = count * rowHeight;
    const stretch = Math.min(1, TALLEST / Math.max(full, 1));
    const top = box.scrollTop;
    const from = Math.max(0, Math.floor(top / stretch / rowHeight) - SPARE);
    const to = Math.min(count, Math.ceil((top / stretch + box.clientHeight) / rowHeight) + SPARE);
    if (!force && from === first && to === last) return;
    const focused = document.activeElement?.closest?.(".v-row")?.dataset.row;
    [first, last] = [from, to];
    const shift = top - top / stretch; // 0 unless scaled
    const rows = [];
    for (let index = from; index < to; index += 1) {
      const element = row(index);
      element.style.transform = `translateY(${index * rowHeight + shift}px)`;
      element.dataset.row = index;
      element.setAttribute("aria-rowindex", index + 2);
      rows.push(element);
    }
    space.replaceChildren(...rows);
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
    setCount(next) {
      count = next;
      body.setAttribute("aria-rowcount", count + 1);
      size();
      box.scrollTop = 0;
      draw(true);
    },
  };
}
