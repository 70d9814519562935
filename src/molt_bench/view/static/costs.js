// Dollars, tokens and waiting, against strength; and what agents did wrong.
import { dotChart } from "./charts.js";
import { h, number, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { dollars, seconds, signed, visibleLine, whole } from "./text.js";

export function costsSection(run, agents) {
  const costs = (run.costs ?? []).filter((one) => one.calls > 0 || one.usd);
  if (!costs.length) return null;
  const half = new Map(run.leaderboard.map((row) => [row.id, row.halfWidth]));
  const priced = costs.filter((one) => one.bb100 !== null && one.usdPer100Decisions !== null && one.usdPer100Decisions !== undefined);
  const label = "Dollars for 100 decisions against bb/100";
  const rows = costs.map((one) => h("tr", h("th", { scope: "row" }, agents.label(one.id)),
    number(dollars(one.usd)), number(dollars(one.usdPer100Decisions)), number(whole(tokenSum(one.tokens))), number(whole(one.calls)), number(seconds(one.p50)), number(seconds(one.p95)), number(signed(one.bb100))));
  const head = [th("Agent"), ...["Dollars", "$ for 100 decisions", "Tokens", "Calls", "Median wait", "95% wait", "bb/100"].map((text) => th(text, { class: "number" }))];
  return [
    priced.some((one) => one.usdPer100Decisions > 0) && h("figure", h("figcaption", label), dotChart({
      label, fromZero: true, xLabel: "dollars for 100 decisions", yLabel: "bb/100", xFormat: (value) => (value < 0 ? "" : dollars(value)), yFormat: (value) => signed(value, Number.isInteger(value) ? 0 : 1),
      points: priced.map((one) => ({ x: one.usdPer100Decisions, y: one.bb100, half: half.get(one.id), colour: agents.colour(one.id), name: agents.name(one.id) })),
    })),
    scrollTable("Costs", head, rows),
  ];
}

function tokenSum(tokens) {
  return tokens !== null && typeof tokens === "object" ? Object.values(tokens).reduce((sum, part) => sum + part, 0) : tokens;
}

export function faultsSection(run, agents, state) {
  if (!run.faults?.length) return null;
  const rows = run.faults.map((one) => h("tr", h("th", { scope: "row" }, agents.label(one.id)), h("td", one.place ? h("a", { href: route("run", state.run, "hand", one.place.match, one.place.seed, one.place.hand) }, visibleLine(one.kind)) : visibleLine(one.kind)), number(whole(one.count)),
    h("td.wide.example", visibleLine(one.example ?? "").slice(0, 400))));
  return scrollTable("Faults", [th("Agent"), th("Kind"), th("Count", { class: "number" }), th("For example")], rows);
}
