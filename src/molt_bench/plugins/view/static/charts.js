// Small SVG charts: sharp at any size, in the page's own colours, each with its numbers as a table.
import { choice, h, row, s, scrollTable, th } from "./dom.js";
import { chartButtons, tableButton } from "./download.js";
import { NONE, whole } from "./text.js";

const MARGIN = { top: 10, right: 14, bottom: 34, left: 58 };

/** Return about `count` round numbers between low and high. */
export function ticks(low, high, count = 5) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-6; at += 1) {
    found.push(Number((at * step).toPrecision(12)));
  }
  return found;
}

/** Return a function that maps data to pixels. */
export function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Return the smallest and the largest of the finite numbers, with a little padding. */
export function extent(values, pad = 0.06) {
  const known = values.filter(Number.isFinite);
  if (!known.length) return [0, 1];
  const low = known.reduce((least, value) => Math.min(least, value));
  const high = known.reduce((most, value) => Math.max(most, value));
  const room = (high - low || Math.abs(high) || 1) * pad;
  return [low - room, high + room];
}

/** Return both ends of an interval, or the value alone where there is no interval. */
export function ends(value, half) {
  return Number.isFinite(half) ? [value - half, value + half] : [value];
}

/** The root font size in pixels. */
export function rootSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

const point = (x, y) => `${x.toFixed(1)},${y.toFixed(1)}`;

/** Return an SVG path through points, with a gap where a number is missing. */
function linePath(xs, ys) {
  let path = "";
  let pen = false;
  ys.forEach((y, index) => {
    if (Number.isFinite(y)) path += `${pen ? "L" : "M"}${point(xs[index], y)}`;
    pen = Number.isFinite(y);
  });
  return path;
}

/** Draw the grid and the labels of both axes. x and y are {at, ticks, label, format}: a scale and its labels. */
function axes(width, height, x, y, { zero = false } = {}) {
  const right = width - MARGIN.right;
  const bottom = height - MARGIN.bottom;
  return s("g", [
    y.ticks.map((tick) => [
      s(zero && tick === 0 ? "line.zero" : "line.grid", { x1: MARGIN.left, x2: right, y1: y.at(tick), y2: y.at(tick) }),
      s("text", { x: MARGIN.left - 7, y: y.at(tick) + 4, "text-anchor": "end" }, y.format(tick)),
    ]),
    x.ticks.map((tick) => s("text", { x: x.at(tick), y: bottom + 16, "text-anchor": "middle" }, x.format(tick))),
    s("line.axis", { x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
    s("text.label", { x: right, y: height - 3, "text-anchor": "end" }, x.label),
    s("text.label", { x: 2, y: MARGIN.top + 1 }, y.label),
  ]);
}

/** A frame that draws itself at its actual width, and again when the width changes. */
function chartFrame(label, height, draw) {
  const frame = h("div.chart", { css: { height: `${height / 16}rem` } });
  let drawn = 0;
  const fit = (pixels) => {
    const width = Math.floor((pixels * 16) / rootSize()); // on a very large screen the font grows, and charts with it
    if (width < 50 || Math.abs(width - drawn) < 1) return;
    drawn = width;
    const about = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label };
    frame.replaceChildren(s("svg", about, draw(width)));
  };
  new ResizeObserver(([entry]) => fit(entry.contentRect.width)).observe(frame);
  return frame;
}

/** The numbers behind a chart, built when the reader opens them. */
function dataTable(label, head, rowsOf) {
  const box = h("details.data", h("summary", "Numbers as a table"));
  box.addEventListener("toggle", () => {
    if (!box.open || box.children.length > 1) return;
    const rows = rowsOf().map(([first, ...rest]) => row(first, rest.map((cell) => h("td.number", cell))));
    const table = scrollTable(label, head.map((text) => th(text)), rows);
    box.append(table, tableButton(() => table.querySelector("table"), label));
  });
  return box;
}

/** An inline SVG in a table cell, `width` and `height` in pixels of a 16-pixel font. */
export function inlineChart(width, height, ...children) {
  const size = { width: `${width / 16}rem`, height: `${height / 16}rem`, viewBox: `0 0 ${width} ${height}` };
  return s("svg.inline", { ...size, "aria-hidden": "true" }, children);
}

/**
 * Draw lines over a common x.
 * series: [{name, dir, colour, dashed, thin, y: [], half: [], joins: []}]; format makes a y text; zero: a line at 0.
 * With joins, [from, to], the values are dots with intervals. xName names an x.
 */
export function lineChart(options) {
  return options.series.length > MOST_LINES ? oneOfMany(options) : allLines(options);
}

const MOST_LINES = 12; // more cannot be told apart

/** The same with one line highlighted, which the reader chooses; the others are faint, and have no legend. */
function oneOfMany(options) {
  const { label, series } = options;
  const box = h("div");
  const draw = (at) => {
    const others = series.filter((_, index) => index !== at).map((one) => ({ ...one, half: null, isDim: true }));
    box.replaceChildren(allLines({ ...options, series: [...others, series[at]], isTitled: false }));
  };
  const id = `line-${label.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  const names = series.map(({ name }, index) => [String(index), name]);
  draw(0);
  const select = choice(id, "Highlight", names, "0", (value) => draw(Number(value)));
  return h("figure", h("figcaption", label), h("p.field", select), box);
}

function allLines(
  {
    label,
    x,
    xLabel,
    xName = null,
    yLabel,
    series,
    format,
    tickFormat,
    zero = false,
    range = null,
    height = 260,
    isTitled = true,
  },
) {
  const values = series.flatMap((one) =>
    one.y.flatMap((value, index) => (value === null ? [] : ends(value, one.half?.[index])))
  );
  const [low, high] = range ?? extent(zero ? [...values, 0] : values);
  const last = x.length - 1;
  const legend = series.map(() => h("span.value"));
  const place = h("li.soft");
  const show = (index) => {
    const isRest = xName && index === null; // each with its latest value: not all are in the last run
    const known = (one) => (isRest ? one.y.findLastIndex((value) => value !== null) : (index ?? last));
    series.forEach((one, at) => (legend[at].textContent = valueText(one, known(one), format)));
    place.textContent = isRest
      ? "latest of each"
      : xName
      ? `${whole(x[index])}: ${xName(index)}`
      : `${xLabel}: ${whole(x[index ?? last] ?? 0)}`;
  };
  show(null);
  const frame = chartFrame(label, height, (width) => {
    const toX = scale(x[0] ?? 0, x.at(-1) ?? 1, MARGIN.left, width - MARGIN.right);
    const toY = scale(low, high, height - MARGIN.bottom, MARGIN.top + 12);
    const xTicks = ticks(x[0] ?? 0, x.at(-1) ?? 1, width / 110).filter(Number.isInteger);
    const yAxis = { at: toY, ticks: ticks(low, high), label: yLabel, format: tickFormat };
    const stride = Math.max(1, Math.floor(x.length / width));
    const kept = x.map((_, index) => index).filter((index) => index % stride === 0 || index === last);
    return [
      axes(width, height, { at: toX, ticks: xTicks, label: xLabel, format: whole }, yAxis, { zero }),
      series.filter((one) => one.half && !one.joins).map((one) => band(one, kept, x, toX, toY)),
      series.map((one) => (one.joins ? joined(one, x, toX, within(toY, low, high)) : line(one, kept, x, toX, toY))),
      pointerCatcher(x.map(toX), width, height, show),
    ];
  });
  const keys = series.map((one, at) =>
    !one.isDim && h("li", lineKey(one), h("bdi", { title: one.name, dir: one.dir }, one.name), " ", legend[at])
  );
  const rows = () =>
    x.map((at, index) => [xName ? xName(index) : whole(at), ...series.map((one) => valueText(one, index, format))]);
  const table = dataTable(label, [xLabel, ...series.map((one) => one.name)], rows);
  return h(
    isTitled ? "figure" : "div",
    isTitled && h("figcaption", label),
    h("ul.legend", keys, place),
    frame,
    chartButtons(() => frame.querySelector("svg"), label),
    table,
  );
}

function valueText(one, index, format) {
  const value = one.y[index] ?? null;
  const half = one.half?.[index];
  if (value === null) return NONE;
  return format(value) + (Number.isFinite(half) && half > 0 ? ` ± ${format(half).replace("+", "")}` : "");
}

function lineClass(one) {
  if (one.isDim) return "dim";
  return `${one.dashed === true ? "dashed" : one.dashed || ""} ${one.thin ? "thin" : ""}`;
}

function lineKey(one) {
  const path = s(`path.line.c${one.colour}`, { class: lineClass(one), d: "M1,5L21,5" });
  return s("svg.key", { width: 22, height: 10, "aria-hidden": "true" }, path);
}

/** Draw a line; a value without neighbours, which a line would not show, is a dot. */
function line(one, kept, x, toX, toY) {
  const known = (index) => one.y[index] !== null && one.y[index] !== undefined;
  const lonely = one.isDim
    ? []
    : one.y.map((_, index) => index).filter((at) => known(at) && !known(at - 1) && !known(at + 1));
  const ys = kept.map((index) => (one.y[index] === null ? NaN : toY(one.y[index])));
  return [
    s(`path.line.c${one.colour}`, { class: lineClass(one), d: linePath(kept.map((index) => toX(x[index])), ys) }),
    lonely.map((at) => s(`circle.dot.c${one.colour}`, { cx: toX(x[at]), cy: toY(one.y[at]), r: 3.5 })),
  ];
}

/** Return a scale that stops at the ends of its range. */
const within = (to, low, high) => (value) => to(Math.min(high, Math.max(low, value)));

/** Draw dots with their intervals, and the lines between those that are joined. */
function joined(one, x, toX, toY) {
  const at = (index) => [toX(x[index]), toY(one.y[index])];
  const isKnown = (index) => Number.isFinite(one.y[index]);
  const lines = one.joins.filter(([from, to]) => isKnown(from) && isKnown(to)).map(([from, to]) => {
    const d = `M${point(...at(from))}L${point(...at(to))}`;
    return s(`path.line.c${one.colour}`, { class: lineClass(one), d });
  });
  const dots = x.map((_, index) => index).filter(isKnown).map((index) => {
    const [cx, cy] = at(index);
    const [y1, y2] = ends(one.y[index], one.half[index]).map(toY);
    const stem = y2 !== undefined && s(`line.stem.thin.c${one.colour}`, { x1: cx, x2: cx, y1, y2 });
    return s("g", stem, s(`circle.dot.c${one.colour}`, { cx, cy, r: 3.5 }));
  });
  return s("g", lines, dots);
}

/** Draw the band around a line, where both its edges are known. */
function band(one, kept, x, toX, toY) {
  const known = kept.filter((at) => one.y[at] !== null && Number.isFinite(one.half[at]));
  if (known.length < 2) return null;
  const there = known.map((at) => point(toX(x[at]), toY(one.y[at] + one.half[at])));
  const back = known.reverse().map((at) => point(toX(x[at]), toY(one.y[at] - one.half[at])));
  return s(`path.band.c${one.colour}`, { d: `M${there.join("L")}L${back.join("L")}Z` });
}

/** An invisible area with a cursor line; tells which x the pointer is nearest to, and null when it leaves. */
function pointerCatcher(xs, width, height, show) {
  const bottom = height - MARGIN.bottom;
  const cursor = s("line.cursor", { y1: MARGIN.top + 12, y2: bottom, x1: 0, x2: 0, visibility: "hidden" });
  const pointermove = (event) => {
    const box = event.currentTarget.ownerSVGElement.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const distances = xs.map((x) => Math.abs(x - at));
    const nearest = distances.indexOf(distances.reduce((least, one) => Math.min(least, one), Infinity));
    cursor.setAttribute("x1", xs[nearest]);
    cursor.setAttribute("x2", xs[nearest]);
    cursor.setAttribute("visibility", "visible");
    show(nearest);
  };
  const pointerleave = () => {
    cursor.setAttribute("visibility", "hidden");
    show(null);
  };
  const size = { x: MARGIN.left, y: 0, width: Math.max(0, width - MARGIN.left - MARGIN.right), height: bottom };
  return [cursor, s("rect.catch", { ...size, on: { pointermove, pointerleave } })];
}
