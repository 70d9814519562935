// The duplicate replayer: one deal, both seatings side by side, step by step, with what the agents saw and said.
import { handPath, load, loadOnce, namesPath } from "./data.js";
import { decisionBox, decisionPanel, REPLY } from "./decision.js";
import { announce, button, cast, choice, copyButton, h, runName } from "./dom.js";
import { drawTable, equityBars, icon } from "./pokertable.js";
import { nextToLookAt, wayThrough } from "./handway.js";
import { aligned, linesTable, nextCostly } from "./alignedlines.js";
import { crumbs, fullLink, helpDialog, listenKeys, replaceHash, route, withQuery } from "./router.js";
import { fixed, isMissing, signed, STREETS, visibleLine } from "./text.js";

const STEP_MS = 1000;
let seating = ""; // the seating shown alone, or both
let cards = ""; // whose cards are shown: all, those of A or B, or "none"; the others lie face down until the showdown

export async function replayerPage(place, view) {
  const [, id, , match, seed, hand] = place.parts;
  const [run, data] = await Promise.all([loadOnce(namesPath(id)), load(handPath(id, match, seed, hand))]);
  const agents = cast(run.participants);
  const rows = aligned(data.sides);
  const last = rows.length - 1;
  const partedAt = data.parted === null ? -1 : rows.findIndex(({ cells }) => cells.includes(data.parted));
  const list = place.query.get("list") ?? "";
  const way = await wayThrough(id, data, place.query);
  const here = route("run", id, "hand", match, seed, hand);
  // Texts that the reader has opened, and a text to mark: what a search has found.
  const open = { [REPLY]: place.query.get("in") === "reply", mark: place.query.get("mark") ?? "" };
  let at = stepIn(place.query);
  let timer = null;
  cards = CARDS.includes(place.query.get("cards")) ? place.query.get("cards") : cards;

  function clamp(step) {
    return Math.max(0, Math.min(last, Number.isFinite(step) ? Math.trunc(step) : 0));
  }

  /** The row that an address names: by its number, or as a decision of one seating. */
  function stepIn(query) {
    const side = data.sides.findIndex(({ seating }) => seating === query.get("seating"));
    const found = data.sides[side]?.steps.findIndex(({ decision }) => String(decision) === query.get("decision")) ?? -1;
    if (found > 0) return rows.findIndex(({ cells }) => cells[side] === found);
    if (query.has("costly")) return Math.max(nextCostly(data.sides, rows, -1), 0) || firstDecision();
    return query.has("step") ? clamp(Number(query.get("step"))) : firstDecision();
  }

  /** The row of the first decision: blinds and cards come before it in every hand. */
  function firstDecision() {
    const isDecision = (cell, side) => cell !== null && data.sides[side].steps[cell].decision !== null;
    return clamp(rows.findIndex(({ cells }) => cells.some(isDecision)));
  }

  /** Go to the next costly decision or fault: in this hand, or in a later one of the list. */
  async function goCostly() {
    const row = nextCostly(data.sides, rows, at);
    if (row >= 0) return go(row);
    const next = await nextToLookAt(id, data, place.query);
    if (view.signal.aborted) return;
    if (next === null) announce("No later hand has a costly decision or a fault");
    else location.hash = withQuery(route("run", id, "hand", ...next), { list, costly: "1" });
  }

  const panes = data.sides.map((side) => sidePane(side, data, agents));
  const lines = linesTable(data.sides, rows, partedAt, go);
  const on = { input: () => go(Number(slider.value)) };
  const slider = h("input.steps", { type: "range", min: "0", max: String(last), "aria-label": "Step", on });
  const counter = h("span.counter");
  const play = button([icon("play"), "Play"], toggle, { class: "play" });
  const result = h("p.summary");
  const help = helpDialog();
  const [previous, next] = [way.previous, way.next].map((other) => {
    return other && withQuery(route("run", id, "hand", ...other), { list });
  });
  const neighbour = (href, text) =>
    href ? h("a.push", { href }, text) : h("span.push", { "aria-disabled": "true" }, text);
  const jump = (name, label, key, stepOf) =>
    button(icon(name), () => go(stepOf()), { "aria-label": label, title: `${label} (${key})` });
  const transport = h("div.transport", [
    jump("first", "First step", "Home", () => 0),
    jump("back", "Step back", "←", () => at - 1),
    play,
    jump("forward", "Step forward", "→", () => at + 1),
    jump("last", "Last step", "End", () => last),
    slider,
    counter,
  ]);
  const others = h("div.more-controls", [
    h("span.streets", streetJumps(rows, go)),
    partedAt >= 0 && button("Where the lines diverge", () => go(partedAt)),
    button("Next to look at", goCostly, { title: "The next costly decision or fault (n)" }),
    data.sides.length > 1 && h("span.pick", choice("seating", "Show", SEATINGS, seating, showOnly)),
    h("span.pick", choice("cards", "Cards", cardChoices(data, agents), cards, showCards)),
    h("span.space"),
    h("span.others", [
      neighbour(previous, "↑ Previous hand"),
      neighbour(next, "↓ Next hand"),
      copyButton(() => fullLink(withQuery(here, { step: at, cards })), "Copy link"),
      button("?", () => help.showModal(), { "aria-label": "Keys", title: "Keys (?)" }),
    ]),
  ]);
  const controls = h("div.controls", { role: "group", "aria-label": "Replay" }, transport, others);

  function go(step) {
    at = clamp(step);
    if (at === last) stop();
    draw();
    const said = data.sides.map(({ seating, steps }, side) => {
      const step = steps[rows[at].now[side]];
      return `${seating}: ${visibleLine(step.text)}`;
    });
    announce(`Step ${at + 1} of ${last + 1}. ${said.join(". ")}`);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.replaceChildren(icon("play"), "Play");
  }

  function toggle() {
    if (timer !== null) return stop();
    if (at === last) at = -1;
    play.replaceChildren(icon("pause"), "Pause");
    timer = setInterval(() => go(at + 1), STEP_MS);
    go(at + 1);
  }

  function showOnly(value) {
    seating = value;
    panes.forEach(({ element }, index) => (element.hidden = value !== "" && data.sides[index].seating !== value));
    draw();
  }

  function showCards(value) {
    cards = value;
    draw();
  }

  function draw() {
    slider.value = String(at);
    counter.textContent = `Step ${at + 1} of ${last + 1}`;
    slider.setAttribute("aria-valuetext", counter.textContent);
    const hiding = cards !== "";
    // While the other line goes on, the board of the one that has ended would tell what comes.
    const isTold = !hiding || at === last;
    panes.forEach((pane, side) => pane.draw(rows[at].now[side], open, isTold));
    lines.draw(at, { hiding, only: seating === "" ? null : data.sides.findIndex((side) => side.seating === seating) });
    result.textContent = isTold
      ? summary(data, agents.name(data.a), partedAt)
      : "The result is hidden, as the cards are, until the last step.";
    replaceHash(withQuery(here, { step: at, cards, list }));
  }

  const where = `hand ${hand} of seed pair ${seed}`;
  view.show(`Hand ${hand}, seed pair ${seed}`, [
    crumbs(...[
      [`Run ${runName(run)}`, route("run", id)],
      way.place && [way.place, `${route("run", id, "hands")}?${list}`],
      [`Match ${match}`, route("run", id, "match", match)],
      [where],
    ].filter(Boolean)),
    h("h1", agents.label(data.a), h("span.soft", " against "), agents.label(data.b), h("span.soft", `, ${where}`)),
    result,
    controls,
    h("div.duplicate", panes.map((pane) => pane.element)),
    h("section.both-lines", { "aria-labelledby": "lines-title" }, [
      h("h2", { id: "lines-title" }, data.sides.length > 1 ? "Both lines, street by street" : "Steps"),
      lines.element,
    ]),
    help,
  ]);
  showOnly(data.sides.some((side) => side.seating === seating) ? seating : "");
  view.signal.addEventListener("abort", () => {
    clearInterval(timer);
    help.remove();
  });
  listenKeys(view.signal, help, {
    ArrowLeft: () => go(at - 1),
    ArrowRight: () => go(at + 1),
    ArrowUp: () => previous && (location.hash = previous),
    ArrowDown: () => next && (location.hash = next),
    Home: () => go(0),
    End: () => go(last),
    " ": toggle,
    n: goCostly,
    ...Object.fromEntries(STREETS.map((street, index) => [String(index + 1), () => streetAt(rows, street, go)])),
  });

  view.onQuery((query) => go(stepIn(query)));
  if (open.mark) view.root.querySelector(".decision mark")?.scrollIntoView({ block: "center" });
}

const SEATINGS = [["", "both seatings"], ["AB", "AB alone"], ["BA", "BA alone"]];

const CARDS = ["", "A", "B", "none"];

function cardChoices({ a, b }, agents) {
  const texts = ["all", `as ${agents.name(a)} saw them`, `as ${agents.name(b)} saw them`, "hidden until showdown"];
  return CARDS.map((key, index) => [key, texts[index]]);
}

/** Whether the cards of a seat are face up at a step. */
function isOpen(side, seat, at) {
  if (cards === "" || side.steps.slice(0, at + 1).some(({ kind }) => kind === "showdown")) return true;
  return cards === "AB"[side.players[seat]];
}

function streetAt(rows, street, go) {
  const first = rows.findIndex((row) => row.street === street);
  if (first >= 0) go(first);
}

/** Buttons that jump to the first step of each street that was reached. */
function streetJumps(rows, go) {
  return STREETS.map((street, index) => {
    const isThere = rows.some((row) => row.street === street);
    const names = { "aria-label": `To the ${street}`, title: `To the ${street} (${index + 1})` };
    return button(street, () => streetAt(rows, street, go), { class: "street-jump", disabled: !isThere, ...names });
  });
}

/** The result of both lines of play, in words. */
function summary(data, name, partedAt) {
  const [first, second] = data.sides.map((side) => side.net[side.players[0]] / data.bigBlind);
  if (second === undefined) return `Only one seating of this hand has been played: ${name} ${signed(first, 2)} bb.`;
  const each = `${signed(first, 2)} and ${signed(second, 2)}`;
  if (data.ownDecks) {
    return "Two deals, not one: an agent that may remember what it saw is dealt other cards once the seats are " +
      `swapped. ${name}: ${each} bb.`;
  }
  const texts = data.sides.map((side) => visibleLine(side.steps[data.parted]?.text ?? "the hand is over"));
  const lines = data.parted === null
    ? "Both agents played these cards alike. "
    : `The lines diverge at step ${partedAt + 1}: ${texts.join(" / ")}. `;
  const both = first + second;
  if (both === 0) return `${lines}Over both seatings, no one won: ${each} bb.`;
  return `${lines}Over both seatings ${name} ${both > 0 ? "won" : "lost"} ${fixed(Math.abs(both), 2)} bb (${each}): ` +
    "what the difference in play was worth with these cards. Identical play would cancel out.";
}

/** One seating: its table, equities, and what was said. */
function sidePane(side, data, agents) {
  const table = h("div");
  const equities = h("div");
  const said = h("div");
  const luck = luckLine(side, agents.name(data.a));
  const id = `side-${side.seating}`;
  const soft = (text) => h("span.soft", text);
  const [above, below] = side.seats.map((seat) => h("bdi", agents.name(seat)));
  const heading = [h("span.badge", side.seating), " ", above, soft(" above, "), below, soft(" below")];
  const uncounted = "This hand does not count: it is a warm-up hand, or both agents failed in this game.";
  const element = h("section.side", { "aria-labelledby": id }, [
    h("h2", { id }, heading),
    !side.counts && h("p.warning", uncounted),
    h("div.stage", [
      h("div.stage-table", table),
      h("div.stage-said", h("h3", "The decision, and what the agent said"), said),
      h("div.stage-steps", equities, luck, strayFaults(side, agents)),
    ]),
  ]);
  function draw(at, open, isOver) {
    const up = [0, 1].map((seat) => isOpen(side, seat, at));
    const { seat, decision } = side.steps[at];
    const isTold = decision === null || up[seat];
    table.replaceChildren(drawTable(side, at, agents, { bigBlind: data.bigBlind, up, isOver }));
    equities.replaceChildren(up[0] && up[1] ? equityBars(side, at, agents) : h("p.soft", HIDDEN_EQUITY));
    said.replaceChildren(isTold ? decisionPanel(side, at, agents, open) : hiddenDecision(side, at));
    luck.hidden = cards !== "" && at < side.steps.length - 1;
  }
  return { element, draw };
}

const HIDDEN_EQUITY = "Equities need both hands, so they are hidden with the cards.";

function hiddenDecision(side, at) {
  const texts = [h("h4", visibleLine(side.steps[at].text)), h("p.soft", "What was said is hidden with the cards.")];
  return decisionBox(texts);
}

/** Faults of this hand that cannot be assigned to a decision. */
function strayFaults({ decisions, faults }, agents) {
  const placed = decisions.reduce((sum, decision) => sum + decision.faults.length, 0);
  if (faults.length <= placed) return null;
  const texts = faults.map(({ agent, kind, message }) =>
    `${agents.name(agent)}, ${visibleLine(kind)}: ${visibleLine(message).slice(0, 300)}`
  );
  return h("ul.sentences", texts.map((text) => h("li.bad", text)));
}

function luckLine({ luck }, name) {
  const parts = [["as dealt (raw)", luck.raw], ["all-in EV", luck.allIn], [
    "without luck (adjusted)",
    luck.adjusted,
  ]];
  const known = parts.filter(([, value]) => !isMissing(value)).map(([word, value]) => `${signed(value, 2)} bb ${word}`);
  return h("p.soft.luck", h("bdi", name), ": ", known.join(" · "));
}
