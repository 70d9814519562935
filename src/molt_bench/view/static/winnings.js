// Cumulative winnings of one pairing: as dealt, and adjusted for luck.
import { choice, h } from "./dom.js";
import { lineChart } from "./linechart.js";
import { signed } from "./text.js";

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
