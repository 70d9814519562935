// The form above the list of hands: who played, with which cards, how, and what was said.
import { button, choice, h } from "./dom.js";
import { FIELDS } from "./filters.js";
import { searchField } from "./search.js";
import { STREETS, visibleLine } from "./text.js";

/** Return the form; it calls `update` when `filters` have changed, with true if the search may have changed too. */
export function filterForm(run, agents, filters, update, data) {
  const set = (field) => (value) => {
    filters[field] = value;
    update();
  };
  const pick = (field, label, options) =>
    h("div.field", choice(`filter-${field}`, label, options, filters[field], set(field)));
  const yesNo = (field, label) => pick(field, label, [["", "any"], ["yes", "yes"], ["no", "no"]]);
  const amount = (field, label, more) => {
    const id = `filter-${field}`;
    const on = { input: () => set(field)(input.value) };
    const input = h("input", { id, type: "number", min: "0", inputmode: "numeric", ...more, on });
    input.value = filters[field];
    return h("div.field", h("label", { for: id }, label), input);
  };
  const names = run.participants.map(({ id }) => [id, agents.name(id)]);
  const kinds = data.faultKinds.map((kind) => [kind, visibleLine(kind)]);
  const hole = { id: "filter-cards", type: "text", size: "10", placeholder: "AA, AKs, 72", autocomplete: "off" };
  const input = h("input", { ...hole, on: { input: () => set("cards")(input.value) } });
  input.value = filters.cards;
  const cards = h("div.field", h("label", { for: "filter-cards" }, "Its hole cards"), input);
  const playedLine = { id: "filter-line", type: "text", size: "14", placeholder: "r3 c / b2/3", autocomplete: "off" };
  const lineInput = h("input", { ...playedLine, on: { change: () => set("line")(lineInput.value) } });
  lineInput.value = filters.line;
  const about = { title: "How the line begins; with * in front, what it has anywhere" };
  const line = h("div.field", about, h("label", { for: "filter-line" }, "Line of play"), lineInput);
  const clear = button("Clear", () => {
    for (const field of FIELDS) filters[field] = "";
    for (const control of form.querySelectorAll("select, input")) control.value = "";
    for (const control of form.querySelectorAll("input[type=checkbox]")) control.checked = false;
    update(true);
  });
  const form = h("form.filters", { "aria-label": "Filters", on: { submit: (event) => event.preventDefault() } }, [
    pick("agent", "Agent", [["", "all"], ...names]),
    pick("opponent", "Opponent", [["", "all"], ...names]),
    pick("position", "Its position", [["", "both"], ["button", "button"], ["big", "big blind"]]),
    cards,
    line,
    amount("match", "Match", { step: "1", placeholder: "all" }),
    pick("street", "Ended on", [["", "any street"], ...STREETS.map((street, index) => [String(index), street])]),
    amount("pot", "Minimum pot, bb", { step: "any", placeholder: "0" }),
    data.losses && amount("mistake", "Minimum mistake, bb", { step: "any", placeholder: "0" }),
    yesNo("showdown", "Showdown"),
    yesNo("allin", "All-in"),
    yesNo("lines", "Lines differ"),
    yesNo("fault", "Fault"),
    data.faultKinds.length > 0 && pick("kind", "Kind of fault", [["", "any"], ...kinds]),
    h("div.search", searchField(run, filters, update), clear),
  ]);
  return form;
}
