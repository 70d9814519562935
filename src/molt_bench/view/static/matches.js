// The matches of a run, and tables that sort by a click on a column head.
import { button, h, number, redraw, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { signed, whole } from "./text.js";

const AT_FIRST = 200; // a run may have thousands of matches, and a live page redraws them

export const arrow = (here, order) => h("span", { "aria-hidden": "true" }, here ? (order.down ? " ↓" : " ↑") : "");
export const ariaSort = (here, order) => (here ? (order.down ? "descending" : "ascending") : null);

/** A column head whose button sorts; `order` is {key, down} and is changed in place. */
export function sortHead(text, key, order, draw, more = { class: "number" }) {
  const here = order.key === key;
  const sort = button([text, arrow(here, order)], () => {
    order.down = here ? !order.down : true;
    order.key = key;
    draw();
  }, { class: "sort" });
  return th(sort, { "aria-sort": ariaSort(here, order), ...more });
}

/** Return the rows in order; `value` turns a row into its sort key. */
export function sorted(rows, order, value) {
  const sign = order.down ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [left, right] = [value(one, order.key), value(other, order.key)];
    return left < right ? -sign : left > right ? sign : 0;
  });
}

const COLUMN_KEYS = {
  match: "Match",
  round: "Round",
  a: "A",
  b: "B",
  bb100: "A's bb/100",
  net: "A's chips",
  winner: "Winner",
  seeds: "Seed pairs",
  hands: "Hands",
};

export function matchesSection(run, agents, state) {
  if (!run.matches.length) return null;
  const order = (state.open.matches ??= { key: "match", down: false });
  const box = h("div");
  const draw = () => {
    const head = Object.entries(COLUMN_KEYS).map(([key, text]) =>
      sortHead(text, key, order, draw, { class: ["a", "b", "winner"].includes(key) ? "" : "number" })
    );
    const all = sorted(run.matches, order, (match, key) => match[key]);
    const shown = state.open.allMatches ? all : all.slice(0, AT_FIRST);
    const rows = shown.map((match) => matchRow(match, agents, state.run));
    const more = button(`Show all ${whole(all.length)} matches`, () => {
      state.open.allMatches = true;
      draw();
    });
    const rest = shown.length < all.length ? [more] : [];
    redraw(box, "button", scrollTable("Matches", head, rows, { class: "tall" }), ...rest);
  };
  draw();
  return box;
}

function matchRow({ match, round, a, b, bb100, net, winner, seeds, hands }, agents, run) {
  const link = { href: route("run", run, "match", match), "aria-label": `Match ${match}` };
  return h("tr", [
    h("th.number", { scope: "row" }, h("a", link, String(match))),
    number(whole(round)),
    h("td", agents.label(a)),
    h("td", agents.label(b)),
    number(signed(bb100)),
    number(signed(net, 0)),
    h("td", winner === "draw" ? "draw" : agents.label(winner === "A" ? a : b)),
    number(whole(seeds)),
    number(whole(hands)),
  ]);
}
