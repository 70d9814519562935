// Dollars, tokens and response times against strength; and the agents' faults.
import { dotChart } from "./charts.js";
import { h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { dollars, isMissing, seconds, signed, signedTick, visibleLine, whole } from "./text.js";

export function costsSection(run, agents) {
  const costs = run.costs.filter((one) => one.calls > 0 || one.usd);
  if (!costs.length) return null;
  const rows = costs.map((one) =>
    row(agents.label(one.id), [
      number(dollars(one.usd)),
      number(dollars(one.usdPer100Decisions)),
      number(whole(one.tokens)),
      number(whole(one.calls)),
      number(seconds(one.p50)),
      number(seconds(one.p95)),
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
  const x = {
    label: "dollars per 100 decisions",
    format: (value) => (value < 0 ? "" : dollars(value)),
    fromZero: true,
  };
  return h(
    "figure",
    h("figcaption", label),
    dotChart({ label, points, x, y: { label: "bb/100", format: signedTick } }),
  );
}

export function faultsSection(run, agents, state) {
  if (!run.faults.length) return null;
  const rows = run.faults.map(({ id, kind, count, example, place }) => {
    const link = h(
      "a",
      { href: route("run", state.run, "hand", place.match, place.seed, place.hand) },
      visibleLine(kind),
    );
    const shown = h("td.wide.example", visibleLine(example).slice(0, 400));
    return row(agents.label(id), h("td", link), number(whole(count)), shown);
  });
  return scrollTable("Faults", [th("Agent"), th("Kind"), numberHead("Count"), th("Example")], rows);
}
