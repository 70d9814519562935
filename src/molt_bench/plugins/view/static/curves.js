// Curves: how the numbers converged, what each pairing took, and the winnings of a pairing with and without luck.
import { lineChart } from "./charts.js";
import { choice, h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { route, withQuery } from "./router.js";
import { fixed, percent, signed, signedTick, visibleLine, whole } from "./text.js";

export function convergenceSection(run, agents) {
  if (!run.convergence?.matches.length) return null;
  const { matches, series, confidence } = run.convergence;
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

export function spentSection(run, agents, state) {
  const { spent } = run;
  if (!spent.length) return null;
  const most = Math.max(...spent.map((pair) => pair.hands), 1);
  const bar = (hands) => h("span.amount", { css: { "--w": `${((hands / most) * 100).toFixed(1)}%` } });
  const rows = [...spent].sort((one, other) => other.hands - one.hands).map(({ a, b, matches, hands }) => {
    const pairing = [agents.label(a), h("span.soft", " – "), agents.label(b)];
    const all = withQuery(route("run", state.run, "hands"), { agent: a, opponent: b });
    return row(pairing, number(whole(matches)), number(h("a", { href: all }, whole(hands))), h("td.wide", bar(hands)));
  });
  const head = [th("Pairing"), numberHead("Matches"), numberHead("Hands"), th(h("span.unseen", "Hands as a bar"))];
  return scrollTable("Hands per pairing", head, rows, { class: "tall" });
}

const KINDS = [
  ["used", "luck removed, as in the result"],
  ["raw", "as dealt"],
  ["showdown", "showdown winnings, as dealt"],
  ["noShowdown", "non-showdown winnings, as dealt"],
];

/** What every agent has won per hand so far, all opponents alike: sums would show how often agents met. */
function ratesChart({ winRates: { matches, series } }, agents, [kind, text]) {
  return lineChart({
    label: `bb/100 from the opponents met so far, each counting the same: ${text}`,
    x: matches,
    xLabel: "matches",
    yLabel: "bb/100",
    zero: true,
    height: 280,
    format: (value) => signed(value),
    tickFormat: signedTick,
    series: series.map(({ id, ...one }) => {
      return { name: agents.name(id), colour: agents.colour(id), dashed: agents.dashed(id), y: one[kind] };
    }),
  });
}

export function winningsSection(run, agents, state) {
  const pairs = run.winnings;
  if (!pairs.length) return null;
  const key = (pair) => `${pair.a}\n${pair.b}`;
  const chips = (value) => signed(value, 0);
  const box = h("div");
  const draw = () => {
    const kind = KINDS.find(([value]) => value === (state.open.winnings ?? KINDS[0][0]));
    if (kind) return box.replaceChildren(ratesChart(run, agents, kind));
    const pair = pairs.find((one) => key(one) === state.open.winnings) ?? pairs[0];
    const { a, b, raw, used, estimator } = pair;
    const colour = agents.colour(a);
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
        { name: "… of it at showdown", colour: 0, thin: true, dashed: "dotted", y: pair.showdown },
        { name: "… of it without showdown", colour: 1, thin: true, dashed: "dotted", y: pair.noShowdown },
        estimator !== "raw" &&
        { name: `luck removed (${visibleLine(estimator)}, as in the result)`, colour, y: used },
      ].filter(Boolean),
    });
    box.replaceChildren(chart);
  };
  draw();
  const ofPairs = pairs.map((pair) => [key(pair), `${agents.name(pair.a)} against ${agents.name(pair.b)}`]);
  const options = [...KINDS.map(([value, text]) => [value, `All agents: ${text}`]), ...ofPairs];
  const select = choice("winnings-pair", "Show ", options, state.open.winnings ?? KINDS[0][0], (value) => {
    state.open.winnings = value;
    draw();
  });
  return [h("p.field", select), box];
}
