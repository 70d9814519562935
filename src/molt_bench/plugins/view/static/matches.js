// Head to head as a table, the matches of a run, and tables that sort by a click on a column head.
import { button, h, number, numberHead, redraw, row, scrollTable, th } from "./dom.js";
import { withNames } from "./leaderboard.js";
import { route } from "./router.js";
import { fixed, signed, visibleLine, whole } from "./text.js";

const about = ({ estimator }) =>
  `bb/100 that the row wins from the column, ± the 95% interval (estimator ${visibleLine(estimator)}). Bold: the ` +
  "interval excludes 0.";
const MOST = 60; // agents in a table of all pairings

export function payoffSection(run, agents) {
  const { payoff } = run;
  if (!payoff || payoff.ids.length < 2) return null;
  const { ids, mean, halfWidth } = payoff;
  const top = Math.max(...mean.flat().filter((value) => value !== null).map(Math.abs), 1e-9);
  const scaleBar = h(
    "div.scale",
    { "aria-hidden": "true" },
    h("span", signed(-top, 0)),
    h("span.bar"),
    h("span", signed(top, 0)),
  );
  const below = h("ul.sentences", sentences(payoff).map((text) => h("li", withNames(text, agents))));
  if (ids.length > MOST) return [h("p.soft", "Too many agents for a table: matches.json has every pairing."), below];
  const opponents = ids.map((id) => numberHead(agents.label(id)));
  const head = [h("td", "wins from →"), opponents];
  const rows = ids.map((id, i) => {
    const cells = ids.map((_, j) => (i === j ? h("td.self") : cell(mean[i][j], halfWidth[i][j], top)));
    return row(agents.label(id), cells);
  });
  return [
    h("p.soft", about(run.rule)),
    scrollTable("Payoff matrix", head, rows, { class: "heat" }),
    scaleBar,
    below,
  ];
}

function cell(mean, half, top) {
  if (mean === null) return h("td.number.soft", { title: "Not played" }, "–");
  const clear = half !== null && Math.abs(mean) > half;
  // A square root keeps small differences visible next to large ones; at 50% colour the number stays readable.
  const weight = `${(Math.sqrt(Math.abs(mean) / top) * 50).toFixed(1)}%`;
  return h("td.number", { class: mean < 0 ? "loses" : "wins", css: { "--w": weight } }, [
    h("span", { class: clear ? "strong" : "" }, signed(mean)),
    h("small", half === null ? "" : `± ${fixed(half)}`),
  ]);
}

function sentences({ cycles }) {
  const marked = (id) => `\u2068${id}\u2069`; // see withNames
  return cycles.map((ids) => `A cycle: ${[...ids, ids[0]].map(marked).join(" beats ")}.`);
}

const AT_FIRST = 200; // a run may have thousands of matches, and a live page redraws them

export const arrow = (here, order) => h("span", { "aria-hidden": "true" }, here ? (order.down ? " ↓" : " ↑") : "");
export const ariaSort = (here, order) => (here ? (order.down ? "descending" : "ascending") : null);

/** A column head whose button sorts; `order` is {key, down} and is changed in place. */
export function sortHead(text, key, order, draw, isText) {
  const here = order.key === key;
  const sort = button([text, arrow(here, order)], () => {
    order.down = here ? !order.down : true;
    order.key = key;
    draw();
  }, { class: "sort" });
  return th(sort, { "aria-sort": ariaSort(here, order), class: isText ? null : "number" });
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
  bb100: "A's bb/100 as dealt",
  net: "A's chips as dealt",
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
      sortHead(text, key, order, draw, ["a", "b", "winner"].includes(key))
    );
    const all = sorted(run.matches, order, (match, key) => sortValue(match, key, agents));
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

/** What a column is sorted by: agents by their names. */
function sortValue(match, key, agents) {
  const winner = { A: match.a, B: match.b }[match.winner];
  const id = { a: match.a, b: match.b, winner }[key];
  return id ? agents.name(id).toLowerCase() : key === "winner" ? "" : match[key];
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
