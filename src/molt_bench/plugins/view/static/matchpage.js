// One match: its seed pairs, the biggest swings first.
import { inlineChart, scale } from "./charts.js";
import { handLink, loadMatch, loadOnce, namesPath } from "./data.js";
import { cast, h, number, redraw, runName, s, th } from "./dom.js";
import { savedTable } from "./download.js";
import { sorted, sortHead } from "./matches.js";
import { crumbs, route, withQuery } from "./router.js";
import { fixed, plural, signed, visibleLine, whole } from "./text.js";

/** What the seed pairs can be sorted by: title and value. */
const SORTS = {
  index: ["Seed pair", (seed) => seed.index],
  net: ["Net as dealt, bb", (seed) => seed.net],
  swing: ["Swing", (seed) => Math.abs(seed.net)],
  first: ["… seated first", (seed) => seed.raw[0]],
  second: ["… seated second", (seed) => seed.raw[1]],
  adjusted: ["Without luck (adjusted), bb", (seed) => seed.adjusted],
  hands: ["Hands", (seed) => seed.hands],
  biggest: ["Biggest hand, both seatings", (seed) => Math.abs(seed.biggest.swing)],
  faults: ["Faults of both", (seed) => seed.faults],
};

export async function matchPage(place, view) {
  const [, id, , which] = place.parts;
  const [run, match] = await Promise.all([loadOnce(namesPath(id)), loadMatch(id, which)]);
  const agents = cast(run.participants);
  const total = match.seeds.reduce((sum, seed) => sum + seed.net, 0);
  const hands = match.seeds.reduce((sum, seed) => sum + seed.hands, 0);
  const name = agents.name(match.a);
  const order = { key: "swing", down: true };
  const box = h("div");
  const most = Math.max(...match.seeds.map((seed) => Math.abs(seed.net)), 1e-9);

  function draw() {
    const seeds = sorted(match.seeds, order, (seed, key) => SORTS[key][1](seed));
    const head = Object.entries(SORTS).map(([key, [text]]) =>
      sortHead(text, key, order, draw, ["swing", "biggest"].includes(key))
    );
    const rows = seeds.map((seed) => seedRow(seed, id, match, most));
    redraw(box, "button", ...savedTable("Seed pairs", [...head, th("Seed")], rows));
  }

  draw();
  const played = `over ${plural(match.seeds.length, "seed pair")} and ${plural(hands, "hand")}. `;
  view.show(`Match ${match.match}`, [
    crumbs([`Run ${runName(run)}`, route("run", id)], [`Match ${match.match}`, null]),
    h("h1", `Match ${match.match}: `, agents.label(match.a), h("span.soft", " against "), agents.label(match.b)),
    h("p", [
      h("bdi", name),
      ` ${total < 0 ? "lost" : "won"} ${fixed(Math.abs(total))} bb ${played}`,
      h("a", { href: withQuery(route("run", id, "hands"), { match: match.match }) }, "All hands of this match →"),
    ]),
    h("p.soft", `${match.ownDecks ? OWN_DECKS : SAME_DECKS} Chips are those won by `, h("bdi", name), "."),
    box,
  ]);
}

const OWN_DECKS =
  "A seed pair is two games with swapped seats. One of these agents may remember what it saw, so each " +
  "of the two games was dealt different cards.";
const SAME_DECKS = "A seed pair is the same cards played twice with swapped seats. Its net shows the difference in " +
  "skill, plus the luck that is left because the two lines of play differ.";

function seedRow(seed, run, { match }, most) {
  const { index, net, raw, adjusted, hands, biggest, faults } = seed;
  const href = route("run", run, "hand", match, index, biggest.hand);
  const link = (text, more) => handLink([run, match, index, biggest.hand], href, text, more);
  return h("tr", [
    h("th.number", { scope: "row" }, link(String(index), { "aria-label": `Seed pair ${index}, biggest hand` })),
    number(signed(net), { class: "strong" }),
    h("td.plot", swingBar(net, most)),
    number(signed(raw[0])),
    number(signed(raw[1])),
    number(signed(adjusted)),
    number(whole(hands)),
    h("td", link(`hand ${biggest.hand}: ${signed(biggest.swing)} bb`)),
    number(whole(faults), { class: faults ? "bad" : "" }),
    h("td", h("code", visibleLine(seed.seed))),
  ]);
}

function swingBar(net, most) {
  const at = scale(-most, most, 2, 148);
  const [left, right] = [Math.min(at(0), at(net)), Math.max(at(0), at(net))];
  const bar = { x: left, y: 4, width: Math.max(1, right - left), height: 10 };
  const zero = s("line.zero", { x1: at(0), x2: at(0), y1: 0, y2: 18 });
  return inlineChart(150, 18, s(`rect.${net < 0 ? "loss" : "gain"}`, bar), zero);
}
