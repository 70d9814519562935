// Every hand of a run, with filters and sorting kept in the address; 100,000 rows are no problem.
import { rootSize } from "./charts.js";
import { forget, isFinal, load, loadOnce, namesPath } from "./data.js";
import { announce, button, cast, h, runName } from "./dom.js";
import { rowsButton } from "./download.js";
import { filterForm } from "./filterform.js";
import { chosen, lossOf, queryOf, wishesIn } from "./filters.js";
import { ALL_IN, FAULT, FORCED, listAgain, listOnce, NOT_COUNTED, SHOWDOWN } from "./listing.js";
import { livePanel, SAY_MS } from "./progress.js";
import { longList } from "./longlist.js";
import { ariaSort, arrow } from "./matches.js";
import { ABOUT_LINES, cardTexts, played } from "./playlines.js";
import { crumbs, replaceHash, route, withQuery } from "./router.js";
import { hitPanel, hitsOf, searched } from "./search.js";
import { fixed, isMissing, NONE, plural, signed, STREETS, visible, whole } from "./text.js";

// Row heights, as in pages.css.
const ROW_REM = 2.1;
const NARROW_ROW_REM = 6;
const NARROW = "(max-width: 48rem)";
// What went wrong comes first: on a narrow screen there is not room for all.
const MARKS = [[FAULT, "fault"], [FORCED, "forced fold"], [ALL_IN, "all-in"], [SHOWDOWN, "showdown"], [
  NOT_COUNTED,
  "not counted",
]];
const NAMES = {
  place: "Hand",
  a: "A",
  b: "B",
  board: "Board",
  line: "Line",
  net: "A's bb",
  pot: "Pot bb",
  loss: "Mistake bb",
  street: "Ended",
  flags: "Marks",
};
/** The columns of the list; mistakes only if the run has been graded. */
const columnsOf = ({ losses }) => Object.entries(NAMES).filter(([key]) => key !== "loss" || losses);

const ABOUT_HANDS =
  "Each deal appears twice, once per seating (AB and BA). Match · seed pair (from 0) · hand links to the replayer.";
const NOT_YET = "No hand can be shown yet.";
const listScroll = new Map();

/** The list that a link comes from, for its query. */
function listOf(filters, order) {
  const wishes = Object.entries(queryOf(filters, order)).filter(([, value]) => value);
  return new URLSearchParams(wishes).toString() || "all";
}

const UNSORTED = ["board", "line"]; // read for the rows on the screen alone

/** The row of one hand in the list. */
function handRow(run, data, agents, wishes, index) {
  const { filters: { agent }, order } = wishes;
  const at = Object.fromEntries(Object.entries(data.columns).map(([key, column]) => [key, column[index]]));
  const net = at.net / 100;
  const loss = lossOf(data, agent, index);
  const list = listOf(wishes.filters, order);
  const href = withQuery(route("run", run, "hand", at.match, at.seed, at.hand), { list });
  const marks = MARKS.filter(([bit]) => at.flags & bit);
  const shown = played(data.texts[index]);
  const cards = (player) => cardTexts(shown.holes[player === at.seating ? 0 : 1]);
  const cells = {
    place: [h("a", { href }, `${at.match} · ${at.seed} · ${at.hand}`), h("small", at.seating === 1 ? "BA" : "AB")],
    a: [cards(0), agents.label(data.agents[at.a])],
    b: [cards(1), agents.label(data.agents[at.b])],
    board: cardTexts(shown.board),
    line: h("span", { title: shown.line }, shown.line),
    net: h("span", { class: net < 0 ? "negative" : net > 0 ? "positive" : "" }, signed(net, 2)),
    pot: fixed(at.pot / 100, 2),
    loss: isMissing(loss) ? NONE : fixed(loss / 1000, 2),
    street: STREETS[at.street],
    flags: marks.map(([bit, word]) => h("span", { class: bit & (FAULT | FORCED) ? "bad" : "" }, word)),
  };
  const made = columnsOf(data).map(([key]) => h(`span.v-cell.v-${key}`, { role: "cell" }, cells[key]));
  return h("div.v-row", { role: "row" }, made);
}

/** The hands of a list in their order, for a spreadsheet. */
function savedRows(data, agents, agent, indices) {
  const { match, seed, hand, seating, a, b, net, pot, street, flags, cardsA, cardsB } = data.columns;
  const head = ["Match", "Seed pair", "Hand", "Seating", "A", "B", "Cards of A", "Cards of B", "A's bb", "Pot bb"];
  const name = (place) => agents.name(data.agents[place]);
  const rows = Array.from(indices, (at) => [
    ...[match[at], seed[at], hand[at], seating[at] === 1 ? "BA" : "AB", name(a[at]), name(b[at])],
    ...[data.startingHands[cardsA[at]], data.startingHands[cardsB[at]], net[at] / 100, pot[at] / 100],
    ...(data.losses ? [lossOf(data, agent, at) === null ? "" : lossOf(data, agent, at) / 1000] : []),
    ...[STREETS[street[at]], MARKS.filter(([bit]) => flags[at] & bit).map(([, word]) => word).join(" ")],
  ]);
  return [[...head, ...(data.losses ? ["Mistake bb"] : []), "Ended", "Marks"], ...rows];
}

const UPDATE_MS = 3000;

export async function handsPage(place, view) {
  const id = place.parts[1];
  let [run, data] = await Promise.all([loadOnce(namesPath(id)), listOnce(id)]);
  const agents = cast(run.participants);
  const { filters, order } = wishesIn(place.query);
  let said = null; // what a search has found
  let found = [];

  const count = h("p.count", { role: "status" });
  const about = h("p.soft");
  const panel = h("div");
  const now = h("div");
  const head = h("div.v-row", { role: "row", "aria-rowindex": "1" });
  const rowHeight = () => (matchMedia(NARROW).matches ? NARROW_ROW_REM : ROW_REM) * rootSize();
  const row = (index) => handRow(id, data, agents, { filters, order }, found[index]);
  const list = longList({ label: "Hands", head, rowHeight, row });
  const none = h("p.empty");

  /** Whether more may come: its names and its hands were read one after the other, and it may have ended in between. */
  const isRunning = () => !isFinal && [run.status, data.status].includes("running");

  function drawHead() {
    head.replaceChildren(
      ...columnsOf(data).map(([key, text]) => {
        const here = order.key === key || (key === "net" && order.key === "swing");
        const act = () => {
          sortBy(key, here ? !order.down : key !== "place");
          head.querySelector(`[data-key="${key}"]`).focus();
        };
        if (UNSORTED.includes(key)) return h(`span.v-cell.v-${key}`, { role: "columnheader" }, text);
        const sort = button([text, arrow(here, order)], act, { class: "sort", "data-key": key });
        return h(`span.v-cell.v-${key}`, { role: "columnheader", "aria-sort": ariaSort(here, order) }, sort);
      }),
    );
  }

  function draw(keepPlace = false) {
    if (filters.q !== "" && !said) return; // the search that is under way draws what it finds
    const total = data.columns.net.length;
    const isLive = isRunning();
    found = chosen(data, filters, order, said && hitsOf(data, said));
    if (!keepPlace) drawHead();
    list.element.classList.toggle("graded", Boolean(data.losses));
    list.setCount(found.length, { keepPlace });
    list.element.hidden = found.length === 0;
    none.hidden = found.length > 0;
    none.textContent = total
      ? "No hand passes these filters."
      : data.notShown
      ? NOT_YET
      : "No hand has been played yet.";
    count.setAttribute("aria-live", isLive ? "off" : "polite");
    count.textContent = `${whole(found.length)} of ${plural(total, "hand")}${isLive ? " so far" : ""}`;
    now.replaceChildren(...[!isFinal && livePanel(run, agents)].filter(Boolean));
    about.textContent = [ABOUT_HANDS, ABOUT_LINES, isLive && "This page updates itself.", secretGames(data)].filter(
      Boolean,
    ).join(
      " ",
    );
  }

  /** Apply what the reader wants; a search is waited for. */
  async function update(isSearch = false) {
    replaceHash(withQuery(route("run", id, "hands"), queryOf(filters, order)));
    if (isSearch) await search();
    else draw();
  }

  async function search() {
    const { q, regex } = filters;
    said = null;
    panel.replaceChildren();
    if (q !== "") {
      count.textContent = "Searching …";
      const isRegex = regex === "1";
      const result = await searched(id, q, isRegex);
      if (view.signal.aborted || filters.q !== q || filters.regex !== regex) return;
      said = result;
      panel.replaceChildren(hitPanel(id, agents, result, listOf(filters, order)));
      announce(result.problem ?? plural(result.total, "hit"));
    }
    draw();
  }

  function sortBy(key, down) {
    Object.assign(order, { key, down });
    update();
  }

  const biggest = button("Biggest swings first", () => {
    sortBy("swing", true);
    announce("Sorted by the size of the swing");
  });
  const form = filterForm(run, agents, filters, update, data);
  if (filters.q !== "") await search();
  view.show("Hands", [
    crumbs([`Run ${runName(run)}`, route("run", id)], ["Hands", null]),
    h("h1", "Hands"),
    about,
    run.limits && h("p.warning", visible(run.limits.text)),
    now,
    form,
    panel,
    h(
      "div.bar",
      count,
      h("span.tools", biggest, rowsButton(() => savedRows(data, agents, filters.agent, found), "Hands")),
    ),
    list.element,
    none,
  ]);
  draw();
  // Coming back from a hand, the reader finds the list where it was.
  list.element.scrollTop = listScroll.get(location.hash) ?? 0;
  const remember = () => view.signal.aborted || listScroll.set(location.hash, list.element.scrollTop);
  list.element.addEventListener("scroll", remember, { passive: true });
  if (isRunning()) follow();

  /** Follow a run in progress; the longer its hands take to load, the less often. */
  async function follow() {
    let took = 0;
    let spoken = Date.now();
    while (!view.signal.aborted && isRunning()) {
      await new Promise((done) => setTimeout(done, Math.max(UPDATE_MS, 20 * took)));
      if (view.signal.aborted || document.hidden) continue;
      const began = performance.now();
      const newer = await Promise.all([load(namesPath(id)), listAgain(id)]).catch(() => null);
      took = performance.now() - began;
      if (view.signal.aborted || !newer) continue;
      const before = [data.columns.net.length, data.notShown];
      [run, data] = newer;
      if (data.columns.net.length === before[0] && data.notShown === before[1] && isRunning()) {
        now.replaceChildren(...[livePanel(run, agents)].filter(Boolean));
        continue;
      }
      forget(id);
      draw(true);
      if (!isRunning() || Date.now() - spoken > SAY_MS) {
        spoken = Date.now();
        announce(`Run ${run.status}: ${count.textContent}.`);
      }
    }
  }
}

/** Why some games are missing from the list of a run in progress. */
function secretGames({ notShown }) {
  return notShown > 0 &&
    `${plural(notShown, "game")} will be listed later: others can still be dealt their cards, so they are secret.`;
}
