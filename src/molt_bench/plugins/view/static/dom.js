// Builds elements without innerHTML, so data can only ever become text; and the labels of agents and runs.
import { visible, visibleLine } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, classes, rest) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  let children = rest;
  const first = rest[0];
  if (first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first)) {
    children = rest.slice(1);
    for (const [name, value] of Object.entries(first)) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") element.setAttribute("class", [...classes, value].join(" "));
      else if (name === "on") Object.entries(value).forEach(([event, act]) => element.addEventListener(event, act));
      else if (name === "css") Object.entries(value).forEach(([key, text]) => element.style.setProperty(key, text));
      else element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children.flat(4)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Make an HTML element: h("td.number", {title: "..."}, "text", child). */
export function h(spec, ...rest) {
  const [tag, ...classes] = spec.split(".");
  return fill(document.createElement(tag), classes, rest);
}

/** Make an SVG element in the same way. */
export function s(spec, ...rest) {
  const [tag, ...classes] = spec.split(".");
  return fill(document.createElementNS(SVG, tag), classes, rest);
}

export function button(text, act, more = {}) {
  return h("button", { type: "button", on: { click: act }, ...more }, text);
}

/** A labelled select; options are [value, text] pairs. */
export function choice(id, label, options, value, act) {
  const listed = options.map(([key, text]) => h("option", { value: key }, text));
  const select = h("select", { id, on: { change: () => act(select.value) } }, listed);
  select.value = value;
  return [h("label", { for: id }, label), select];
}

/** A table that scrolls sideways on a narrow screen, also by keyboard. */
export function scrollTable(label, head, rows, more = {}) {
  const table = h("table", more, h("thead", h("tr", head)), h("tbody", rows));
  return h("div.scroll", { tabindex: "0", role: "group", "aria-label": label }, table);
}

export function th(text, more = {}) {
  return h("th", { scope: "col", ...more }, text);
}

/** The head of a column of numbers. */
export function numberHead(text, more = {}) {
  return th(text, { class: "number", ...more });
}

/** A table row: its head, then its cells. */
export function row(head, ...cells) {
  return h("tr", h("th", { scope: "row" }, head), cells);
}

export function number(text, more = {}) {
  return h("td.number", more, text);
}

/** A description list of [name, value] pairs. */
export function facts(pairs, more = {}) {
  return h("dl.facts", more, pairs.map(([name, value]) => h("div", h("dt", name), h("dd", value))));
}

/** Replace what is in a box; the control that had the focus, found by its position, keeps it. */
export function redraw(box, controls, ...children) {
  const at = [...box.querySelectorAll(controls)].indexOf(document.activeElement);
  box.replaceChildren(...children);
  if (at >= 0) box.querySelectorAll(controls)[at]?.focus({ preventScroll: true });
}

/** Say something to people who use a screen reader. */
export function announce(text) {
  const status = document.getElementById("status");
  if (status.textContent !== text) status.textContent = text;
}

/** A button that copies what a function returns, and confirms it. */
export function copyButton(textOf, label = "Copy") {
  const made = button(label, async () => {
    const said = (await copied(textOf())) ? "Copied" : "Select and copy by hand";
    made.textContent = said;
    announce(said);
    setTimeout(() => (made.textContent = label), 1500);
  }, { class: "copy" });
  return made;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page opened from a file or over plain HTTP may have no clipboard; the old way still works there.
    const area = h("textarea.unseen", { "aria-hidden": "true", tabindex: "-1" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A block of text with a button that copies it. */
export function copyBlock(title, text) {
  const block = h("pre", { tabindex: "0", role: "region", "aria-label": title }, h("code", visible(text)));
  return h("div.copyable", h("div.bar", h("h3", title), copyButton(() => text)), block);
}

const COLOURS = 12;
const PLAIN = 6; // so many are easy to tell apart; lines of the others are dashed

/** Return names by id as they are shown: never empty, and with the id where two agents have the same name. */
function shownNames(participants) {
  const names = participants.map(({ id, name }) => [id, visibleLine(name).trim() || visibleLine(id)]);
  const isShared = (text) => names.filter(([, other]) => other === text).length > 1;
  return new Map(names.map(([id, text]) => [id, isShared(text) ? `${text} (${visibleLine(id)})` : text]));
}

/** Return lookups of the participants of a run: names, colours and labels by id. */
export function cast(participants) {
  const byId = new Map(participants.map((one, index) => [one.id, { ...one, color: one.color ?? index }]));
  const names = shownNames(participants);
  const find = (id) => byId.get(id) ?? { id, name: id, color: 7 };
  const nameOf = (id) => names.get(id) ?? visibleLine(id);
  return {
    name: nameOf,
    colour: (id) => find(id).color % COLOURS,
    dashed: (id) => lineStyle(find(id).color),
    anchor: (id) => Boolean(find(id).anchor),
    reference: (id) => Boolean(find(id).reference),
    label: (id) => agentLabel(nameOf(id), find(id).color),
  };
}

/** How the line of an agent is drawn, so that colour alone never decides. */
function lineStyle(colour) {
  return colour < PLAIN ? "" : colour < COLOURS ? "dashed" : "dotted";
}

/** A name with its coloured dot; bdi keeps a right-to-left name from affecting its neighbours. */
function agentLabel(shown, colour) {
  const mark = h(`span.mark.c${colour % COLOURS}`, { "aria-hidden": "true" });
  return h("span.agent", { title: shown }, mark, h("bdi", shown));
}

/** The name of a run; in a single file its id is only the key of its data. */
export function runName(run) {
  return visibleLine(run.name ?? run.id);
}
