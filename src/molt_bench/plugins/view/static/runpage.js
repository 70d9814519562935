// The page of one run: its results, how certain they are, and how to reproduce them. It follows a run in progress.
import { convergenceSection, winningsSection } from "./curves.js";
import { curvesPath, forget, isFinal, load, loadNewer, runPath, stylesPath } from "./data.js";
import { announce, cast, copyBlock, facts, h, runName } from "./dom.js";
import { tableButton } from "./download.js";
import { filesTable } from "./filestable.js";
import { GLOSSARY } from "./glossary.js";
import { gradesSection } from "./grades.js";
import { leaderboardSection, MANY, withNames } from "./leaderboard.js";
import { livePanel, SAY_MS } from "./progress.js";
import { matchesSection, payoffSection } from "./matches.js";
import { route, withQuery } from "./router.js";
import { statusBadge } from "./runs.js";
import { costsSection, faultsSection } from "./stats.js";
import { stylesSection } from "./styles.js";
import { dollars, moment, plural, seconds, visible, visibleLine, whole } from "./text.js";

const POLL_MS = 1000;
const CURVES_MS = 20000;

// Key, title, the data it is drawn from, and how. A part that returns null has nothing to show.
const PARTS = [
  ["leaderboard", "Leaderboard", (run) => [run.leaderboard, run.rule, run.sentences], leaderboardSection],
  ["payoff", "Head to head", (run) => run.payoff, payoffSection],
  ["convergence", "Match by match", ({ curves }) => curves?.convergence, convergenceSection],
  ["winnings", "Winnings and luck", ({ curves }) => curves?.winnings, winningsSection],
  ["costs", "What it cost", (run) => [run.costs, run.leaderboard], costsSection],
  ["styles", "Playing styles", ({ styles, status }) => [styles, status], stylesSection],
  ["grades", "Grade of decisions", (run) => [run.grades, run.leaderboard], gradesSection],
  ["faults", "Faults", (run) => run.faults, faultsSection],
  ["matches", "Matches", (run) => run.matches, matchesSection],
  ["card", "Disclosure card", (run) => run.card, cardSection],
  ["reproduce", "Reproduce this run", (run) => run.reproduce, recipeSection],
  ["words", "Words on this page", () => null, () => facts(Object.entries(GLOSSARY), { class: "small meanings" })],
];

export async function runPage(place, view) {
  const id = place.parts[1];
  let run = await load(runPath(id));
  const state = { run: id, open: {} }; // what the reader chose; survives every redraw
  const shown = new Map(); // key -> {element, from}: a part is redrawn only when its data has changed
  const head = h("div");
  const body = h("div.parts");
  const contents = h("nav.contents", { "aria-label": "On this page" });

  function draw() {
    const agents = cast(run.participants);
    head.replaceChildren(...runHead(run));
    const links = [];
    let before = null;
    for (const [key, title, pick, build] of PARTS) {
      const from = JSON.stringify(pick(run) ?? null);
      const old = shown.get(key);
      if (old && (old.from === from || isBusy(old.element))) {
        if (old.element) before = old.element;
      } else {
        const element = part(key, title, () => build(run, agents, state), run);
        if (old?.element && element) swap(old.element, element);
        else if (old?.element) old.element.remove();
        else if (element) before ? before.after(element) : body.prepend(element);
        shown.set(key, { element, from });
        if (element) before = element;
      }
      if (shown.get(key).element) links.push(h("a", { href: withQuery(route("run", id), { at: key }) }, title));
    }
    contents.replaceChildren(...links, h("a", { href: route("run", id, "hands") }, "All hands →"));
  }

  draw();
  loadLater("curves", curvesPath);
  loadLater("styles", stylesPath);
  view.show(runName(run), head, contents, body);
  view.onQuery((query) => goTo(query.get("at")));
  if (place.query.has("at")) goTo(place.query.get("at"));
  if (run.status === "running" && !isFinal) follow();

  function goTo(key) {
    const element = shown.get(key)?.element;
    if (!element) return window.scrollTo(0, 0);
    element.querySelector(":scope > details.fold")?.setAttribute("open", "");
    element.scrollIntoView();
    const title = element.querySelector("h2");
    title.setAttribute("tabindex", "-1");
    title.focus({ preventScroll: true });
  }

  /** Load what takes the server longer than the rest; styles are counted when the run has ended. */
  async function loadLater(name, path) {
    const found = name === "styles" && run.status === "running" ? null : await load(path(id)).catch(() => null);
    if (view.signal.aborted || !found) return;
    run[name] = found;
    hold(body, draw);
  }

  async function follow() {
    let said = 0;
    let drawn = Date.now();
    let took = 0;
    while (!view.signal.aborted && run.status === "running") {
      await new Promise((done) => setTimeout(done, Math.max(POLL_MS, took)));
      if (view.signal.aborted || document.hidden) continue;
      const began = performance.now();
      const newer = await loadNewer(runPath(id), run.version).catch((error) => {
        head.querySelector(".live")?.replaceChildren(visible(error.message));
      });
      took = performance.now() - began;
      if (view.signal.aborted || !newer) continue;
      run = { ...newer, curves: run.curves };
      forget(id);
      hold(body, draw);
      if (run.status !== "running" || Date.now() - drawn > CURVES_MS) {
        drawn = Date.now();
        loadLater("curves", curvesPath);
      }
      loadLater("styles", stylesPath);
      if (run.status !== "running" || Date.now() - said > SAY_MS) {
        said = Date.now();
        const { matches, hands } = run.totals;
        announce(`Run ${run.status}: ${plural(matches, "match", "matches")}, ${plural(hands, "hand")}.`);
      }
    }
  }
}

// Parts that have something to show in every run with a match.
const ALWAYS = ["convergence", "winnings", "styles", "matches", "card", "reproduce", "words"];

/** A part of the page; null if it has nothing to show. With many agents most are folded, and made when opened. */
function part(key, title, build, run) {
  const heading = h("h2", { id: `title-${key}` }, title);
  const about = { id: `part-${key}`, "aria-labelledby": heading.id };
  const isFolded = run.participants.length > MANY && key !== "leaderboard";
  const filled = (content) => [content, tableButtons(content, title)];
  if (!isFolded || !ALWAYS.includes(key) || !run.leaderboard.length) {
    const content = build();
    if (!content) return null;
    if (!isFolded) return h("section.part", about, heading, filled(content));
    return h("section.part", about, h("details.fold", h("summary", heading), filled(content)));
  }
  const box = h("details.fold", h("summary", heading));
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) box.append(...[filled(build())].flat(4).filter(Boolean));
  });
  return h("section.part", about, box);
}

const OPEN_LIST = CSS.supports("selector(select:open)") ? "select:open" : null;

/** Whether the reader has selected text there, or is choosing from a list: a redraw would end that. */
function isBusy(element) {
  if (!element) return false;
  const selection = window.getSelection();
  const hasSelected = !selection?.isCollapsed && element.contains(selection?.anchorNode);
  return hasSelected || Boolean(OPEN_LIST && element.querySelector(OPEN_LIST));
}

/** Redraw, keeping the part that the reader is looking at in its place, whatever grows above it. */
function hold(body, redraw) {
  const onScreen = (part) => part.getBoundingClientRect().bottom > 0 && part.getBoundingClientRect().top < innerHeight;
  const used = document.activeElement?.closest?.(".part");
  const seen = used && onScreen(used)
    ? used
    : [...body.children].find((part) => part.getBoundingClientRect().bottom > innerHeight / 4);
  const [id, before] = [seen?.id, seen?.getBoundingClientRect().top];
  redraw();
  const after = id && document.getElementById(id)?.getBoundingClientRect().top;
  if (window.scrollY > 0 && Number.isFinite(after) && after !== before) {
    window.scrollBy({ top: after - before, behavior: "instant" });
  }
}

/** Replace a part by its new version, keeping keyboard focus, scroll positions and opened tables. */
function swap(old, fresh) {
  const focusable = "a[href], button, select, input, summary, [tabindex]";
  const focused = document.activeElement;
  const at = [...old.querySelectorAll(focusable)].indexOf(focused);
  const boxes = [...old.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
  const opened = [...old.querySelectorAll("details")].map((box) => box.open);
  old.replaceWith(fresh);
  [...fresh.querySelectorAll("details")].forEach((box, index) => {
    box.open = opened[index] ?? false;
    if (box.open) box.dispatchEvent(new Event("toggle")); // at once, so that nothing moves later
  });
  [...fresh.querySelectorAll(".scroll")].forEach((box, index) => box.scrollTo(...(boxes[index] ?? [0, 0])));
  if (at < 0) return;
  const same = focused.id ? document.getElementById(focused.id) : fresh.querySelectorAll(focusable)[at];
  same?.focus({ preventScroll: true });
}

/** A button for each table of a part, to save it as it is then; those behind charts have their own. */
function tableButtons(content, title) {
  const parts = [content].flat().filter((one) => one instanceof Element);
  const tablesIn = (part) => (part.matches(".scroll") ? [part] : [...part.querySelectorAll(":scope > .scroll")]);
  const tables = parts.flatMap((part) => tablesIn(part).map((box, index) => [part, index, box]));
  return tables.map(([part, index, box]) => {
    const name = tables.length > 1 ? box.getAttribute("aria-label") : title;
    const text = tables.length > 1 ? `CSV: ${name}` : "CSV";
    return tableButton(() => tablesIn(part)[index].querySelector("table"), name, text);
  });
}

/** Who leads and how sure that is, in large letters; then what is open. */
function headline({ headline: said, participants }) {
  if (!said?.length) return null;
  const [first, ...rest] = said.map((text) => withNames(text, cast(participants)));
  return h("p.headline", h("strong", first), rest.map((text) => [" ", text]));
}

function runHead(run) {
  const { totals } = run;
  const counts = [
    ["Matches", whole(totals.matches)],
    ["Games", whole(totals.games)],
    ["Hands", whole(totals.hands)],
    totals.warmupHands > 0 && ["Of them warm-up", whole(totals.warmupHands)],
    ["Time", seconds(totals.seconds)],
    ["Faults", whole(totals.faults)],
    totals.usd !== null && ["Dollars", dollars(totals.usd)],
    totals.tokens !== null && ["Tokens", whole(totals.tokens)],
  ];
  const isLive = run.status === "running" && !isFinal;
  const started = run.started ? `Started ${moment(run.started)}. ` : "";
  return [
    h("h1", runName(run), " ", statusBadge(run.status)),
    headline(run),
    h("p.soft", started, isLive && h("span.live", "This page updates itself.")),
    facts(counts.filter(Boolean), { class: "small" }),
    !isFinal && livePanel(run, cast(run.participants)),
    run.stopReason && h("p.stop", h("strong", "Stopped: "), withNames(run.stopReason, cast(run.participants))),
    run.warnings.map((text) => h("p.warning", h("strong", "Warning: "), visible(text))),
    run.limits && h("p.warning", visible(run.limits.text)),
  ].flat().filter(Boolean);
}

/** Who played what, by which rule it stopped and what it cost: all that a quoted result has to say. */
function cardSection({ card }) {
  if (!card.length) return null;
  return card.flatMap(({ title, lines }) => [h("h3", title), facts(lines.map((line) => line.map(visibleLine)))]);
}

function recipeSection({ reproduce, files }) {
  return [
    isFinal &&
    h(
      "p.soft",
      files?.length
        ? "These commands check and repeat the run, from the archive of its files."
        : "These commands work in the folder that holds the folder of the run.",
    ),
    reproduce.note && h("p.soft", visible(reproduce.note)),
    reproduce.commands.map(({ title, command }) => copyBlock(title, command)),
    copyBlock("The config", reproduce.configYaml),
    files?.length && filesTable(files),
  ];
}
