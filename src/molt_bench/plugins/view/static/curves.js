// Curves: how the numbers converged, and the winnings of a pairing with and without luck.
import { lineChart } from "./charts.js";
import { choice, h } from "./dom.js";
import { fixed, percent, signed, signedTick, visibleLine } from "./text.js";

export function convergenceSection({ curves }, agents) {
  if (!curves?.convergence.matches.length) return null;
  const { matches, series, confidence } = curves.convergence;
  const common = { x: matches, xLabel: "matches" };
  const lines = (value, band) =>
    series.map(({ id, ...one }) => {
      const look = { name: agents.name(id), colour: agents.colour(id), dashed: agents.dashed(id) };
      return { ...look, y: one[value], half: one[band] };
    });
  const winRates = {
    label: "bb/100 with its 95% interval",
    yLabel: "bb/100",
    series: lines("bb100", "halfWidth"),
    format: (value) => signed(value),
    tickFormat: signedTick,
    zero: true,
  };
  const ratings = {
    label: "OpenSkill rating: mu ± sigma",
    yLabel: "rating",
    series: lines("mu", "sigma"),
    format: (value) => fixed(value),
    tickFormat: (value) => fixed(value, Number.isInteger(value) ? 0 : 1),
  };
  const pairs = confidence.map(({ above, below, sure }) => {
    const name = `${agents.name(above)} above ${agents.name(below)}`;
    return { name, dir: "ltr", colour: agents.colour(above), dashed: agents.dashed(above), y: sure };
  });
  const known = pairs.flatMap((pair) => pair.y.filter((sure) => sure !== null));
  const order = {
    label: "How sure the order of neighbours is",
    yLabel: "confidence",
    series: pairs,
    format: percent,
    tickFormat: (value) => `${Math.round(value * 100)}%`,
    range: [Math.min(0.4, ...known.map((sure) => sure - 0.03)), 1.01],
  };
  const charts = [winRates, ratings, ...(pairs.length ? [order] : [])];
  return h("div.grid", charts.map((chart) => lineChart({ ...common, ...chart })));
}

export function winningsSection({ curves }, agents, state) {
  const pairs = curves?.winnings ?? [];
  if (!pairs.length) return null;
  const key = (pair) => `${pair.a}\n${pair.b}`;
  const chips = (value) => signed(value, 0);
  const box = h("div");
  const draw = () => {
    const { a, b, raw, used, estimator } = pairs.find((one) => key(one) === state.open.winnings) ?? pairs[0];
    const chart = lineChart({
      label: `What ${agents.name(a)} has won from ${agents.name(b)}, bb`,
      x: raw.map((_, index) => index + 1),
      xLabel: "seed pairs",
      yLabel: "bb",
      zero: true,
      height: 280,
      format: chips,
      tickFormat: chips,
      series: [
        { name: "as dealt (raw)", colour: 7, thin: true, dashed: true, y: raw },
        estimator !== "raw" &&
        { name: `luck removed (${visibleLine(estimator)}, as in the result)`, colour: agents.colour(a), y: used },
      ].filter(Boolean),
    });
    box.replaceChildren(chart);
  };
  draw();
  const options = pairs.map((pair) => [key(pair), `${agents.name(pair.a)} against ${agents.name(pair.b)}`]);
  const select = choice("winnings-pair", "Show ", options, state.open.winnings ?? key(pairs[0]), (value) => {
    state.open.winnings = value;
    draw();
  });
  return [h("p.field", select), box];
}
