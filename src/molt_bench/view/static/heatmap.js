// Who beats whom among many agents: a square of colours, whose values show on pointing at them and by the arrow keys.
import { h } from "./dom.js";
import { rowsButton } from "./download.js";
import { fixed, isMissing, NONE, signed } from "./text.js";

const LARGEST = 13; // pixels of a cell; with many agents it is as small as the page is wide
const STRONGEST = 0.85; // how opaque the strongest colour is
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** The matrix as colours; `payoff` is {ids, mean, halfWidth}. */
export function heatmap({ ids, mean, halfWidth }, agents, top) {
  const many = ids.length;
  const canvas = h("canvas", { "aria-hidden": "true" });
  const said = h("p.count", { role: "status" });
  const cursor = h("span.heat-cursor", { hidden: true, "aria-hidden": "true" });
  const label = "Payoff matrix as colours: rows win from columns, in the order of the leaderboard; arrow keys move";
  const box = h("div.heatmap", { tabindex: "0", role: "group", "aria-label": label }, canvas, cursor);
  let [at, size] = [[0, 1], LARGEST];

  function draw(width) {
    size = Math.max(2, Math.min(LARGEST, Math.floor(width / many)));
    const sharp = window.devicePixelRatio || 1;
    canvas.width = canvas.height = Math.round(size * many * sharp);
    canvas.style.width = canvas.style.height = `${size * many}px`;
    const look = getComputedStyle(box);
    const [won, lost, self] = [look.getPropertyValue("--pos"), look.getPropertyValue("--neg"), look.color];
    const pen = canvas.getContext("2d");
    pen.scale(sharp, sharp);
    mean.forEach((row, i) =>
      row.forEach((value, j) => {
        if (isMissing(value) && i !== j) return;
        // Colours over nothing, so that they suit both themes; a square root keeps small differences visible.
        pen.globalAlpha = i === j ? 0.25 : Math.sqrt(Math.abs(value) / top) * STRONGEST;
        pen.fillStyle = i === j ? self : value < 0 ? lost : won;
        pen.fillRect(j * size, i * size, size - (size > 6 ? 1 : 0), size - (size > 6 ? 1 : 0));
      })
    );
    show(false);
  }

  function show(isLoud = true) {
    const [i, j] = at;
    cursor.style.setProperty("transform", `translate(${j * size}px, ${i * size}px)`);
    cursor.style.setProperty("width", `${size}px`);
    cursor.style.setProperty("height", `${size}px`);
    cursor.hidden = !isLoud && cursor.hidden;
    const names = [ids[i], ids[j]].map((id) => h("bdi", agents.name(id)));
    const half = isMissing(halfWidth[i][j]) ? "" : ` ± ${fixed(halfWidth[i][j])}`;
    const value = isMissing(mean[i][j]) ? "has not played" : `wins ${signed(mean[i][j])}${half} bb/100 from`;
    said.replaceChildren(...(i === j ? [names[0]] : [names[0], ` ${value} `, names[1]]));
  }

  const within = (place) => Math.max(0, Math.min(many - 1, place));
  box.addEventListener("pointermove", (event) => {
    const { left, top: above } = canvas.getBoundingClientRect();
    const [i, j] = [(event.clientY - above) / size, (event.clientX - left) / size].map(Math.floor);
    if (i < 0 || j < 0 || i >= many || j >= many) return;
    at = [i, j];
    show();
  });
  box.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    at = at.map((place, axis) => within(place + move[axis]));
    show();
  });
  box.addEventListener("focus", () => show());
  new ResizeObserver(([entry]) => draw(entry.contentRect.width)).observe(box);
  const rows = () => [
    ["wins from", ...ids.map(agents.name)],
    ...ids.map((id, i) => [agents.name(id), ...mean[i].map((value) => (isMissing(value) ? NONE : signed(value)))]),
  ];
  return [said, box, rowsButton(rows, "Payoff matrix")];
}
