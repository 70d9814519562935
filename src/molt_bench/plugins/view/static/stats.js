// What models cost, and the agents' faults.
import { dotChart } from "./dots.js";
import { handLink } from "./data.js";
import { h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { route, withQuery } from "./router.js";
import { dollars, isMissing, seconds, signed, signedTick, visibleLine, whole } from "./text.js";

export function costsSection(run, agents) {
  const costs = run.costs.filter((one) => one.calls > 0 || one.usd);
  if (!costs.length) return null;
  const rows = costs.map((one) =>
    row(agents.label(one.id), [
      [one.usd, one.usdPer100Hands, one.usdPer100Decisions].map((usd) => number(dollars(usd))),
      [one.tokens, one.calls].map((count) => number(whole(count))),
      [one.p50, one.p95].map((wait) => number(seconds(wait))),
      number(signed(one.bb100)),
    ])
  );
  const columns = "Dollars,$ per 100 hands,$ per 100 decisions,Tokens,Calls,Median wait,95% wait,bb/100".split(",");
  const head = [th("Agent"), ...columns.map((text) => numberHead(text))];
  return [priceChart(run, costs, agents), scrollTable("Costs", head, rows)];
}

/** Win rate against price on a log axis, with the frontier: those that no cheaper agent beats. */
function priceChart(run, costs, agents) {
  const half = new Map(run.leaderboard.map(({ id, halfWidth }) => [id, halfWidth]));
  const points = costs
    .filter((one) => !isMissing(one.bb100) && one.usdPer100Hands > 0)
    .map(({ id, usdPer100Hands, bb100 }) => {
      return { x: usdPer100Hands, y: bb100, half: half.get(id), colour: agents.colour(id), name: agents.name(id) };
    });
  if (!points.length) return null;
  let best = -Infinity;
  const frontier = [...points].sort((one, other) => one.x - other.x || other.y - one.y).filter((one) => {
    const isBetter = one.y > best;
    best = Math.max(best, one.y);
    return isBetter;
  });
  const free = run.leaderboard.filter(({ id, bb100 }) => !isMissing(bb100) && !costs.some((one) => one.id === id));
  const label = "Dollars per 100 hands against bb/100";
  const x = { label: "dollars per 100 hands, log scale", format: dollars };
  const levels = free.map(({ id, bb100 }) => ({ y: bb100, name: agents.name(id), colour: agents.colour(id) }));
  const chart = dotChart({ label, points, frontier, levels, x, y: { label: "bb/100", format: signedTick } });
  const bots = free.map(({ id, bb100 }, at) => [at ? ", " : "", h("bdi", agents.name(id)), ` ${signed(bb100)}`]);
  const about = [
    frontier.length > 1 && "Dashed: no one does better for less. ",
    bots.length > 0 && ["Free, for comparison: ", bots, " bb/100 (dotted where on this scale)."],
  ];
  return h("figure", h("figcaption", label), chart, h("p.soft", about));
}

export function faultsSection(run, agents, state) {
  if (!run.faults.length) return null;
  const rows = run.faults.map(({ id, kind, count, example, place }) => {
    const href = route("run", state.run, "hand", place.match, place.seed, place.hand);
    const shown = h("td.wide.example", visibleLine(example).slice(0, 400));
    const link = handLink([state.run, place.match, place.seed, place.hand], href, visibleLine(kind));
    const all = withQuery(route("run", state.run, "hands"), { agent: id, kind });
    return row(agents.label(id), h("td", link), number(h("a", { href: all }, whole(count))), shown);
  });
  return scrollTable("Faults", [th("Agent"), th("Kind"), numberHead("Count"), th("Example")], rows);
}
