// Line charts: lines over a common x, each with an optional band, and a legend that follows the pointer.
import { axes, chartFrame, dataTable, ends, extent, linePath, MARGIN, point, scale, ticks } from "./charts.js";
import { h, s } from "./dom.js";
import { NONE, whole } from "./text.js";

/**
 * Draw lines over a common x.
 * series: [{name, colour, dashed, thin, y: [], half: []}]; format turns a y into text; zero draws a zero line.
 */
export function lineChart(
  { label, x, xLabel, yLabel, series, format, tickFormat, zero = false, range = null, height = 260 },
) {
  const values = series.flatMap((one) =>
    one.y.flatMap((value, index) => (value === null ? [] : ends(value, one.half?.[index])))
  );
  const [low, high] = range ?? extent(zero ? [...values, 0] : values);
  const last = x.length - 1;
  const legend = series.map(() => h("span.value"));
  const show = (index) => series.forEach((one, at) => (legend[at].textContent = valueText(one, index, format)));
  show(last);
  const frame = chartFrame(label, height, (width) => {
    const toX = scale(x[0] ?? 0, x.at(-1) ?? 1, MARGIN.left, width - MARGIN.right);
    const toY = scale(low, high, height - MARGIN.bottom, MARGIN.top + 12);
    const xTicks = ticks(x[0] ?? 0, x.at(-1) ?? 1, width / 110).filter(Number.isInteger);
    const yAxis = { at: toY, ticks: ticks(low, high), label: yLabel, format: tickFormat };
    const stride = Math.max(1, Math.floor(x.length / width));
    const kept = x.map((_, index) => index).filter((index) => index % stride === 0 || index === last);
    return [
      axes(width, height, { at: toX, ticks: xTicks, label: xLabel, format: whole }, yAxis, { zero }),
      series.filter((one) => one.half).map((one) => band(one, kept, x, toX, toY)),
      series.map((one) => line(one, kept, x, toX, toY)),
      pointerCatcher(x.map(toX), width, height, show),
    ];
  });
  const keys = series.map((one, at) => h("li", lineKey(one), h("bdi", one.name), " ", legend[at]));
  const rows = () => x.map((at, index) => [whole(at), ...series.map((one) => valueText(one, index, format))]);
  const table = dataTable(label, [xLabel, ...series.map((one) => one.name)], rows);
  return h("figure", h("figcaption", label), h("ul.legend", keys), frame, table);
}

function valueText(one, index, format) {
  const value = one.y[index] ?? null;
  const half = one.half?.[index];
  if (value === null) return NONE;
  return format(value) + (Number.isFinite(half) ? ` ± ${format(half).replace("+", "")}` : "");
}

function lineClass(one) {
  return `${one.dashed ? "dashed" : ""} ${one.thin ? "thin" : ""}`;
}

function lineKey(one) {
  const path = s(`path.line.c${one.colour}`, { class: lineClass(one), d: "M1,5L21,5" });
  return s("svg.key", { width: 22, height: 10, "aria-hidden": "true" }, path);
}

/** Draw a line; a value without neighbours, which a line would not show, is a dot. */
function line(one, kept, x, toX, toY) {
  const known = (index) => one.y[index] !== null && one.y[index] !== undefined;
  const lonely = one.y.map((_, index) => index).filter((at) => known(at) && !known(at - 1) && !known(at + 1));
  const ys = kept.map((index) => (one.y[index] === null ? NaN : toY(one.y[index])));
  return [
    s(`path.line.c${one.colour}`, { class: lineClass(one), d: linePath(kept.map((index) => toX(x[index])), ys) }),
    lonely.map((at) => s(`circle.dot.c${one.colour}`, { cx: toX(x[at]), cy: toY(one.y[at]), r: 3.5 })),
  ];
}

/** Draw the band around a line, where both its edges are known. */
function band(one, kept, x, toX, toY) {
  const known = kept.filter((at) => one.y[at] !== null && Number.isFinite(one.half[at]));
  if (known.length < 2) return null;
  const there = known.map((at) => point(toX(x[at]), toY(one.y[at] + one.half[at])));
  const back = known.reverse().map((at) => point(toX(x[at]), toY(one.y[at] - one.half[at])));
  return s(`path.band.c${one.colour}`, { d: `M${there.join("L")}L${back.join("L")}Z` });
}

/** An invisible area with a cursor line; tells which x the pointer is nearest to, and the last one when it leaves. */
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
    show(xs.length - 1);
  };
  const size = { x: MARGIN.left, y: 0, width: Math.max(0, width - MARGIN.left - MARGIN.right), height: bottom };
  return [cursor, s("rect.catch", { ...size, on: { pointermove, pointerleave } })];
}
