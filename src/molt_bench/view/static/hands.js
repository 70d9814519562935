// Every hand of a run, with filters and sorting kept in the address; 100,000 rows are no problem.
import { rootSize } from "./charts.js";
import { handsPath, loadOnce, runPath } from "./data.js";
import { announce, button, cast, choice, h, runName } from "./dom.js";
import { chosen, FAULT, FIELDS, FORCED, lossOf, queryOf, wishesIn } from "./filters.js";
import { ariaSort, arrow } from "./matches.js";
import { crumbs, replaceHash, route, withQuery } from "./router.js";
import { fixed, isMissing, NONE, plural, signed, STREETS, visibleLine, whole } from "./text.js";

// Row heights, as in pages.css.
const ROW_REM = 2.1;
const NARROW_ROW_REM = 3.6;
const NARROW = "(max-width: 48rem)";
const MARKS = Object.entries({ 1: "showdown", 2: "all-in", 4: "fault", 8: "forced fold", 16: "not counted" });
const NAMES = {
  place: "Hand",
  a: "A",
  b: "B",
  net: "A's bb",
  pot: "Pot bb",
  loss: "Mistake bb",
  street: "Ended",
  flags: "Marks",
};
/** The columns of the list; mistakes only if the run has been graded. */
const columnsOf = ({ losses }) => Object.entries(NAMES).filter(([key]) => key !== "loss" || losses);

const ABOUT_HANDS =
  "Each deal appears twice, once per seating (AB and BA). Match · seed pair · hand links to the replayer.";
const listScroll = new Map();

/** The row of one hand in the list. */
function handRow(run, data, agents, wishes, index) {
  const { filters: { agent }, order } = wishes;
  const at = Object.fromEntries(Object.entries(data.columns).map(([key, column]) => [key, column[index]]));
  const net = at.net / 100;
  const loss = lossOf(data, agent, index);
  const list =
    new URLSearchParams(Object.entries(queryOf(wishes.filters, order)).filter(([, value]) => value)).toString() ||
    "all";
  const href = withQuery(route("run", run, "hand", at.match, at.seed, at.hand), { list });
  const marks = MARKS.filter(([bit]) => at.flags & bit);
  const cells = {
    place: [h("a", { href }, `${at.match} · ${at.seed} · ${at.hand}`), h("small", at.seating === 1 ? "BA" : "AB")],
    a: agents.label(data.agents[at.a]),
    b: agents.label(data.agents[at.b]),
    net: h("span", { class: net < 0 ? "negative" : net > 0 ? "positive" : "" }, signed(net, 2)),
    pot: fixed(at.pot / 100, 2),
    loss: isMissing(loss) ? NONE : fixed(loss / 1000, 2),
    street: STREETS[at.street],
    flags: marks.map(([bit, word]) => h("span", { class: bit & (FAULT | FORCED) ? "bad" : "" }, word)),
  };
  const shown = columnsOf(data).map(([key]) => h(`span.v-cell.v-${key}`, { role: "cell" }, cells[key]));
  return h("div.v-row", { role: "row" }, shown);
}

export async function handsPage(place, view) {
  const id = place.parts[1];
  const [run, data] = await Promise.all([loadOnce(runPath(id)), loadOnce(handsPath(id))]);
  const agents = cast(run.participants);
  const total = data.columns.net.length;
  const { filters, order } = wishesIn(place.query);
  let found = [];

  const count = h("p.count", { role: "status" });
  const head = h("div.v-row", { role: "row", "aria-rowindex": "1" });
  const rowHeight = () => (matchMedia(NARROW).matches ? NARROW_ROW_REM : ROW_REM) * rootSize();
  const row = (index) => handRow(id, data, agents, { filters, order }, found[index]);
  const list = longList({ label: "Hands", head, rowHeight, row });
  list.element.classList.toggle("graded", Boolean(data.losses));
  const none = h("p.empty", { hidden: true }, total ? "No hand passes these filters." : "No hand has been played yet.");

  function drawHead() {
    head.replaceChildren(
      ...columnsOf(data).map(([key, text]) => {
        const here = order.key === key || (key === "net" && order.key === "swing");
        const act = () => {
          sortBy(key, here ? !order.down : key !== "place");
          head.querySelector(`[data-key="${key}"]`).focus();
        };
        const sort = button([text, arrow(here, order)], act, { class: "sort", "data-key": key });
        return h(`span.v-cell.v-${key}`, { role: "columnheader", "aria-sort": ariaSort(here, order) }, sort);
      }),
    );
  }

  function draw() {
    found = chosen(data, filters, order);
    drawHead();
    list.setCount(found.length);
    list.element.hidden = found.length === 0;
    none.hidden = found.length > 0;
    count.textContent = `${whole(found.length)} of ${plural(total, "hand")}`;
  }

  function update() {
    draw();
    replaceHash(withQuery(route("run", id, "hands"), queryOf(filters, order)));
  }

  function sortBy(key, down) {
    Object.assign(order, { key, down });
    update();
  }

  const biggest = button("Biggest swings first", () => {
    sortBy("swing", true);
    announce("Sorted by the size of the swing");
  });
  view.show("Hands", [
    crumbs([`Run ${runName(run)}`, route("run", id)], ["Hands", null]),
    h("h1", "Hands"),
    h("p.soft", ABOUT_HANDS),
    filterForm(run, agents, filters, update, data),
    h("div.bar", count, biggest),
    list.element,
    none,
  ]);
  draw();
  // Coming back from a hand, the reader finds the list where it was.
  list.element.scrollTop = listScroll.get(location.hash) ?? 0;
  const remember = () => view.signal.aborted || listScroll.set(location.hash, list.element.scrollTop);
  list.element.addEventListener("scroll", remember, { passive: true });
}

function filterForm(run, agents, filters, update, data) {
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
  const form = h("form.filters", { "aria-label": "Filters", on: { submit: (event) => event.preventDefault() } }, [
    pick("agent", "Agent", [["", "all"], ...names]),
    pick("opponent", "Opponent", [["", "all"], ...names]),
    pick("position", "Its position", [["", "both"], ["button", "button"], ["big", "big blind"]]),
    cards,
    amount("match", "Match", { step: "1", placeholder: "all" }),
    pick("street", "Ended on", [["", "any street"], ...STREETS.map((street, index) => [String(index), street])]),
    amount("pot", "Minimum pot, bb", { step: "any", placeholder: "0" }),
    data.losses && amount("mistake", "Minimum mistake, bb", { step: "any", placeholder: "0" }),
    yesNo("showdown", "Showdown"),
    yesNo("allin", "All-in"),
    yesNo("lines", "Lines differ"),
    yesNo("fault", "Fault"),
    data.faultKinds.length > 0 && pick("kind", "Kind of fault", [["", "any"], ...kinds]),
    button("Clear", () => {
      for (const field of FIELDS) filters[field] = "";
      for (const control of form.querySelectorAll("select, input")) control.value = "";
      update();
    }),
  ]);
  return form;
}

const SPARE = 8; // rows drawn above and below the screen, so quick scrolling shows no gaps
const TALLEST = 8_000_000; // pixels; browsers limit the height of an element, so a longer list is scaled

/** Make a scrolling list. `row(index)` makes the element of a row; `setCount` redraws them all from the top. */
function longList({ label, head, row, rowHeight: measure }) {
  const space = h("div.v-space", { role: "rowgroup" });
  const top = h("div.v-head", { role: "rowgroup" }, head);
  const body = h("div.v-body", { role: "table", "aria-label": label }, top, space);
  const box = h("div.v-list", { tabindex: "0", role: "region", "aria-label": `${label}, scrolling` }, body);
  let count = 0;
  let rowHeight = measure();
  let pending = false;
  let first = -1;
  let last = -1;

  function draw(force) {
    pending = false;
    const full = count * rowHeight;
    const stretch = Math.min(1, TALLEST / Math.max(full, 1));
    const start = box.scrollTop / stretch;
    const from = Math.max(0, Math.floor(start / rowHeight) - SPARE);
    const to = Math.min(count, Math.ceil((start + box.clientHeight) / rowHeight) + SPARE);
    if (!force && from === first && to === last) return;
    const focused = document.activeElement?.closest?.(".v-row")?.dataset.row;
    [first, last] = [from, to];
    const shift = box.scrollTop - start; // 0 unless scaled
    space.replaceChildren();
    for (let index = from; index < to; index += 1) {
      const element = row(index);
      element.style.transform = `translateY(${index * rowHeight + shift}px)`;
      element.dataset.row = index;
      element.setAttribute("aria-rowindex", index + 2);
      space.append(element);
    }
    if (focused !== undefined) space.querySelector(`[data-row="${focused}"] a`)?.focus({ preventScroll: true });
  }

  box.addEventListener("scroll", () => {
    if (!pending) {
      pending = true;
      requestAnimationFrame(() => draw(false));
    }
  }, { passive: true });
  new ResizeObserver(() => {
    size();
    draw(false);
  }).observe(box);

  function size() {
    rowHeight = measure();
    space.style.height = `${Math.min(count * rowHeight, TALLEST)}px`;
  }

  return {
    element: box,
    setCount(next) {
      count = next;
      body.setAttribute("aria-rowcount", count + 1);
      size();
      box.scrollTop = 0;
      draw(true);
    },
  };
}
