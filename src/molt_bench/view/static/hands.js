// Every hand of a run: filters in the address, sorting, and a list that does not mind 100,000 rows.
import { cast, runName } from "./agents.js";
import { rootSize } from "./charts.js";
import { handsPath, loadOnce, runPath } from "./data.js";
import { announce, button, h } from "./dom.js";
import { crumbs } from "./matchpage.js";
import { replaceHash, route, withQuery } from "./router.js";
import { fixed, plural, signed, STREETS, whole } from "./text.js";
import { virtualList } from "./virtual.js";

// Row heights, as in pages.css.
const ROW_REM = 2.1;
const NARROW_ROW_REM = 3.6;
const NARROW = "(max-width: 48rem)";
const SHOWDOWN = 1;
const ALL_IN = 2;
const FAULT = 4;
const FORCED = 8;
const NOT_COUNTED = 16;
const MARKS = [[SHOWDOWN, "showdown"], [ALL_IN, "all-in"], [FAULT, "fault"], [FORCED, "forced fold"], [NOT_COUNTED, "not counted"]];
const FIELDS = ["agent", "match", "street", "pot", "showdown", "allin", "fault"];
const COLUMNS = [["Hand", "place"], ["A", "a"], ["B", "b"], ["A's bb", "net"], ["Pot bb", "pot"], ["Ended", "street"], ["Marks", "flags"]];

const listScroll = new Map();

/** Return the numbers of the hands that pass the filters, in the order asked for. */
export function chosen(columns, agents, filters, order) {
  const { match, a, b, net, pot, street, flags } = columns;
  const agent = filters.agent ? agents.indexOf(filters.agent) : -1;
  const only = filters.match === "" ? null : Number(filters.match);
  const ended = filters.street === "" ? null : Number(filters.street);
  const least = Number(filters.pot || 0) * 100;
  const bits = [[filters.showdown, SHOWDOWN], [filters.allin, ALL_IN], [filters.fault, FAULT | FORCED]].filter(([wish]) => wish !== "");
  const found = [];
  for (let index = 0; index < net.length; index += 1) {
    if (filters.agent && a[index] !== agent && b[index] !== agent) continue;
    if (only !== null && match[index] !== only) continue;
    if (ended !== null && street[index] !== ended) continue;
    if (pot[index] < least) continue;
    if (bits.some(([wish, bit]) => ((flags[index] & bit) !== 0) !== (wish === "yes"))) continue;
    found.push(index);
  }
  if (order.key === "place") return order.down ? found.reverse() : found;
  const values = order.key === "swing" ? net.map(Math.abs) : columns[order.key];
  const sign = order.down ? -1 : 1;
  return found.sort((one, other) => sign * (values[one] - values[other]) || one - other);
}

export async function handsPage(place, view) {
  const id = place.parts[1];
  const [run, data] = await Promise.all([loadOnce(runPath(id)), loadOnce(handsPath(id))]);
  const agents = cast(run.participants);
  const { columns } = data;
  const total = columns.net.length;
  const filters = Object.fromEntries(FIELDS.map((field) => [field, place.query.get(field) ?? ""]));
  const order = { key: place.query.get("sort") ?? "place", down: place.query.get("down") === "1" };
  let found = [];

  const count = h("p.count", { role: "status" });
  const head = h("div.v-row.v-heads", { role: "row", "aria-rowindex": "1" });
  const list = virtualList({ label: "Hands", head, rowHeight: () => (matchMedia(NARROW).matches ? NARROW_ROW_REM : ROW_REM) * rootSize(), row: (index) => handRow(found[index]) });
  const controls = filterForm(run, agents, filters, () => update({}));

  function handRow(index) {
    const [match, seed, hand] = [columns.match[index], columns.seed[index], columns.hand[index]];
    const flags = columns.flags[index];
    const swapped = columns.seating[index] === 1;
    const net = columns.net[index] / 100;
    const cells = {
      place: [h("a", { href: route("run", id, "hand", match, seed, hand) }, `${match} · ${seed} · ${hand}`), h("small", swapped ? "BA" : "AB")],
      a: agents.label(data.agents[columns.a[index]]),
      b: agents.label(data.agents[columns.b[index]]),
      net: h("span", { class: net < 0 ? "negative" : net > 0 ? "positive" : "" }, signed(net, 2)),
      pot: fixed(columns.pot[index] / 100, 2),
      street: STREETS[columns.street[index]],
      flags: MARKS.filter(([bit]) => flags & bit).map(([bit, word]) => h("span", { class: bit & (FAULT | FORCED) ? "bad" : "" }, word)),
    };
    return h("div.v-row", { role: "row" }, COLUMNS.map(([, key]) => h(`span.v-cell.v-${key}`, { role: "cell" }, cells[key])));
  }

  function drawHead() {
    head.replaceChildren(...COLUMNS.map(([text, key]) => {
      const here = order.key === key || (key === "net" && order.key === "swing");
      const sort = button([text, h("span", { "aria-hidden": "true" }, here ? (order.down ? " ↓" : " ↑") : "")], () => {
        order.down = here ? !order.down : key !== "place";
        order.key = key;
        update({});
        [...head.querySelectorAll("button")].find((one) => one.dataset.key === key)?.focus();
      }, { class: "sort", "data-key": key });
      return h(`span.v-cell.v-${key}`, { role: "columnheader", "aria-sort": here ? (order.down ? "descending" : "ascending") : null }, sort);
    }));
  }

  function update({ keepAddress = false }) {
    found = chosen(columns, data.agents, filters, order);
    drawHead();
    list.setCount(found.length);
    list.element.hidden = found.length === 0;
    none.hidden = found.length > 0;
    count.textContent = `${whole(found.length)} of ${plural(total, "hand")}`;
    if (!keepAddress) replaceHash(withQuery(route("run", id, "hands"), { ...filters, sort: order.key === "place" ? "" : order.key, down: order.down ? "1" : "" }));
  }

  const none = h("p.empty", { hidden: true }, total ? "No hand passes these filters." : "No hand has been played yet.");
  const biggest = button("Biggest swings first", () => {
    Object.assign(order, { key: "swing", down: true });
    update({});
    announce("Sorted by the size of the swing");
  });
  view.show("Hands", crumbs([`Run ${runName(run)}`, route("run", id)], ["Hands", null]), h("h1", "Hands"),
    h("p.soft", "Each deal appears twice, once for each seating (AB and BA). Match · seed pair · hand opens it in the replayer."),
    controls, h("div.bar", count, biggest), list.element, none);
  update({ keepAddress: true });
  // Who comes back from a hand finds the list where it was.
  list.element.scrollTop = listScroll.get(location.hash) ?? 0;
  list.element.addEventListener("scroll", () => view.signal.aborted || listScroll.set(location.hash, list.element.scrollTop), { passive: true });
}

function filterForm(run, agents, filters, changed) {
  const yesNo = [["", "any"], ["yes", "yes"], ["no", "no"]];
  const choice = (field, label, options) => {
    const select = h("select", { id: `filter-${field}`, on: { change: () => {
      filters[field] = select.value;
      changed();
    } } }, options.map(([value, text]) => h("option", { value }, text)));
    select.value = filters[field];
    return h("div.field", h("label", { for: `filter-${field}` }, label), select);
  };
  const amount = (field, label, more) => {
    const input = h("input", { id: `filter-${field}`, type: "number", min: "0", inputmode: "numeric", ...more, on: { input: () => {
      filters[field] = input.value;
      changed();
    } } });
    input.value = filters[field];
    return h("div.field", h("label", { for: `filter-${field}` }, label), input);
  };
  const form = h("form.filters", { "aria-label": "Filters", on: { submit: (event) => event.preventDefault() } },
    choice("agent", "Agent", [["", "all"], ...run.participants.map((one) => [one.id, agents.name(one.id)])]),
    amount("match", "Match", { step: "1", placeholder: "all" }),
    choice("street", "Ended on", [["", "any street"], ...STREETS.map((street, index) => [String(index), street])]),
    amount("pot", "Pot at least, bb", { step: "any", placeholder: "0" }),
    choice("showdown", "Showdown", yesNo), choice("allin", "All-in", yesNo), choice("fault", "Fault", yesNo),
    button("Clear", () => {
      for (const field of FIELDS) filters[field] = "";
      for (const control of form.querySelectorAll("select, input")) control.value = "";
      changed();
    }));
  return form;
}
