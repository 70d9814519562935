// Both lines of play, aligned by street: which steps stand side by side, and the table that shows them.
import { button, h } from "./dom.js";
import { MISTAKE_BB } from "./grades.js";
import { fixed, STREETS, visibleLine, whole } from "./text.js";

/**
 * Return the rows of both lines: on every street the first steps side by side, then the second ones, and so on.
 * `cells` has the step of each side in this row, or null; `now` has the step that each side has come to.
 */
export function aligned(sides) {
  const rows = [];
  for (const street of STREETS) {
    const own = sides.map(({ steps }) => steps.flatMap((step, index) => (step.street === street ? [index] : [])));
    const most = Math.max(...own.map((list) => list.length));
    for (let at = 0; at < most; at += 1) {
      const cells = own.map((list) => list[at] ?? null);
      const before = rows.at(-1)?.now ?? sides.map(() => 0);
      rows.push({ street, cells, now: cells.map((cell, side) => cell ?? before[side]) });
    }
  }
  return rows;
}

/** The next row with a decision that gives something away, or a fault; -1 if there is none. */
export function nextCostly(sides, rows, after) {
  const isCostly = ({ steps, decisions, grades }, cell) => {
    const decision = cell === null ? null : steps[cell].decision;
    if (decision === null) return false;
    return decisions[decision].faults.length > 0 || (grades?.[decision]?.loss ?? 0) >= MISTAKE_BB;
  };
  return rows.findIndex(({ cells }, row) => row > after && cells.some((cell, side) => isCostly(sides[side], cell)));
}

const WITHOUT = ["without-first", "without-second"]; // classes of a table of which one side is hidden

/** The table of both lines. `draw(at, {hiding, only})` shows row `at` as the current one. */
export function linesTable(sides, rows, partedAt, go) {
  const items = rows.map((row, index) =>
    h("tr.line", row.cells.map((cell, side) => stepCell(sides[side], cell, index, go)))
  );
  const body = rows.map((row, index) => {
    const opens = row.street !== rows[index - 1]?.street;
    const wide = { colspan: String(sides.length) };
    return [
      opens && h("tr.opens", h("th", { scope: "colgroup", ...wide }, row.street)),
      index === partedAt && h("tr", h("td", wide, h("span.part-mark", "lines diverge here"))),
      items[index],
    ].filter(Boolean);
  });
  const heads = sides.map(({ seating }) => h("th", { scope: "col" }, h("span.badge", seating)));
  const table = h("table.lines", h("thead", h("tr", heads)), h("tbody", body));
  const box = h("div.lines-box", { tabindex: "0", role: "group", "aria-label": "Both lines, step by step" }, table);

  function draw(at, { hiding, only }) {
    table.classList.toggle("hiding", hiding);
    sides.forEach((_, side) => table.classList.toggle(WITHOUT[side], only !== null && only !== side));
    items.forEach((item, index) => {
      for (const part of body[index]) part.classList.toggle("later", index > at);
      item.classList.toggle("now", index === at);
      for (const control of item.querySelectorAll("button")) control.ariaCurrent = index === at ? "step" : null;
    });
    const { offsetTop, offsetHeight } = items[at];
    const isAbove = offsetTop < box.scrollTop + 2 * offsetHeight;
    const isBelow = offsetTop + offsetHeight > box.scrollTop + box.clientHeight;
    if (isAbove || isBelow) box.scrollTop = offsetTop - box.clientHeight / 2;
  }
  return { element: box, draw };
}

function stepCell(side, index, row, go) {
  if (index === null) return h("td");
  const step = side.steps[index];
  const loss = side.grades?.[step.decision]?.loss ?? 0;
  const mark = loss >= MISTAKE_BB && h("span.note.bad", `gives away ${fixed(loss, 2)} bb`);
  const texts = [h("span.what", visibleLine(step.text), mark), h("span.pot", { title: "Pot" }, whole(step.pot))];
  return h("td", { class: step.forced ? "forced" : "" }, button(texts, () => go(row), { class: "step" }));
}
