// The duplicate replayer: one deal, both seatings side by side, step by step, with what the agents saw and said.
import { handPath, isHere, load, loadOnce, runPath } from "./data.js";
import { announce, button, cast, copyButton, facts, h, runName } from "./dom.js";
import { drawTable, equityBars, icon } from "./felt.js";
import { gradePanel, MISTAKE_BB } from "./grades.js";
import { crumbs, fullLink, helpDialog, listenKeys, replaceHash, route, withQuery } from "./router.js";
import { dollars, fixed, isMissing, signed, visible, visibleLine, whole } from "./text.js";

const PLAY_MS = 1000;

export async function replayerPage(place, view) {
  const [, id, , match, seed, hand] = place.parts;
  const [run, data] = await Promise.all([loadOnce(runPath(id)), load(handPath(id, match, seed, hand))]);
  const agents = cast(run.participants);
  const last = Math.max(...data.sides.map((side) => side.steps.length)) - 1;
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
  const [previous, next] = [data.previous, data.next].map((other) => {
    if (!other || !isHere(handPath(id, other.match, other.seed, other.hand))) return null;
    return route("run", id, "hand", other.match, other.seed, other.hand);
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
    data.parted !== null && button("Where the lines diverge", () => go(data.parted)),
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
    timer = setInterval(() => go(at + 1), PLAY_MS);
    go(at + 1);
  }

  function draw() {
    slider.value = String(at);
    counter.textContent = `Step ${at + 1} of ${last + 1}`;
    slider.setAttribute("aria-valuetext", counter.textContent);
    for (const pane of panes) pane.draw(at, open);
    replaceHash(withQuery(here, { step: at }));
  }

  const where = `hand ${hand} of seed pair ${seed}`;
  view.show(`Hand ${hand}, seed pair ${seed}`, [
    crumbs([`Run ${runName(run)}`, route("run", id)], [`Match ${match}`, route("run", id, "match", match)], [where]),
    h("h1", agents.label(data.a), h("span.soft", " against "), agents.label(data.b), h("span.soft", `, ${where}`)),
    h("p.summary", summary(data, agents.name(data.a))),
    controls,
    h("div.duplicate", panes.map((pane) => pane.element)),
    help,
  ]);
  draw();
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
    table,
    equities,
    !side.counts && h("p.warning", uncounted),
    h("h3", "Steps"),
    list,
    luckLine(side, agents.name(data.a)),
    strayFaults(side, agents),
    h("h3", "The decision: what the reference would do, what the agent saw and said"),
    said,
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
  const parts = [["as dealt", luck.raw], ["with all-in equity", luck.allIn], ["luck-adjusted", luck.adjusted]];
  const known = parts.filter(([, value]) => !isMissing(value)).map(([word, value]) => `${signed(value, 2)} bb ${word}`);
  return h("p.soft.luck", h("bdi", name), ": ", known.join(" · "));
}

const CUT = 4000; // characters shown at first: a reply of a megabyte must not freeze the page

/** A text, shortened if it is very long, with a button that shows the rest. */
function longText(text, label) {
  const pre = h("pre.said", { tabindex: "0", role: "region", "aria-label": label }, visible(text.slice(0, CUT)));
  if (text.length <= CUT) return pre;
  const more = button(`Show all ${whole(text.length)} characters`, () => {
    pre.textContent = visible(text);
    more.remove();
    pre.focus();
  });
  return h("div", pre, more);
}

/** The decision at step `at` of a side, as a panel. `open` remembers which texts the reader has opened. */
function decisionPanel(side, at, agents, open) {
  const step = side.steps[at];
  if (step.decision === null) return h("div.decision", h("p.soft", "No decision at this step."));
  const { agent, faults, exchange } = side.decisions[step.decision];
  return h("div.decision", [
    h("h4", h(`span.mark.c${agents.colour(agent)}`, { "aria-hidden": "true" }), ` ${visibleLine(step.text)}`),
    faults.map(({ kind, attempt, message }) => {
      const title = `${visibleLine(kind)}${attempt ? `, attempt ${attempt}` : ""}: `;
      return h("p.warning", h("strong", title), visibleLine(message).slice(0, 600));
    }),
    step.forced && h("p.warning", "Forced fold: the agent gave no legal action."),
    gradePanel(side.grades?.[step.decision], step),
    exchange ? exchangeBody(exchange, open) : h("p.soft", "No model is behind this decision, so there is no text."),
  ]);
}

function exchangeBody(exchange, open) {
  const { tokens, latencyS, usd } = exchange;
  const cached = tokens.cached ? ` (${whole(tokens.cached)} cached)` : "";
  const known = [
    ["Outcome", exchange.outcome !== "reply" && visibleLine(exchange.outcome)],
    ["Model", visibleLine(exchange.model)],
    ["Tokens in", `${whole(tokens.input)}${cached}`],
    ["Tokens out", whole(tokens.output)],
    ["Response time", !isMissing(latencyS) && `${fixed(latencyS, 2)} s`],
    ["Cost", !isMissing(usd) && dollars(usd)],
    ["Attempts", whole(exchange.attempts)],
    ["Prompt", visibleLine(exchange.promptHash).slice(0, 12)],
  ];
  const texts = [
    ["Reply", exchange.reply],
    ["Reasoning", exchange.reasoning],
    ["Prompt", exchange.prompt],
    ["System prompt", exchange.system],
  ];
  return [
    facts(known.filter(([, value]) => value), { class: "small" }),
    texts.filter(([, text]) => !isMissing(text)).map(([name, text]) => {
      const box = h("details", { open: open[name] ?? name === "Reply" }, h("summary", name), longText(text, name));
      box.addEventListener("toggle", () => (open[name] = box.open));
      return box;
    }),
  ];
}
