// One match: its seed pairs, the biggest swings first.
import { cast, runName } from "./agents.js";
import { scale } from "./charts.js";
import { load, loadOnce, matchPath, runPath } from "./data.js";
import { h, number, s, scrollTable } from "./dom.js";
import { sorted, sortHead } from "./matches.js";
import { route, withQuery } from "./router.js";
import { plural, signed, visibleLine, whole } from "./text.js";

/** Where this page lies: links upward. */
export function crumbs(...links) {
  return h("nav.crumbs", { "aria-label": "Where this is" }, links.map(([text, href], index) => [index ? h("span", { "aria-hidden": "true" }, " / ") : "", href ? h("a", { href }, text) : h("span", { "aria-current": "page" }, text)]));
}

export async function matchPage(place, view) {
  const [, id, , number_] = place.parts;
  const [run, match] = await Promise.all([loadOnce(runPath(id)), load(matchPath(id, number_))]);
  const agents = cast(run.participants);
  const total = match.seeds.reduce((sum, seed) => sum + seed.net, 0);
  const hands = match.seeds.reduce((sum, seed) => sum + seed.hands, 0);
  const order = { key: "swing", down: true };
  const box = h("div");
  const most = Math.max(...match.seeds.map((seed) => Math.abs(seed.net)), 1e-9);
  const value = (seed, key) => ({ swing: Math.abs(seed.net), index: seed.index, net: seed.net, first: seed.raw[0], second: seed.raw[1], adjusted: seed.adjusted, biggest: Math.abs(seed.biggest?.swing ?? 0), faults: seed.faults, hands: seed.hands })[key];

  function draw() {
    const sortBy = (text, key) => sortHead(text, key, order, draw, { class: "number" });
    const name = agents.name(match.a);
    const rows = sorted(match.seeds, order, value).map((seed) => h("tr",
      h("th.number", { scope: "row" }, h("a", { href: route("run", id, "hand", match.match, seed.index, seed.biggest?.hand ?? 1), "aria-label": `Seed pair ${seed.index}, its biggest hand` }, String(seed.index))),
      number(signed(seed.net), { class: "strong" }), h("td.plot", swingBar(seed.net, most)), number(signed(seed.raw[0])), number(signed(seed.raw[1])), number(signed(seed.adjusted)), number(whole(seed.hands)),
      h("td", seed.biggest && h("a", { href: route("run", id, "hand", match.match, seed.index, seed.biggest.hand) }, `hand ${seed.biggest.hand}: ${signed(seed.biggest.swing)} bb`)),
      number(whole(seed.faults), { class: seed.faults ? "bad" : "" }), h("td", h("code", visibleLine(seed.seed)))));
    const head = [sortBy("Seed pair", "index"), sortBy(`${name}'s net, bb`, "net"), sortHead("Swing", "swing", order, draw), sortBy("Seated first", "first"), sortBy("Seated second", "second"), sortBy("Luck taken out", "adjusted"), sortBy("Hands", "hands"),
      sortHead("Biggest hand", "biggest", order, draw), sortBy("Faults", "faults"), h("th", { scope: "col" }, "Seed")];
    const focused = box.contains(document.activeElement) ? [...box.querySelectorAll("button")].indexOf(document.activeElement) : -1;
    box.replaceChildren(scrollTable("Seed pairs", head, rows));
    if (focused >= 0) box.querySelectorAll("button")[focused].focus();
  }

  draw();
  view.show(`Match ${match.match}`,
    crumbs([`Run ${runName(run)}`, route("run", id)], [`Match ${match.match}`, null]),
    h("h1", `Match ${match.match}: `, agents.label(match.a), h("span.soft", " against "), agents.label(match.b)),
    h("p", h("bdi", agents.name(match.a)), ` ${total < 0 ? "lost" : "won"} ${signed(Math.abs(total)).replace("+", "")} bb over ${plural(match.seeds.length, "seed pair")} and ${plural(hands, "hand")}. `,
      h("a", { href: withQuery(route("run", id, "hands"), { match: match.match }) }, "All its hands →")),
    h("p.soft", match.ownDecks
      ? "A seed pair is two games with seats swapped. One of these agents may remember what it saw, so each of the two was dealt cards of its own."
      : "A seed pair is the same cards played twice, with seats swapped. What is left of its net is skill, and the luck of what each line made of the cards."),
    box);
}

function swingBar(net, most, width = 150) {
  const at = scale(-most, most, 2, width - 2);
  const [left, right] = [Math.min(at(0), at(net)), Math.max(at(0), at(net))];
  return s("svg.whisker", { width: `${width / 16}rem`, height: "1.125rem", viewBox: `0 0 ${width} 18`, "aria-hidden": "true" },
    s(`rect.${net < 0 ? "loss" : "gain"}`, { x: left, y: 4, width: Math.max(1, right - left), height: 10 }), s("line.zero", { x1: at(0), x2: at(0), y1: 0, y2: 18 }));
}
