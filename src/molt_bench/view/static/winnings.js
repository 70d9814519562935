// Cumulative winnings of one pairing: as they fell, and with luck taken out.
import { lineChart } from "./charts.js";
import { h } from "./dom.js";
import { signed } from "./text.js";

export function winningsSection(run, agents, state) {
  const pairs = (run.winnings ?? []).filter((pair) => pair.raw.length);
  if (!pairs.length) return null;
  const name = (pair) => `${agents.name(pair.a)} against ${agents.name(pair.b)}`;
  const box = h("div");
  const draw = () => {
    const pair = pairs.find((one) => `${one.a}\n${one.b}` === state.open.winnings) ?? pairs[0];
    const half = agents.colour(pair.a);
    box.replaceChildren(lineChart({
      label: `What ${agents.name(pair.a)} has won from ${agents.name(pair.b)}, bb`, x: pair.raw.map((_, index) => index + 1), xLabel: "seed pairs", yLabel: "bb", zero: true, height: 280,
      format: (value) => signed(value, 0),
      series: [{ name: "as the cards fell", colour: half, thin: true, dashed: true, y: pair.raw }, { name: "luck taken out", colour: half, y: pair.adjusted }].filter((one) => one.y?.length),
    }));
  };
  const select = h("select", { id: "winnings-pair", on: { change: () => {
    state.open.winnings = select.value;
    draw();
  } } }, pairs.map((pair) => h("option", { value: `${pair.a}\n${pair.b}` }, name(pair))));
  if (state.open.winnings) select.value = state.open.winnings;
  draw();
  return [pairs.length > 1 && h("p.field", h("label", { for: "winnings-pair" }, "Pairing "), select), box];
}
