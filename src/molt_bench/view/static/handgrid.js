// The 169 starting hands as a square of 13 by 13: pairs on its diagonal, suited hands above it, others below.
import { button, h } from "./dom.js";

const SIDE = 13;
const STEPS_TO = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -SIDE, ArrowDown: SIDE };

/** A square of buttons; `chosenOf` returns the names that are chosen, and `choose` takes them anew. */
export function handGrid(startingHands, chosenOf, choose) {
  const cells = startingHands.map((name, at) => {
    const kind = name.length === 2 ? "pair" : name.endsWith("s") ? "suited" : "";
    return button(name, () => toggle(name), { class: `grid-cell ${kind}`, tabindex: at ? "-1" : "0" });
  });
  const toggle = (name) => {
    const chosen = chosenOf();
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
    draw();
  };
  const draw = () => {
    const chosen = chosenOf();
    startingHands.forEach((name, at) => cells[at].setAttribute("aria-pressed", String(chosen.includes(name))));
  };
  const keydown = (event) => {
    const from = cells.indexOf(event.target);
    const to = from + (STEPS_TO[event.key] ?? 0);
    if (!STEPS_TO[event.key] || !cells[to]) return;
    event.preventDefault();
    cells[from].tabIndex = -1;
    cells[to].tabIndex = 0;
    cells[to].focus();
  };
  draw();
  const box = h(
    "div.hand-grid",
    { role: "group", "aria-label": "Starting hands; arrow keys move", on: { keydown } },
    cells,
  );
  return { element: h("details.hand-grid-box", h("summary", "Starting hands"), box), draw };
}
