// The spectators' page: standings, who waits for whom, and the tables as the server tells them. All of it as text.
import { drawTable } from "./viewer/pokertable.js";
import { h } from "./viewer/dom.js";
import { visibleLine } from "./viewer/text.js";
import { chips, logWords, signed } from "./hand_words.js";

const EVERY_MS = 2000;
const byId = (id) => document.getElementById(id);
const name = (text, other) => (text === null ? other : visibleLine(text));

function progress({ over, progress: at, playing, handsPerMinute }) {
  if (over) return "The run has ended.";
  if (!at) return "The run has not begun.";
  const rate = `${handsPerMinute} hand${handsPerMinute === 1 ? "" : "s"} in the last minute`;
  return `Match ${at.match}, round ${at.round}. ${playing} table${playing === 1 ? "" : "s"} with guests, ${rate}. ` +
    `${chips(at.hands)} hands in finished rounds.`;
}

function bigBlinds({ bbPer100, halfWidth }) {
  if (bbPer100 === null) return "–";
  const mean = `${bbPer100 > 0 ? "+" : ""}${bbPer100.toFixed(1)}`.replace("-", "−");
  return halfWidth === null ? mean : `${mean} ± ${halfWidth.toFixed(1)}`;
}

function standing(each, at) {
  const cells = [h("td", name(each.name, "not named yet")), h("td.number", bigBlinds(each))];
  return h("tr", h("td", at + 1), cells, h("td.number", each.matches));
}

function result({ match, names: [first, second], chips: won }) {
  return h("li", `Match ${match}: ${name(first)} ${signed(won)} against ${name(second)}`);
}

function waiting({ for: awaited, waits, seconds }) {
  const who = awaited === null ? "A table waits for a decision" : `${name(waits)} waits for ${name(awaited)}`;
  return h("li", `${who}, for ${seconds} s.`);
}

/** Draw a table; cards that the table has not seen are face down, and are not known here. */
function table({ names, state }, bigBlind, at) {
  const seats = (names ?? [null, null]).map((each, seat) =>
    name(each, seat === state.button ? "Button" : "Big blind") || "?"
  );
  const folded = state.log.at(-1)?.kind === "fold" ? state.log.at(-1).seat : null;
  const step = { ...state, seat: state.actor ?? folded, action: folded === null ? null : "fold" };
  const side = {
    steps: [step],
    undealt: [],
    button: state.button,
    seats,
    cards: state.shown ?? [["hidden", "hidden"], ["hidden", "hidden"]],
    seating: `table ${at + 1}`,
  };
  const agents = { label: (text) => h("span.agent", h("bdi", text)) };
  const up = [Boolean(state.shown), Boolean(state.shown)];
  const result = state.net ? `: ${seats.map((each, seat) => `${each} ${signed(state.net[seat])}`).join(", ")}` : "";
  return h("section.watched", [
    h("h3", `Table ${at + 1}, hand ${state.hand}${result}`),
    h("div.stage-table", drawTable(side, 0, agents, { bigBlind, up, isOver: false })),
    h("p", logWords(state.log, seats).map(({ words }) => words).join("; ")),
  ]);
}

function show(data) {
  byId("said").textContent = progress(data);
  byId("unnamed").hidden = !data.standings.length || data.standings[0].name !== null;
  byId("standings").replaceChildren(...data.standings.map(standing));
  byId("results").replaceChildren(...data.results.map(result));
  byId("waiting").replaceChildren(...data.waiting.map(waiting));
  byId("delay").textContent = data.delay === null
    ? "The tables are not shown: guests have cards there that nobody else may know."
    : `As they were ${data.delay} seconds ago. Cards are shown after a showdown.`;
  byId("tables").replaceChildren(...data.tables.map((each, at) => table(each, data.bigBlind, at)));
}

async function refresh() {
  try {
    const answer = await fetch("watch.json" + location.search, { cache: "no-store" });
    const data = await answer.json();
    show(data);
    if (data.over) return;
  } catch {
    byId("said").textContent = "The server does not answer: the run may be over or interrupted.";
  }
  setTimeout(refresh, EVERY_MS);
}

byId("lobby").href = "./" + location.search;
refresh();
