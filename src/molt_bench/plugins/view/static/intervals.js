// The interval plot that the leaderboard is: a dot with its interval in each row, one axis, and brackets around those
// who are not told apart. It is as wide as its column, without a script that measures.
import { ends, extent, scale, ticks } from "./charts.js";
import { h, s } from "./dom.js";
import { fixed } from "./text.js";

const NARROWEST = 250; // pixels that the labels of an axis must fit in
const LANES = 6; // brackets beside each other

/** Return the scale that all intervals of a plot share: {low, high, at, ticks}; `at` is in percent. */
export function intervalScale(intervals) {
  const [low, high] = extent([0, ...intervals.flatMap(([value, half]) => ends(value, half))], 0.04);
  const at = scale(low, high, 0, 100);
  const shown = [6, 5, 4, 3, 2].map((count) => ticks(low, high, count)).find((found) => fit(found, at));
  return { low, high, at, ticks: shown ?? ticks(low, high, 1) };
}

const tickText = (tick) => fixed(tick, Number.isInteger(tick) ? 0 : 1);

/** Whether the labels of some ticks have room beside each other, also on a phone. */
function fit(found, at) {
  const boxes = found.map((tick) => {
    const [middle, long] = [(at(tick) * NARROWEST) / 100, 8 * tickText(tick).length];
    const left = middle - long * { first: 0.1, "": 0.5, last: 0.9 }[sideOf(at(tick))];
    return [left, left + long + 8];
  });
  return boxes.every(([left], index) => !index || left >= boxes[index - 1][1]);
}

/** Which end of the axis a label is at, where it would not have room on both sides of its tick. */
const sideOf = (place) => (place < 8 ? "first" : place > 92 ? "last" : "");

const placed = (value) => `${value.toFixed(2)}%`;

/** The labels of the axis. */
export function intervalAxis({ at, ticks: shown }) {
  const label = (tick) => h("span", { class: sideOf(at(tick)), css: { left: placed(at(tick)) } }, tickText(tick));
  return h("div.interval-axis", { "aria-hidden": "true" }, shown.map(label));
}

/** A value with its interval, over the lines of the axis. */
export function interval(value, half, colour, { low, high, at, ticks: shown }) {
  const across = (x, look) => s(look, { x1: placed(at(x)), x2: placed(at(x)), y1: 0, y2: "100%" });
  const isKnown = Number.isFinite(value);
  const [left, right] = [value - half, value + half].map((end) => placed(at(end)));
  const stem = (x1, x2, y1, y2) => s(`line.stem.c${colour}`, { x1, x2, y1, y2 });
  const drawn = [
    shown.filter((tick) => tick !== 0).map((tick) => across(tick, "line.grid")),
    low < 0 && high > 0 && across(0, "line.zero"),
    isKnown && half > 0 && Number.isFinite(half) && [
      stem(left, right, "50%", "50%"),
      stem(left, left, "30%", "70%"),
      stem(right, right, "30%", "70%"),
    ],
    isKnown && s(`circle.dot.c${colour}`, { cx: placed(at(value)), cy: "50%", r: 4.5 }),
  ];
  return h("div.interval", s("svg", { "aria-hidden": "true" }, drawn));
}

/** Return the lane of every bracket, so that none covers another: [{first, last, lane}]; the longest come first. */
export function bracketLanes(runs) {
  const ends = [];
  return [...runs].sort((one, other) => one[0] - other[0]).flatMap(([first, last]) => {
    let lane = ends.findIndex((end) => end < first);
    if (lane < 0) lane = ends.length;
    if (lane >= LANES) return [];
    ends[lane] = last;
    return [{ first, last, lane }];
  });
}

/** The part of all brackets that is in a row. */
export function bracketCell(brackets, row) {
  const many = Math.max(0, ...brackets.map(({ lane }) => lane + 1));
  const lanes = Array.from({ length: many }, (_, lane) => {
    const one = brackets.find((each) => each.lane === lane && each.first <= row && row <= each.last);
    const place = one && (row === one.first ? "opens" : row === one.last ? "closes" : "within");
    return h("span.lane", { class: place ?? "" });
  });
  return h("div.lanes", { "aria-hidden": "true" }, lanes);
}
