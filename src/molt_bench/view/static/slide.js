// The leaderboard as one drawing, to be saved as a slide: the headline, and everybody's interval under it.
import { scale } from "./charts.js";
import { s } from "./dom.js";
import { bracketLanes, intervalScale, tickText } from "./intervals.js";
import { rankText } from "./text.js";

const WIDTH = 1000;
const NAME_LETTER = 7.4; // pixels, about the width of a letter in a name
const LONGEST = 34; // letters of a name; the table has it in full
const TITLE_NAME_LETTERS = 84;

/** Draw a leaderboard; rows are [{id, ranks, value, half, text}], `title` is the headline without marks. */
export function slide({ title, rows, runs, axisLabel, agents }) {
  const lines = wrapped(title, TITLE_NAME_LETTERS);
  const tall = rows.length > 24 ? 20 : 30;
  const top = 40 + lines.length * 26;
  const names = rows.map(({ id }) => cut(agents.name(id)));
  const brackets = bracketLanes(runs);
  const lanes = Math.max(0, ...brackets.map(({ lane }) => lane + 1));
  const ranks = 24 + lanes * 9;
  const left = ranks + 56 + NAME_LETTER * Math.max(...names.map((name) => name.length));
  const right = WIDTH - 170;
  const bottom = top + rows.length * tall;
  const common = intervalScale(rows.map(({ value, half }) => [value, half]));
  const toX = scale(common.low, common.high, left, right);
  const middle = (row) => top + (row + 0.5) * tall;
  const drawn = [
    lines.map((line, at) => s("text.slide-title", { x: 24, y: 36 + at * 26 }, line)),
    common.ticks.map((tick) => [
      s(tick === 0 ? "line.zero" : "line.grid", { x1: toX(tick), x2: toX(tick), y1: top, y2: bottom }),
      s("text", { x: toX(tick), y: bottom + 18, "text-anchor": "middle" }, tickText(tick)),
    ]),
    s("text", { x: right, y: bottom + 38, "text-anchor": "end" }, axisLabel),
    brackets.map(({ first, last, lane }) => {
      const x = 18 + lane * 9;
      const [from, to] = [middle(first) - tall / 3, middle(last) + tall / 3];
      return s("path.bracket", { d: `M${x + 5},${from}L${x},${from}L${x},${to}L${x + 5},${to}` });
    }),
    rows.map(({ id, ranks: possible, value, half, text }, row) => {
      const [y, look] = [middle(row), `c${agents.colour(id)}`];
      const stem = (x1, x2, y1, y2) => s(`line.stem.${look}`, { x1: toX(x1), x2: toX(x2), y1, y2 });
      const isWide = Number.isFinite(half) && half > 0;
      return [
        s("text.slide-name", { x: ranks + 30, y: y + 5, "text-anchor": "end" }, rankText(possible)),
        s("text.slide-name", { x: ranks + 42, y: y + 5 }, names[row]),
        isWide && [
          stem(value - half, value + half, y, y),
          stem(value - half, value - half, y - 5, y + 5),
          stem(value + half, value + half, y - 5, y + 5),
        ],
        Number.isFinite(value) && s(`circle.dot.${look}`, { cx: toX(value), cy: y, r: 5 }),
        s("text.slide-name", { x: WIDTH - 20, y: y + 5, "text-anchor": "end" }, text),
      ];
    }),
  ];
  return s("svg", { viewBox: `0 0 ${WIDTH} ${bottom + 52}`, role: "img", "aria-label": title }, drawn);
}

/** A long name cut in its middle: names often differ at their ends. */
function cut(name) {
  const letters = [...name];
  if (letters.length <= LONGEST) return name;
  return [...letters.slice(0, LONGEST / 2), "…", ...letters.slice(-LONGEST / 2)].join("");
}

/** Return the lines of a text, each of at most so many letters; a longer word has a line of its own. */
function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (longer.length <= most || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
