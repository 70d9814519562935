// The 169 starting hands as a square of 13 by 13: pairs on its diagonal, suited hands above it, others below.
import { button, h } from "./dom.js";

const SIDE = 13;
const STEPS_TO = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -SIDE, ArrowDown: SIDE };

/** A square of buttons; `chosenOf` returns the names that are chosen, and `choose` takes them anew. */
export function handGrid(startingHands, chosenOf, choose) {
  let cells = [];
  const toggle = (name) => {
    const chosen = chosenOf();
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
    draw();
  };
  const draw = () => {
    const chosen = chosenOf();
    cells.forEach((cell, at) => cell.setAttribute("aria-pressed", String(chosen.includes(startingHands[at]))));
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
  const label = "Starting hands; arrow keys move";
  const box = h("div.hand-grid", { role: "group", "aria-label": label, on: { keydown } });
  // Made when it is opened: the list of hands is there sooner.
  const fill = () => {
    if (cells.length) return;
    cells = startingHands.map((name, at) => {
      const kind = name.length === 2 ? "pair" : name.endsWith("s") ? "suited" : "";
      return button(name, () => toggle(name), { class: `grid-cell ${kind}`, tabindex: at ? "-1" : "0" });
    });
    draw();
    box.append(...cells);
  };
  const summary = h("summary", "Starting hands");
  return { element: h("details.hand-grid-box", { on: { toggle: fill } }, summary, box), draw };
}
