// Small SVG charts: crisp at any size, drawn in the page's own colours, each with its numbers as a table.
import { h, s, scrollTable, th } from "./dom.js";
import { whole } from "./text.js";

const MARGIN = { top: 10, right: 14, bottom: 34, left: 58 };

/** Return about `count` round numbers that span low to high. */
export function ticks(low, high, count = 5) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-6; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
}

/** Return a function from data to pixels. */
export function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Return the least and the greatest of the finite numbers, a little wider. */
export function extent(values, pad = 0.06) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  const room = (high - low || Math.abs(high) || 1) * pad;
  return [low - room, high + room];
}

/** The size of the page's type in pixels. */
export function rootSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

const point = (x, y) => `${x.toFixed(1)},${y.toFixed(1)}`;

/** Return an SVG path through points; a gap where a number is missing. */
function linePath(xs, ys) {
  let path = "";
  let pen = false;
  ys.forEach((y, index) => {
    if (!Number.isFinite(y)) pen = false;
    else {
      path += `${pen ? "L" : "M"}${point(xs[index], y)}`;
      pen = true;
    }
  });
  return path;
}

/** Return the outline of a band around a line, where both its edges are known. */
function bandPath(xs, lows, highs) {
  const known = xs.map((_, index) => index).filter((index) => Number.isFinite(lows[index]) && Number.isFinite(highs[index]));
  if (known.length < 2) return "";
  const there = known.map((index) => point(xs[index], highs[index]));
  const back = known.reverse().map((index) => point(xs[index], lows[index]));
  return `M${there.join("L")}L${back.join("L")}Z`;
}

/** Draw grid lines and labels of both axes. */
export function axes(width, height, x, y, xTicks, yTicks, { xLabel, yLabel, xFormat = whole, yFormat = whole, zero = false }) {
  const right = width - MARGIN.right;
  const bottom = height - MARGIN.bottom;
  return s("g.axes",
    yTicks.map((tick) => [
      s("line", { class: zero && tick === 0 ? "zero" : "grid", x1: MARGIN.left, x2: right, y1: y(tick), y2: y(tick) }),
      s("text", { x: MARGIN.left - 7, y: y(tick) + 4, "text-anchor": "end" }, yFormat(tick)),
    ]),
    xTicks.map((tick) => s("text", { x: x(tick), y: bottom + 16, "text-anchor": "middle" }, xFormat(tick))),
    s("line.axis", { x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
    s("text.label", { x: right, y: height - 3, "text-anchor": "end" }, xLabel),
    s("text.label", { x: 2, y: MARGIN.top + 1 }, yLabel));
}

/** A frame that draws itself at its real width, and again when that changes. */
export function chartFrame(label, height, draw) {
  const frame = h("div.chart", { css: { height: `${height / 16}rem` } });
  let drawn = 0;
  const redraw = (pixels) => {
    const width = Math.floor((pixels * 16) / rootSize()); // on a very large screen type grows, and charts with it
    if (width < 50 || Math.abs(width - drawn) < 1) return;
    drawn = width;
    frame.replaceChildren(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, draw(width, height)));
  };
  const watch = new ResizeObserver(([entry]) => redraw(entry.contentRect.width));
  watch.observe(frame);
  return frame;
}

/** The numbers behind a chart, made when somebody asks for them. */
export function dataTable(label, head, rowsOf) {
  const box = h("details.data", h("summary", "Numbers as a table"));
  box.addEventListener("toggle", () => {
    if (!box.open || box.children.length > 1) return;
    const rows = rowsOf().map((cells) => h("tr", cells.map((cell, index) => (index ? h("td.number", cell) : h("th", { scope: "row" }, cell)))));
    box.append(scrollTable(label, head.map((text) => th(text)), rows));
  });
  return box;
}

/**
 * Lines over a common x, each with an optional band.
 * series: [{name, colour, dashed, thin, y: [], half: []}]; format turns a y into text.
 */
export function lineChart({ label, x, xLabel, yLabel, series, format, tickFormat = format, zero = false, range = null, height = 260 }) {
  const values = series.flatMap((one) => one.y.flatMap((value, index) => {
    const half = one.half?.[index];
    return value === null ? [] : Number.isFinite(half) ? [value - half, value + half] : [value];
  }));
  const [low, high] = range ?? extent(zero ? [...values, 0] : values);
  const legend = series.map((one) => h("span.value"));
  const say = (index) => series.forEach((one, row) => {
    const value = one.y[index] ?? null;
    const half = one.half?.[index];
    legend[row].textContent = value === null ? "–" : format(value) + (Number.isFinite(half) ? ` ± ${format(half).replace("+", "")}` : "");
  });
  const rest = x.length - 1;
  say(rest);
  const frame = chartFrame(label, height, (width) => {
    const toX = scale(x[0] ?? 0, x.at(-1) ?? 1, MARGIN.left, width - MARGIN.right);
    const toY = scale(low, high, height - MARGIN.bottom, MARGIN.top + 12);
    const stride = Math.max(1, Math.floor(x.length / width));
    const kept = x.map((_, index) => index).filter((index) => index % stride === 0 || index === rest);
    const xs = kept.map((index) => toX(x[index]));
    const cursor = s("line.cursor", { y1: MARGIN.top + 12, y2: height - MARGIN.bottom, x1: 0, x2: 0, visibility: "hidden" });
    const move = (event) => {
      const box = event.currentTarget.ownerSVGElement.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      let nearest = 0;
      for (let index = 0; index < x.length; index += 1) if (Math.abs(toX(x[index]) - at) < Math.abs(toX(x[nearest]) - at)) nearest = index;
      cursor.setAttribute("x1", toX(x[nearest]));
      cursor.setAttribute("x2", toX(x[nearest]));
      cursor.setAttribute("visibility", "visible");
      say(nearest);
    };
    const away = () => {
      cursor.setAttribute("visibility", "hidden");
      say(rest);
    };
    return [
      axes(width, height, toX, toY, ticks(x[0] ?? 0, x.at(-1) ?? 1, width / 110).filter(Number.isInteger), ticks(low, high), { xLabel, yLabel, yFormat: tickFormat, zero }),
      series.filter((one) => one.half).map((one) => s(`path.band.c${one.colour}`, {
        d: bandPath(xs, kept.map((i) => edge(one, i, -1, toY)), kept.map((i) => edge(one, i, 1, toY))) })),
      series.map((one) => s(`path.line.c${one.colour}`, {
        class: `${one.dashed ? "dashed" : ""} ${one.thin ? "thin" : ""}`, d: linePath(xs, kept.map((i) => (one.y[i] === null ? NaN : toY(one.y[i])))) })),
      series.map((one) => lonely(one.y).map((index) => s(`circle.dot.c${one.colour}`, { cx: toX(x[index]), cy: toY(one.y[index]), r: 3.5 }))),
      cursor,
      s("rect.catch", { x: MARGIN.left, y: 0, width: Math.max(0, width - MARGIN.left - MARGIN.right), height: height - MARGIN.bottom, on: { pointermove: move, pointerleave: away } }),
    ];
  });
  const keys = h("ul.legend", series.map((one, row) => h("li", lineKey(one), h("bdi", one.name), " ", legend[row])));
  const table = dataTable(label, [xLabel, ...series.map((one) => one.name)], () => x.map((at, index) => [
    whole(at), ...series.map((one) => (one.y[index] === null ? "–" : format(one.y[index]) + (Number.isFinite(one.half?.[index]) ? ` ± ${format(one.half[index]).replace("+", "")}` : "")))]));
  return h("figure", h("figcaption", label), keys, frame, table);
}

function edge(one, index, sign, toY) {
  const half = one.half[index];
  return one.y[index] === null || half === null ? NaN : toY(one.y[index] + sign * half);
}

/** Return where a value has no neighbour: a line would not show it. */
function lonely(values) {
  const known = (index) => values[index] !== null && values[index] !== undefined;
  return values.map((_, index) => index).filter((index) => known(index) && !known(index - 1) && !known(index + 1));
}

function lineKey(one) {
  return s("svg.key", { width: 22, height: 10, "aria-hidden": "true" }, s(`path.line.c${one.colour}`, { class: `${one.dashed ? "dashed" : ""} ${one.thin ? "thin" : ""}`, d: "M1,5L21,5" }));
}

/** A value with its interval on a common scale, for a table row. */
export function whisker(value, half, low, high, colour, width = 190, height = 22) {
  const at = scale(low, high, 6, width - 6);
  const middle = height / 2;
  const known = Number.isFinite(value);
  return s("svg.whisker", { width: `${width / 16}rem`, height: `${height / 16}rem`, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    low < 0 && high > 0 && s("line.zero", { x1: at(0), x2: at(0), y1: 0, y2: height }),
    known && Number.isFinite(half) && [
      s(`line.stem.c${colour}`, { x1: at(value - half), x2: at(value + half), y1: middle, y2: middle }),
      [-1, 1].map((sign) => s(`line.stem.c${colour}`, { x1: at(value + sign * half), x2: at(value + sign * half), y1: middle - 4, y2: middle + 4 })),
    ],
    known && s(`circle.dot.c${colour}`, { cx: at(value), cy: middle, r: 4 }));
}

function short(name) {
  return name.length > 22 ? `${name.slice(0, 21)}…` : name;
}

/** Dots with intervals: points [{x, y, half, colour, name}]. */
export function dotChart({ label, points, xLabel, yLabel, xFormat, yFormat, xTicks = null, zero = true, fromZero = false, named = true, height = 280, joined = false }) {
  const [left, right] = extent([...points.map((one) => one.x), ...(fromZero ? [0] : [])], 0.12);
  const edges = points.flatMap((one) => (Number.isFinite(one.half) ? [one.y - one.half, one.y + one.half] : [one.y]));
  const [low, high] = extent(zero ? [...edges, 0] : edges);
  return chartFrame(label, height, (width) => {
    const x = scale(left, right, MARGIN.left, width - MARGIN.right);
    const y = scale(low, high, height - MARGIN.bottom, MARGIN.top + 12);
    return [
      axes(width, height, x, y, xTicks ?? ticks(left, right, width / 130), ticks(low, high), { xLabel, yLabel, xFormat, yFormat, zero }),
      joined && s("path.line.thin.c7", { d: linePath(points.map((one) => x(one.x)), points.map((one) => y(one.y))) }),
      points.map((one) => s("g",
        Number.isFinite(one.half) && s(`line.stem.c${one.colour}`, { x1: x(one.x), x2: x(one.x), y1: y(one.y - one.half), y2: y(one.y + one.half) }),
        s(`circle.dot.c${one.colour}`, { cx: x(one.x), cy: y(one.y), r: 5 }, s("title", `${one.name}: ${yFormat(one.y)}`)),
        named && s("text.name", { x: x(one.x) + (x(one.x) > width * 0.75 ? -9 : 9), y: y(one.y) - 6, "text-anchor": x(one.x) > width * 0.75 ? "end" : "start" }, short(one.name)))),
    ];
  });
}
