// The duplicate replayer: one deal, both seatings side by side, step by step.
import { cast, runName } from "./agents.js";
import { icon } from "./cards.js";
import { handPath, isHere, load, loadOnce, runPath } from "./data.js";
import { announce, button, copyButton, h } from "./dom.js";
import { decisionPanel } from "./exchange.js";
import { helpDialog, listenKeys } from "./keys.js";
import { crumbs } from "./matchpage.js";
import { fullLink, replaceHash, route, withQuery } from "./router.js";
import { drawTable, equityBars } from "./table.js";
import { signed, streetName, visibleLine, whole } from "./text.js";

const PLAY_MS = 1000;

export async function replayerPage(place, view) {
  const [, id, , match, seed, hand] = place.parts;
  const [run, data] = await Promise.all([loadOnce(runPath(id)), load(handPath(id, match, seed, hand))]);
  const agents = cast(run.participants);
  const last = Math.max(...data.sides.map((side) => side.steps.length)) - 1;
  const here = route("run", id, "hand", match, seed, hand);
  const open = {}; // texts that the reader has opened
  let at = clamp(Number(place.query.get("step") ?? 0));
  let timer = null;

  function clamp(step) {
    return Math.max(0, Math.min(last, Number.isFinite(step) ? Math.trunc(step) : 0));
  }

  const panes = data.sides.map((side) => sidePane(side, data, agents, (step) => go(step)));
  const slider = h("input.steps", { type: "range", min: "0", max: String(last), "aria-label": "Step", on: { input: () => go(Number(slider.value)) } });
  const counter = h("span.counter");
  const play = button([icon("play"), "Play"], toggle, { class: "play" });
  const help = helpDialog();
  const link = (other) => (other && isHere(handPath(id, other.match, other.seed, other.hand)) ? route("run", id, "hand", other.match, other.seed, other.hand) : null);
  const neighbour = (other, text) => (link(other) ? h("a.push", { href: link(other) }, text) : h("span.push", { "aria-disabled": "true" }, text));
  const controls = h("div.controls", { role: "group", "aria-label": "Replay" },
    button(icon("first"), () => go(0), { "aria-label": "First step", title: "First step (Home)" }),
    button(icon("back"), () => go(at - 1), { "aria-label": "Step back", title: "Step back (←)" }), play,
    button(icon("forward"), () => go(at + 1), { "aria-label": "Step forward", title: "Step forward (→)" }),
    button(icon("last"), () => go(last), { "aria-label": "Last step", title: "Last step (End)" }),
    slider, counter,
    data.parted !== null && button("Where lines part", () => go(data.parted)),
    h("span.space"), neighbour(data.previous, "↑ Previous hand"), neighbour(data.next, "↓ Next hand"),
    copyButton(() => fullLink(withQuery(here, { step: at })), "Copy link"), button("?", () => help.showModal(), { "aria-label": "Keys", title: "Keys (?)" }));

  function go(step) {
    at = clamp(step);
    if (at === last) stop();
    draw();
    announce(`Step ${at + 1} of ${last + 1}. ${data.sides.map((side) => `${side.seating}: ${visibleLine(side.steps[Math.min(at, side.steps.length - 1)].text)}`).join(". ")}`);
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
    slider.setAttribute("aria-valuetext", `Step ${at + 1} of ${last + 1}`);
    counter.textContent = `Step ${at + 1} of ${last + 1}`;
    for (const pane of panes) pane.draw(at, open);
    replaceHash(withQuery(here, { step: at }));
  }

  view.show(`Hand ${hand}, seed pair ${seed}`,
    crumbs([`Run ${runName(run)}`, route("run", id)], [`Match ${match}`, route("run", id, "match", match)], [`Seed pair ${seed}, hand ${hand}`, null]),
    h("h1", agents.label(data.a), h("span.soft", " against "), agents.label(data.b), h("span.soft", `, hand ${hand} of seed pair ${seed}`)),
    summary(data, agents), controls, h("div.duplicate", panes.map((pane) => pane.element)), help);
  draw();
  view.signal.addEventListener("abort", () => {
    clearInterval(timer);
    help.remove();
  });
  listenKeys(view.signal, help, {
    left: () => go(at - 1), right: () => go(at + 1), home: () => go(0), end: () => go(last), play: toggle,
    up: () => link(data.previous) && (location.hash = link(data.previous)), down: () => link(data.next) && (location.hash = link(data.next)),
  });
  view.onQuery((query) => go(Number(query.get("step") ?? 0)));
}

/** What the pair of lines came to, in words. */
function summary(data, agents) {
  const net = (side) => side.net[side.players[0]] / data.bigBlind;
  const [first, second] = data.sides.map(net);
  if (second === undefined) return h("p.summary", `Only one seating of this hand has been played: ${agents.name(data.a)} ${signed(first, 2)} bb.`);
  const both = first + second;
  const name = agents.name(data.a);
  if (data.ownDecks) {
    return h("p.summary", `Two deals, not one: an agent that may remember what it saw is dealt other cards once the seats are swapped. ${name}: ${signed(first, 2)} and ${signed(second, 2)} bb.`);
  }
  const verb = both > 0 ? "won" : "lost";
  const result = both === 0 ? `Over both seatings nobody won: ${signed(first, 2)} and ${signed(second, 2)} bb.`
    : `Over both seatings ${name} ${verb} ${signed(Math.abs(both), 2).slice(1)} bb (${signed(first, 2)} and ${signed(second, 2)}): what the difference in play was worth with these cards. Played alike, the two cancel out.`;
  return h("p.summary", data.parted === null ? "Both agents played these cards alike. " : `The lines part at step ${data.parted + 1}: ${data.sides.map((side) => visibleLine(side.steps[data.parted]?.text ?? "the hand is over")).join(" / ")}. `, result);
}

/** One seating: its table, equities, what was said, and its steps. */
function sidePane(side, data, agents, go) {
  const table = h("div");
  const equities = h("div");
  const said = h("div");
  const items = side.steps.map((step, index) => {
    const push = button([h("span.street", streetName(step.street)), h("span.what", visibleLine(step.text)), h("span.pot", whole(step.pot))], () => go(index));
    return h("li", { class: `${index === data.parted ? "parted" : ""} ${step.forced ? "forced" : ""} ${index && streetName(step.street) === streetName(side.steps[index - 1].street) ? "" : "opens"}` },
      index === data.parted && h("span.part-mark", "lines part here"), push);
  });
  const list = h("ol.step-list", { tabindex: "0", "aria-label": `Steps, ${side.seating}` }, items);
  const id = `side-${side.seating}`;
  const [a, b] = side.seats;
  const heading = h("h2", { id }, h("span.badge", side.seating), " ", h("bdi", agents.name(a)), h("span.soft", " above, "), h("bdi", agents.name(b)), h("span.soft", " below"));
  return {
    element: h("section.side", { "aria-labelledby": id }, heading, table, equities, side.counts === false && h("p.warning", "This hand does not count: a warm-up hand, or a game in which both agents failed."), h("h3", "Steps"), list, luckLine(side, data, agents), strayFaults(side, agents), h("h3", "What was seen and said"), said),
    draw(step, open) {
      const at = Math.min(step, side.steps.length - 1);
      table.replaceChildren(drawTable(side, at, agents, data.bigBlind));
      equities.replaceChildren(equityBars(side, at, agents));
      said.replaceChildren(decisionPanel(side, at, agents, open));
      items.forEach((item, index) => {
        item.classList.toggle("now", index === at);
        item.classList.toggle("later", index > at);
        item.querySelector("button").toggleAttribute("aria-current", index === at);
        if (index === at) item.querySelector("button").setAttribute("aria-current", "step");
      });
      const item = items[at];
      if (item.offsetTop < list.scrollTop || item.offsetTop + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = item.offsetTop - list.clientHeight / 2;
    },
  };
}

/** Mistakes of this hand of which it is not known at which decision they were made. */
function strayFaults(side, agents) {
  const placed = side.decisions.reduce((sum, decision) => sum + decision.faults.length, 0);
  const all = side.faults ?? [];
  return all.length > placed && h("ul.sentences", all.map((fault) => h("li.bad", `${agents.name(fault.agent)}, ${visibleLine(fault.kind)}: ${visibleLine(fault.message).slice(0, 300)}`)));
}

function luckLine(side, data, agents) {
  const name = agents.name(data.a);
  const { raw, allIn, adjusted } = side.luck ?? {};
  const parts = [["as the cards fell", raw], ["all-in equity counted", allIn], ["luck taken out", adjusted]].filter(([, value]) => value !== null && value !== undefined);
  return h("p.soft.luck", h("bdi", name), ": ", parts.map(([word, value]) => `${signed(value, 2)} bb ${word}`).join(" · "));
}
