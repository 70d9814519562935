// How the numbers settled, match by match, and where the hands went.
import { lineChart } from "./charts.js";
import { h, number, scrollTable, th } from "./dom.js";
import { fixed, percent, signed, whole } from "./text.js";

export function convergenceSection(run, agents) {
  const { convergence } = run;
  if (!convergence?.matches?.length) return null;
  const common = { x: convergence.matches, xLabel: "matches" };
  const lines = (value, band) => convergence.series.map((one) => ({
    name: agents.name(one.id), colour: agents.colour(one.id), dashed: agents.dashed(one.id), y: one[value], half: one[band],
  }));
  const pairs = (convergence.confidence ?? []).map((pair, index) => ({
    name: `${agents.name(pair.above)} above ${agents.name(pair.below)}`, colour: agents.colour(pair.above), dashed: index % 2 === 1, y: pair.sure, half: null,
  }));
  return h("div.grid",
    lineChart({ ...common, label: "bb/100 with its 95% interval", yLabel: "bb/100", series: lines("bb100", "halfWidth"), format: (value) => signed(value), tickFormat: (value) => signed(value, Number.isInteger(value) ? 0 : 1), zero: true }),
    lineChart({ ...common, label: "Rating, mu with sigma", yLabel: "rating", series: lines("mu", "sigma"), format: (value) => fixed(value), tickFormat: (value) => fixed(value, Number.isInteger(value) ? 0 : 1) }),
    pairs.length > 0 && lineChart({ ...common, label: "Confidence in the order of neighbours", yLabel: "sure", series: pairs, format: (value) => percent(value), tickFormat: (value) => `${Math.round(value * 100)}%`, range: [Math.min(0.4, ...pairs.flatMap((pair) => pair.y.filter((sure) => sure !== null)).map((sure) => sure - 0.03)), 1.01] }));
}

export function spentSection(run, agents) {
  const { spent } = run;
  if (!spent?.length) return null;
  const most = Math.max(...spent.map((pair) => pair.hands), 1);
  const rows = [...spent].sort((one, other) => other.hands - one.hands).map((pair) => h("tr",
    h("th", { scope: "row" }, agents.label(pair.a), h("span.soft", " – "), agents.label(pair.b)),
    number(whole(pair.matches)), number(whole(pair.hands)),
    h("td.wide", h("span.amount", { css: { "--w": `${((pair.hands / most) * 100).toFixed(1)}%` } }))));
  return scrollTable("Where hands were spent", [th("Pairing"), th("Matches", { class: "number" }), th("Hands", { class: "number" }), th(h("span.unseen", "Hands, drawn"))], rows, { class: "tall" });
}
