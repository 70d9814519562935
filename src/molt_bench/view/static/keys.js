// The keys of the replayer, and the dialog that lists them.
import { button, h } from "./dom.js";

const KEYS = {
  "← →": "one step back or forward",
  "Home End": "first or last step",
  "↑ ↓": "previous or next hand",
  Space: "play or pause",
  "?": "show this list",
  Esc: "close this list",
};
const CONTROLS = "input, select, textarea, button, a, summary, [role='region'], .step-list";

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
