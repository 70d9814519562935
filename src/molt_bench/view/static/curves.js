// Curves: how the numbers converged, what each pairing took, and the winnings of a pairing with and without luck.
import { lineChart } from "./charts.js";
import { choice, h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { fixed, percent, signed, signedTick, whole } from "./text.js";

export function convergenceSection(run, agents) {
  const { matches, series, confidence } = run.convergence;
  if (!matches.length) return null;
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
    label: "Rating: mu with sigma",
    yLabel: "rating",
    series: lines("mu", "sigma"),
    format: (value) => fixed(value),
    tickFormat: (value) => fixed(value, Number.isInteger(value) ? 0 : 1),
  };
  const pairs = confidence.map(({ above, below, sure }, index) => {
    const name = `${agents.name(above)} above ${agents.name(below)}`;
    return { name, colour: agents.colour(above), dashed: index % 2 === 1, y: sure };
  });
  const known = pairs.flatMap((pair) => pair.y.filter((sure) => sure !== null));
  const order = {
    label: "Confidence in the order of neighbours",
    yLabel: "confidence",
    series: pairs,
    format: percent,
    tickFormat: (value) => `${Math.round(value * 100)}%`,
    range: [Math.min(0.4, ...known.map((sure) => sure - 0.03)), 1.01],
  };
  const charts = [winRates, ratings, ...(pairs.length ? [order] : [])];
  return h("div.grid", charts.map((chart) => lineChart({ ...common, ...chart })));
}

export function spentSection(run, agents) {
  const { spent } = run;
  if (!spent.length) return null;
  const most = Math.max(...spent.map((pair) => pair.hands), 1);
  const bar = (hands) => h("span.amount", { css: { "--w": `${((hands / most) * 100).toFixed(1)}%` } });
  const rows = [...spent].sort((one, other) => other.hands - one.hands).map(({ a, b, matches, hands }) => {
    const pairing = [agents.label(a), h("span.soft", " – "), agents.label(b)];
    return row(pairing, number(whole(matches)), number(whole(hands)), h("td.wide", bar(hands)));
  });
  const head = [th("Pairing"), numberHead("Matches"), numberHead("Hands"), th(h("span.unseen", "Hands as a bar"))];
  return scrollTable("Hands per pairing", head, rows, { class: "tall" });
}

export function winningsSection(run, agents, state) {
  const pairs = run.winnings;
  if (!pairs.length) return null;
  const key = (pair) => `${pair.a}\n${pair.b}`;
  const chips = (value) => signed(value, 0);
  const box = h("div");
  const draw = () => {
    const { a, b, raw, adjusted } = pairs.find((pair) => key(pair) === state.open.winnings) ?? pairs[0];
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
        { name: "as dealt", colour, thin: true, dashed: true, y: raw },
        { name: "luck-adjusted", colour, y: adjusted },
      ],
    });
    box.replaceChildren(chart);
  };
  draw();
  if (pairs.length < 2) return box;
  const options = pairs.map((pair) => [key(pair), `${agents.name(pair.a)} against ${agents.name(pair.b)}`]);
  const select = choice("winnings-pair", "Pairing ", options, state.open.winnings ?? key(pairs[0]), (value) => {
    state.open.winnings = value;
    draw();
  });
  return [h("p.field", select), box];
}
