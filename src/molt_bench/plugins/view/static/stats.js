// What models cost, and the agents' faults.
import { handLink } from "./data.js";
import { h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { route, withQuery } from "./router.js";
import { dollars, seconds, signed, visibleLine, whole } from "./text.js";

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
  return scrollTable("Costs", head, rows);
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
