// Every pairing as a heat map: blue where the row wins, orange where it loses, always with the number.
import { h, number, numberHead, row, scrollTable } from "./dom.js";
import { fixed, NONE, percent, signed } from "./text.js";

const ABOUT =
  "bb/100 that the row wins from the column, with its 95% interval. Bold: the interval, at a single look, " +
  "excludes 0; that alone is not a verdict.";
const NASH = "Share of each agent in the mix that no agent beats";

export function payoffSection(run, agents) {
  const { payoff } = run;
  if (!payoff || payoff.ids.length < 2) return null;
  const { ids, mean, halfWidth, nash } = payoff;
  const top = Math.max(...mean.flat().filter((value) => value !== null).map(Math.abs), 1e-9);
  const head = [
    h("td", "wins from →"),
    ids.map((id) => numberHead(agents.label(id))),
    nash && numberHead("Nash", { title: NASH }),
  ];
  const rows = ids.map((id, i) => {
    const cells = ids.map((_, j) => (i === j ? h("td.self") : cell(mean[i][j], halfWidth[i][j], top)));
    return row(agents.label(id), cells, nash && number(nash[i] === null ? NONE : `${Math.round(nash[i] * 100)}%`));
  });
  return [
    h("p.soft", ABOUT),
    scrollTable("Payoff matrix", head, rows, { class: "heat" }),
    h("div.scale", { "aria-hidden": "true" }, h("span", signed(-top, 0)), h("span.bar"), h("span", signed(top, 0))),
    h("ul.sentences", sentences(payoff, agents).map((text) => h("li", text))),
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

function sentences({ transitive, cycles }, agents) {
  const found = cycles.map((ids) => `A cycle: ${[...ids, ids[0]].map((id) => agents.name(id)).join(" beats ")}.`);
  if (transitive === null) return found;
  const share = `Differences in skill explain ${percent(transitive)} of the squared margins, corrected for luck; `;
  return [`${share}cycles explain the rest.`, ...found];
}
