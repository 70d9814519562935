// Charts as SVG and PNG and tables as CSV, made in the page from what is on the screen.
import { button, h, scrollTable } from "./dom.js";

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-weight",
  "paint-order",
];
const PNG_SCALE = 3; // pixels for a point of the page

/** Buttons that save a chart of the page; `name` is the name of the file. */
export function chartButtons(chartOf, name) {
  const svg = () => drawn(chartOf());
  return h("span.downloads", [
    button(
      "SVG",
      () => save(new Blob([svg()], { type: "image/svg+xml" }), `${fileName(name)}.svg`),
      aboutButton(name, "SVG"),
    ),
    button("PNG", () => savePng(svg(), `${fileName(name)}.png`), aboutButton(name, "PNG")),
  ]);
}

/** A button that saves a table; `text` says which one, where there are several. */
export function tableButton(tableOf, name, text = "CSV") {
  const rowsOf = () => [...tableOf().rows].map((row) => [...row.cells].map(cellText));
  return rowsButton(rowsOf, name, text);
}

/** A button that saves rows of texts. */
export function rowsButton(rowsOf, name, text = "CSV") {
  const act = () => save(new Blob([csv(rowsOf())], { type: "text/csv;charset=utf-8" }), `${fileName(name)}.csv`);
  return h("span.downloads", button(text, act, aboutButton(name, "CSV")));
}

/** A table with a button that saves it. */
export function savedTable(name, ...rest) {
  const table = scrollTable(name, ...rest);
  return [table, tableButton(() => table.querySelector("table"), name)];
}

const aboutButton = (name, kind) => ({
  class: "download",
  "aria-label": `${name} as ${kind}`,
  title: `Save as ${kind}`,
});
const fileName = (name) =>
  name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "chart";

function save(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

/** Return a chart as the text of an SVG file, with the colours and sizes that the page gives it. */
function drawn(chart) {
  const copy = chart.cloneNode(true);
  const [from, to] = [chart, copy].map((svg) => [svg, ...svg.querySelectorAll("*")]);
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const key of STYLES) to[index].setAttribute(key, style.getPropertyValue(key));
    to[index].removeAttribute("class");
  });
  for (const hidden of copy.querySelectorAll("[visibility=hidden]")) hidden.remove();
  const [, , width, height] = chart.getAttribute("viewBox").split(" ").map(Number);
  const back = document.createElementNS(copy.namespaceURI, "rect");
  for (const [key, value] of Object.entries({ width, height, fill: backOf(chart) ?? "#ffffff" })) {
    back.setAttribute(key, value);
  }
  copy.prepend(back);
  for (const [key, value] of Object.entries({ width, height, "font-family": "sans-serif" })) {
    copy.setAttribute(key, value);
  }
  return new XMLSerializer().serializeToString(copy);
}

/** The colour behind an element. */
function backOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour && !/^rgba\(.*, 0\)$|^transparent$/.test(colour)) return colour;
  }
  return null;
}

async function savePng(svg, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = h("canvas", { width: image.width * PNG_SCALE, height: image.height * PNG_SCALE });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, name), "image/png");
}

/** Return what a cell of a table says. */
function cellText(element) {
  const small = element.querySelector("small");
  const parts = small ? [element.textContent.replace(small.textContent, ""), small.textContent] : [element.textContent];
  return parts.map((part) => part.trim()).filter(Boolean).join(" ");
}

/** Return rows as CSV (RFC 4180); text that a spreadsheet would take for a formula gets an apostrophe in front. */
function csv(rows) {
  const cell = (said) => {
    const text = String(said).replace(/\u2212/g, "-");
    const safe = /^[=@\t\r\n']|^[+-](?![\d.])/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
