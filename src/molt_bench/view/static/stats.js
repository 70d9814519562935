// Playing styles in the terms of poker trackers, what models cost, and the agents' faults.
import { dotChart } from "./charts.js";
import { h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { dollars, fixed, isMissing, seconds, signed, signedTick, visibleLine, whole } from "./text.js";

export function stylesSection({ styles }, agents) {
  if (!styles.length) return null;
  const head = styles[0].stats.map((stat) => numberHead(visibleLine(stat.label)));
  const rows = styles.map(({ id, stats }) => row(agents.label(id), stats.map(statCell)));
  return [
    h("p.soft", "Each figure is shown with the number of opportunities it is based on."),
    scrollTable("Playing styles", [th("Agent"), head], rows, { class: "stats" }),
  ];
}

function statCell({ value, kind, of }) {
  if (isMissing(value)) return h("td.number.soft", "–");
  const shown = { share: `${fixed(value * 100)}%`, bb100: signed(value) }[kind] ?? fixed(value, 2);
  return h("td.number", shown, of ? h("small", `of ${whole(of)}`) : "");
}

export function costsSection(run, agents) {
  const costs = run.costs.filter((one) => one.calls > 0 || one.usd);
  if (!costs.length) return null;
  const rows = costs.map((one) =>
    row(agents.label(one.id), [
      [one.usd, one.usdPer100Decisions].map((usd) => number(dollars(usd))),
      [one.tokens, one.calls].map((count) => number(whole(count))),
      [one.p50, one.p95].map((wait) => number(seconds(wait))),
      number(signed(one.bb100)),
    ])
  );
  const columns = "Dollars,$ per 100 decisions,Tokens,Calls,Median wait,95% wait,bb/100".split(",");
  const head = [th("Agent"), ...columns.map((text) => numberHead(text))];
  return [priceChart(run, costs, agents), scrollTable("Costs", head, rows)];
}

/** Win rate against price, where at least one agent has a price. */
function priceChart(run, costs, agents) {
  const priced = costs.filter((one) => one.bb100 !== null && !isMissing(one.usdPer100Decisions));
  if (!priced.some((one) => one.usdPer100Decisions > 0)) return null;
  const half = new Map(run.leaderboard.map(({ id, halfWidth }) => [id, halfWidth]));
  const points = priced.map(({ id, usdPer100Decisions, bb100 }) => {
    return { x: usdPer100Decisions, y: bb100, half: half.get(id), colour: agents.colour(id), name: agents.name(id) };
  });
  const label = "Dollars per 100 decisions against bb/100";
  const format = (value) => (value < 0 ? "" : dollars(value));
  const x = { label: "dollars per 100 decisions", format, fromZero: true };
  const chart = dotChart({ label, points, x, y: { label: "bb/100", format: signedTick } });
  return h("figure", h("figcaption", label), chart);
}

export function faultsSection(run, agents, state) {
  if (!run.faults.length) return null;
  const rows = run.faults.map(({ id, kind, count, example, place }) => {
    const href = route("run", state.run, "hand", place.match, place.seed, place.hand);
    const shown = h("td.wide.example", visibleLine(example).slice(0, 400));
    return row(agents.label(id), h("td", h("a", { href }, visibleLine(kind))), number(whole(count)), shown);
  });
  return scrollTable("Faults", [th("Agent"), th("Kind"), numberHead("Count"), th("Example")], rows);
}
