// The keys of the replayer, and the window that lists them.
import { button, h } from "./dom.js";

const KEYS = [["← →", "one step back or forward"], ["Home End", "first or last step"], ["↑ ↓", "previous or next hand"], ["Space", "play or pause"], ["?", "this list"], ["Esc", "close this list"]];

export function helpDialog() {
  const dialog = h("dialog", { "aria-labelledby": "keys-title" }, h("h2", { id: "keys-title" }, "Keys"),
    h("table", h("tbody", KEYS.map(([keys, what]) => h("tr", h("th", { scope: "row" }, keys.split(" ").map((key) => [h("kbd", key), " "])), h("td", what))))),
    button("Close", () => dialog.close()));
  return dialog;
}

/** Call the acts by their keys until the signal aborts; what has the focus keeps the keys it needs itself. */
export function listenKeys(signal, dialog, acts) {
  const byKey = { ArrowLeft: acts.left, ArrowRight: acts.right, ArrowUp: acts.up, ArrowDown: acts.down, Home: acts.home, End: acts.end, " ": acts.play, "?": () => dialog.showModal() };
  document.addEventListener("keydown", (event) => {
    const act = byKey[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const where = event.target.closest("input, select, textarea, button, a, summary, [role='region'], .step-list");
    const isPush = where && /^(BUTTON|A|SUMMARY)$/.test(where.tagName);
    if (where && !isPush && event.key !== "?") return; // it scrolls or slides by these keys
    if (isPush && event.key === " ") return; // it is pushed by this key
    event.preventDefault();
    act();
  }, { signal });
}
