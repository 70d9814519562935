// Dots with their intervals around a zero line, with names where there is room.
import { axes, chartFrame, ends, extent, linePath, MARGIN, scale, ticks } from "./charts.js";
import { h, s } from "./dom.js";
import { chartButtons } from "./download.js";

/** A dot with its interval. */
function dot(one, toX, toY, title) {
  const [x, y] = [toX(one.x), toY(one.y)];
  const [y1, y2] = [toY(one.y - one.half), toY(one.y + one.half)];
  return s("g", [
    Number.isFinite(one.half) && s(`line.stem.c${one.colour}`, { x1: x, x2: x, y1, y2 }),
    s(`circle.dot.c${one.colour}`, { cx: x, cy: y, r: 5 }, s("title", title)),
  ]);
}

const LETTER = 6.6; // pixels, about the width of a letter
const LINE = 13;

/** A line across the chart. */
function level({ y, colour, name }, width, toY) {
  const look = `path.line.thin.dotted.c${colour}`;
  return s(look, { d: `M${MARGIN.left},${toY(y)}L${width - MARGIN.right},${toY(y)}` }, s("title", name));
}

/** Write names beside dots where there is room; all of them are in the legend. Left of the dot, right, above, below. */
function dotNames(points, toX, toY, width) {
  const taken = points.map((one) => box(toX(one.x) - 6, toY(one.y) - 6, 12, 12));
  return points.map((one) => {
    const [x, y, long] = [toX(one.x), toY(one.y), one.name.length * LETTER];
    const places = [
      ["start", x + 9, y + 4, box(x + 9, y - 7, long, LINE)],
      ["end", x - 9, y + 4, box(x - 9 - long, y - 7, long, LINE)],
      ["middle", x, y - 11, box(x - long / 2, y - 22, long, LINE)],
      ["middle", x, y + 20, box(x - long / 2, y + 9, long, LINE)],
    ];
    const isFree = ([, , , at]) =>
      at.left >= MARGIN.left && at.right <= width - 2 && at.top >= 12 && !taken.some((other) => overlap(at, other));
    const found = places.find(isFree);
    if (!found) return null;
    taken.push(found[3]);
    return s("text.name", { x: found[1], y: found[2], "text-anchor": found[0] }, one.name);
  });
}

const box = (left, top, width, height) => ({ left, top, right: left + width, bottom: top + height });
const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/**
 * Dots with intervals around a zero line, over a log axis.
 * points: [{x, y, half, colour, name}]; x and y: {label, format}; frontier: points to draw a line through; levels:
 * [{y, name, colour}] to draw across, where they are on the scale.
 */
export function dotChart({ label, points, x, y, frontier, levels }) {
  const height = 280;
  const [left, right] = extent(points.map((one) => Math.log10(one.x)), 0.12);
  const [low, high] = extent([...points.flatMap((one) => ends(one.y, one.half)), 0]);
  const chart = chartFrame(label, height, (width) => {
    const scaled = scale(left, right, MARGIN.left, width - MARGIN.right);
    const toX = (value) => scaled(Math.log10(value));
    const toY = scale(low, high, height - MARGIN.bottom, MARGIN.top + 12);
    const decades = logTicks(left, right);
    const xTicks = decades.length > 1 ? decades : ticks(left, right, width / 130).map((tick) => 10 ** tick);
    const path = linePath(frontier.map((one) => toX(one.x)), frontier.map((one) => toY(one.y)));
    return [
      axes(width, height, { ...x, at: toX, ticks: xTicks }, { ...y, at: toY, ticks: ticks(low, high) }, { zero: true }),
      levels.filter((one) => one.y > low && one.y < high).map((one) => level(one, width, toY)),
      frontier.length > 1 && s("path.line.thin.dashed.c7", { d: path }),
      points.map((one) => dot(one, toX, toY, `${one.name}: ${y.format(one.y)}`)),
      dotNames(points, toX, toY, width),
    ];
  });
  const mark = (one) => h(`span.mark.c${one.colour}`, { "aria-hidden": "true" });
  const keys = points.map((one) => h("li", mark(one), " ", h("bdi", one.name)));
  return h("div", chart, h("ul.legend", keys), chartButtons(() => chart.querySelector("svg"), label));
}

/** Return the powers of ten in a range of logarithms; 2 and 5 times them, too, where there are few. */
function logTicks(left, right) {
  const powers = [];
  for (let at = Math.floor(left); at <= Math.ceil(right); at += 1) powers.push(at);
  const steps = right - left > 2 ? [1] : [1, 2, 5];
  const found = powers.flatMap((power) => steps.map((step) => Number((step * 10 ** power).toPrecision(3))));
  return found.filter((value) => Math.log10(value) >= left && Math.log10(value) <= right);
}
