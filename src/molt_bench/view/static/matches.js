// The matches of a run, and tables that sort by a click on their head.
import { button, h, number, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { signed, whole } from "./text.js";

const AT_FIRST = 200; // a run may have thousands of matches, and draws them anew while it goes on

/** A head cell whose button sorts; `order` is {key, down} and is changed in place. */
export function sortHead(text, key, order, redraw, more = {}) {
  const here = order.key === key;
  const push = h("button.sort", { type: "button", on: { click: () => {
    order.down = here ? !order.down : true;
    order.key = key;
    redraw();
  } } }, text, h("span", { "aria-hidden": "true" }, here ? (order.down ? " ↓" : " ↑") : ""));
  return th(push, { "aria-sort": here ? (order.down ? "descending" : "ascending") : null, ...more });
}

/** Return the rows in order; `value` turns a row into what it is sorted by. */
export function sorted(rows, order, value) {
  const sign = order.down ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [left, right] = [value(one, order.key), value(other, order.key)];
    return left < right ? -sign : left > right ? sign : 0;
  });
}

export function matchesSection(run, agents, state) {
  if (!run.matches?.length) return null;
  const order = (state.open.matches ??= { key: "match", down: false });
  const box = h("div");
  const draw = () => {
    const head = [["Match", "match"], ["Round", "round"], ["A", "a"], ["B", "b"], ["A's bb/100", "bb100"], ["A's chips", "net"], ["Winner", "winner"], ["Seed pairs", "seeds"], ["Hands", "hands"]]
      .map(([text, key]) => sortHead(text, key, order, draw, { class: ["a", "b", "winner"].includes(key) ? "" : "number" }));
    const all = sorted(run.matches, order, (row, key) => row[key]);
    const rows = (state.open.allMatches ? all : all.slice(0, AT_FIRST)).map((row) => h("tr",
      h("th.number", { scope: "row" }, h("a", { href: route("run", state.run, "match", row.match), "aria-label": `Match ${row.match}` }, String(row.match))),
      number(whole(row.round)), h("td", agents.label(row.a)), h("td", agents.label(row.b)), number(signed(row.bb100)), number(signed(row.net, 0)),
      h("td", row.winner === "draw" ? "draw" : agents.label(row.winner === "A" ? row.a : row.b)), number(whole(row.seeds)), number(whole(row.hands))));
    const focused = box.contains(document.activeElement) ? [...box.querySelectorAll("button")].indexOf(document.activeElement) : -1;
    const more = button(`Show all ${whole(all.length)} matches`, () => {
      state.open.allMatches = true;
      draw();
    });
    box.replaceChildren(scrollTable("Matches", head, rows, { class: "tall" }), ...(rows.length < all.length ? [more] : []));
    if (focused >= 0) box.querySelectorAll("button")[focused].focus();
  };
  draw();
  return box;
}
