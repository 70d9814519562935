// Elements without innerHTML: what comes from data can only ever be text.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, classes, rest) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  let children = rest;
  const first = rest[0];
  if (first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first)) {
    children = rest.slice(1);
    for (const [name, value] of Object.entries(first)) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else if (name === "css") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
      else if (name === "class") element.setAttribute("class", [...classes, value].join(" "));
      else element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children.flat(4)) if (child !== null && child !== undefined && child !== false) element.append(child);
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

/** A table that scrolls sideways by itself on a narrow screen, and by keyboard. */
export function scrollTable(label, head, rows, more = {}) {
  const table = h("table", more, h("thead", h("tr", head)), h("tbody", rows));
  return h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, table);
}

export function th(text, more = {}) {
  return h("th", { scope: "col", ...more }, text);
}

export function number(text, more = {}) {
  return h("td.number", more, text);
}

/** Say something to those who listen to the page rather than see it. */
export function announce(text) {
  const status = document.getElementById("status");
  if (status.textContent !== text) status.textContent = text;
}

/** A button that copies text (or what a function returns by then), and says that it did. */
export function copyButton(text, label = "Copy") {
  const made = button(label, async () => {
    const said = (await copied(typeof text === "function" ? text() : text)) ? "Copied" : "Select and copy by hand";
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
    // A page opened from a file, or over plain HTTP, may have no clipboard: the old way still works there.
    const area = h("textarea.unseen", { "aria-hidden": "true", tabindex: "-1" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
