// The duplicate replayer: one deal, both seatings side by side, step by step, with what the agents saw and said.
import { handPath, handsPath, isHere, load, loadOnce, runPath } from "./data.js";
import { decisionPanel } from "./decision.js";
import { announce, button, cast, choice, copyButton, h, runName } from "./dom.js";
import { drawTable, equityBars, icon } from "./felt.js";
import { chosen, dealsOf, wishesIn } from "./filters.js";
import { MISTAKE_BB } from "./grades.js";
import { crumbs, fullLink, helpDialog, listenKeys, replaceHash, route, withQuery } from "./router.js";
import { fixed, isMissing, signed, STREETS, visibleLine, whole } from "./text.js";

const SPEEDS = [["2000", "slow"], ["1000", "normal"], ["400", "fast"]]; // milliseconds for a step
let speed = "1000";
let seating = ""; // the seating shown alone, or both

export async function replayerPage(place, view) {
  const [, id, , match, seed, hand] = place.parts;
  const [run, data] = await Promise.all([loadOnce(runPath(id)), load(handPath(id, match, seed, hand))]);
  const agents = cast(run.participants);
  const last = Math.max(...data.sides.map((side) => side.steps.length)) - 1;
  const list = place.query.get("list") ?? "";
  const way = await wayThrough(id, data, place.query);
  const here = route("run", id, "hand", match, seed, hand);
  const open = {}; // texts that the reader has opened
  let at = stepIn(place.query);
  let timer = null;

  function clamp(step) {
    return Math.max(0, Math.min(last, Number.isFinite(step) ? Math.trunc(step) : 0));
  }

  /** The step that an address names: by its number, or as a decision of one seating. */
  function stepIn(query) {
    const side = data.sides.find(({ seating }) => seating === query.get("seating"));
    const found = side && side.steps.findIndex(({ decision }) => String(decision) === query.get("decision"));
    return clamp(found > 0 ? found : Number(query.get("step") ?? 0));
  }

  const panes = data.sides.map((side) => sidePane(side, data, agents, go));
  const on = { input: () => go(Number(slider.value)) };
  const slider = h("input.steps", { type: "range", min: "0", max: String(last), "aria-label": "Step", on });
  const counter = h("span.counter");
  const play = button([icon("play"), "Play"], toggle, { class: "play" });
  const help = helpDialog();
  const [previous, next] = [way.previous, way.next].map((other) => {
    if (!other || !isHere(handPath(id, ...other))) return null;
    return withQuery(route("run", id, "hand", ...other), { list });
  });
  const neighbour = (href, text) =>
    href ? h("a.push", { href }, text) : h("span.push", { "aria-disabled": "true" }, text);
  const jump = (name, label, key, stepOf) =>
    button(icon(name), () => go(stepOf()), { "aria-label": label, title: `${label} (${key})` });
  const controls = h("div.controls", { role: "group", "aria-label": "Replay" }, [
    jump("first", "First step", "Home", () => 0),
    jump("back", "Step back", "←", () => at - 1),
    play,
    jump("forward", "Step forward", "→", () => at + 1),
    jump("last", "Last step", "End", () => last),
    slider,
    counter,
    h("span.streets", streetJumps(data, go)),
    data.parted !== null && button("Where the lines diverge", () => go(data.parted)),
    h("span.pick", choice("speed", "Speed", SPEEDS, speed, (value) => (speed = value) && timer !== null && restart())),
    data.sides.length > 1 && h("span.pick", choice("seating", "Show", SEATINGS, seating, showOnly)),
    h("span.space"),
    neighbour(previous, "↑ Previous hand"),
    neighbour(next, "↓ Next hand"),
    copyButton(() => fullLink(withQuery(here, { step: at })), "Copy link"),
    button("?", () => help.showModal(), { "aria-label": "Keys", title: "Keys (?)" }),
  ]);

  function go(step) {
    at = clamp(step);
    if (at === last) stop();
    draw();
    const said = data.sides.map(({ seating, steps }) => `${seating}: ${visibleLine((steps[at] ?? steps.at(-1)).text)}`);
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
    timer = setInterval(() => go(at + 1), Number(speed));
    go(at + 1);
  }

  function restart() {
    clearInterval(timer);
    timer = setInterval(() => go(at + 1), Number(speed));
  }

  function showOnly(value) {
    seating = value;
    panes.forEach(({ element }, index) => (element.hidden = value !== "" && data.sides[index].seating !== value));
    draw();
  }

  function draw() {
    slider.value = String(at);
    counter.textContent = `Step ${at + 1} of ${last + 1}`;
    slider.setAttribute("aria-valuetext", counter.textContent);
    for (const pane of panes) pane.draw(at, open);
    replaceHash(withQuery(here, { step: at, list }));
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
    h("p.summary", summary(data, agents.name(data.a))),
    controls,
    h("div.duplicate", panes.map((pane) => pane.element)),
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
  });
  view.onQuery((query) => go(stepIn(query)));
}

/** The hands before and after this one: in the list that the reader comes from, or else in the run. */
async function wayThrough(id, data, query) {
  const plain = [data.previous, data.next].map((other) => other && [other.match, other.seed, other.hand]);
  if (!query.has("list")) return { previous: plain[0], next: plain[1], place: null };
  const hands = await loadOnce(handsPath(id));
  const { filters, order } = wishesIn(new URLSearchParams(query.get("list")));
  const deals = dealsOf(hands, chosen(hands, filters, order));
  const at = deals.findIndex(([match, seed, hand]) =>
    match === data.match && seed === data.seedIndex && hand === data.hand
  );
  if (at < 0) return { previous: plain[0], next: plain[1], place: null };
  const place = `Hand ${whole(at + 1)} of ${whole(deals.length)} in the list`;
  return { previous: deals[at - 1] ?? null, next: deals[at + 1] ?? null, place };
}

const SEATINGS = [["", "both seatings"], ["AB", "AB alone"], ["BA", "BA alone"]];

/** Buttons that jump to the first step of each street that was reached. */
function streetJumps({ sides }, go) {
  return STREETS.map((street) => {
    const first = sides.map(({ steps }) => steps.findIndex((step) => step.street === street)).filter((at) => at >= 0);
    const more = { class: "street-jump", disabled: first.length === 0, "aria-label": `To the ${street}` };
    return button(street, () => go(Math.min(...first)), more);
  });
}

/** The result of both lines of play, in words. */
function summary(data, name) {
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
    : `The lines diverge at step ${data.parted + 1}: ${texts.join(" / ")}. `;
  const both = first + second;
  if (both === 0) return `${lines}Over both seatings nobody won: ${each} bb.`;
  return `${lines}Over both seatings ${name} ${both > 0 ? "won" : "lost"} ${fixed(Math.abs(both), 2)} bb (${each}): ` +
    "what the difference in play was worth with these cards. Identical play would cancel out.";
}

/** One seating: its table, equities, steps, and what was said. */
function sidePane(side, data, agents, go) {
  const table = h("div");
  const equities = h("div");
  const said = h("div");
  const items = side.steps.map((_, index) => stepItem(side, index, data.parted, () => go(index)));
  const list = h("ol.step-list", { tabindex: "0", "aria-label": `Steps, ${side.seating}` }, items);
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
      h("div.stage-steps", [
        equities,
        h("h3", "Steps"),
        list,
        luckLine(side, agents.name(data.a)),
        strayFaults(side, agents),
      ]),
    ]),
  ]);
  function draw(step, open) {
    const at = Math.min(step, side.steps.length - 1);
    table.replaceChildren(drawTable(side, at, agents, data.bigBlind));
    equities.replaceChildren(equityBars(side, at, agents));
    said.replaceChildren(decisionPanel(side, at, agents, open));
    items.forEach((item, index) => {
      item.classList.toggle("now", index === at);
      item.classList.toggle("later", index > at);
      item.querySelector("button").ariaCurrent = index === at ? "step" : null;
    });
    const { offsetTop, offsetHeight } = items[at];
    const isAbove = offsetTop < list.scrollTop;
    const isBelow = offsetTop + offsetHeight > list.scrollTop + list.clientHeight;
    if (isAbove || isBelow) list.scrollTop = offsetTop - list.clientHeight / 2;
  }
  return { element, draw };
}

function stepItem(side, index, parted, act) {
  const step = side.steps[index];
  const loss = side.grades?.[step.decision]?.loss ?? 0;
  const mark = loss >= MISTAKE_BB && h("span.note.bad", `gives away ${fixed(loss, 2)} bb`);
  const what = h("span.what", visibleLine(step.text), mark);
  const texts = [h("span.street", step.street), what, h("span.pot", whole(step.pot))];
  const opens = !index || step.street !== side.steps[index - 1].street;
  const classes = [index === parted && "parted", step.forced && "forced", opens && "opens"].filter(Boolean).join(" ");
  return h("li", { class: classes }, index === parted && h("span.part-mark", "lines diverge here"), button(texts, act));
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
  const parts = [["as dealt (raw)", luck.raw], ["all-in EV (allIn)", luck.allIn], [
    "without luck (adjusted)",
    luck.adjusted,
  ]];
  const known = parts.filter(([, value]) => !isMissing(value)).map(([word, value]) => `${signed(value, 2)} bb ${word}`);
  return h("p.soft.luck", h("bdi", name), ": ", known.join(" · "));
}
