// Every pairing as a heat map: blue where the row wins, orange where it loses, the number always there to be read.
import { h, scrollTable, th } from "./dom.js";
import { fixed, percent, signed } from "./text.js";

export function payoffSection(run, agents) {
  const { payoff } = run;
  if (!payoff || payoff.ids.length < 2) return null;
  const known = payoff.mean.flat().filter((value) => value !== null).map(Math.abs);
  const top = Math.max(...known, 1e-9);
  const nash = payoff.nash?.some((share) => share !== null) ? payoff.nash : null;
  const head = [h("td.corner", "wins from →"), ...payoff.ids.map((id) => th(agents.label(id), { class: "number" })), nash && th("Nash", { class: "number", title: "Share of each agent in the mix that no agent beats" })];
  const rows = payoff.ids.map((row, i) => h("tr", h("th", { scope: "row" }, agents.label(row)),
    payoff.ids.map((column, j) => (i === j ? h("td.self") : cell(payoff.mean[i][j], payoff.halfWidth[i][j], top))),
    nash && h("td.number", percent0(nash[i]))));
  return [
    h("p.soft", "bb/100 that the row wins from the column, with its 95% interval. Bold: this interval, looked at once, does not hold 0; that alone is no verdict."),
    scrollTable("Payoff matrix", head, rows, { class: "heat" }),
    h("div.scale", { "aria-hidden": "true" }, h("span", signed(-top, 0)), h("span.bar"), h("span", signed(top, 0))),
    h("ul.sentences", sentences(payoff, agents).map((text) => h("li", text))),
  ];
}

function percent0(share) {
  return share === null || share === undefined ? "–" : `${Math.round(share * 100)}%`;
}

function cell(mean, half, top) {
  if (mean === null) return h("td.number.soft", { title: "Not played" }, "–");
  const clear = half !== null && Math.abs(mean) > half;
  // A square root keeps small differences visible beside large ones; 50% of the colour leaves the number readable.
  const weight = `${(Math.sqrt(Math.abs(mean) / top) * 50).toFixed(1)}%`;
  return h("td.number", { class: mean < 0 ? "loses" : "wins", css: { "--w": weight } },
    h("span", { class: clear ? "strong" : "" }, signed(mean)), h("small", half === null ? "" : `± ${fixed(half)}`));
}

function sentences(payoff, agents) {
  const found = [];
  if (payoff.transitive !== null && payoff.transitive !== undefined) found.push(`${percent(payoff.transitive)} of the squared margins is a difference of skills, what luck adds taken off; the rest is cycles.`);
  for (const cycle of payoff.cycles ?? []) found.push(`A cycle: ${[...cycle, cycle[0]].map((id) => agents.name(id)).join(" beats ")}.`);
  return found;
}
