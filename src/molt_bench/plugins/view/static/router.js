// Hash routes, which work from file:// too; and the keys of the replayer.
import { button, h } from "./dom.js";

/** Parse a hash such as #/run/x/hands?agent=a into its path parts and its query. */
export function parseHash(hash) {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const path = cut < 0 ? text : text.slice(0, cut);
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { path, parts, query: new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1)) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a link typed by hand with a stray percent sign
  }
}

/** Return the hash of a page: route("run", "x", "hand", 1, 0, 3). */
export function route(...parts) {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

export function withQuery(hash, query) {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== null))
    .toString();
  return text ? `${hash}?${text}` : hash;
}

/** Change the address without redrawing the page. */
export function replaceHash(hash) {
  if (location.hash !== hash) history.replaceState(history.state, "", hash);
}

/** Return the full link of a hash. */
export function fullLink(hash) {
  return location.href.split("#")[0] + hash;
}

/** Links to the pages above this one. */
export function crumbs(...links) {
  const parts = links.map(([text, href], index) => [
    index ? h("span", { "aria-hidden": "true" }, " / ") : "",
    href ? h("a", { href }, text) : h("span", { "aria-current": "page" }, text),
  ]);
  return h("nav.crumbs", { "aria-label": "Breadcrumbs" }, parts);
}

const KEYS = {
  "← →": "one step back or forward",
  "Home End": "first or last step",
  "↑ ↓": "previous or next hand",
  "1 2 3 4": "to preflop, flop, turn or river",
  n: "next costly decision or fault, in this hand or a later one",
  Space: "play or pause",
  "?": "show this list",
  Esc: "close this list",
};
const CONTROLS = "input, select, textarea, button, a, summary, [tabindex='0']";

export function helpDialog() {
  const rows = Object.entries(KEYS).map(([keys, what]) => {
    const names = keys.split(" ").map((key) => [h("kbd", key), " "]);
    return h("tr", h("th", { scope: "row" }, names), h("td", what));
  });
  const title = h("h2", { id: "keys-title" }, "Keys");
  const close = button("Close", () => dialog.close());
  const dialog = h("dialog", { "aria-labelledby": "keys-title" }, title, h("table", h("tbody", rows)), close);
  return dialog;
}

/** Call `acts` by their keys until the signal aborts; a focused control keeps the keys that it needs itself. */
export function listenKeys(signal, dialog, acts) {
  const byKey = { ...acts, "?": () => dialog.showModal() };
  document.addEventListener("keydown", (event) => {
    const act = byKey[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const control = event.target.closest(CONTROLS);
    const isButton = control && /^(BUTTON|A|SUMMARY)$/.test(control.tagName);
    if (control && !isButton && event.key !== "?") return; // these keys scroll or move it
    if (isButton && event.key === " ") return; // this key presses it
    event.preventDefault();
    act();
  }, { signal });
}
