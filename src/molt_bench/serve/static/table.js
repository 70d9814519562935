// The table of a person: shows each decision, takes the answer by mouse, touch or keys, and says aloud what happens.
import { drawTable } from "./viewer/pokertable.js";
import { h } from "./viewer/dom.js";
import { amountOf, sizesOf } from "./bets.js";
import { cardWords, chips, logWords, signed } from "./hand_words.js";
import { act, closed, nextTurn } from "./live_turns.js";

const SETTLED_MS = 300; // a key that was meant for the decision before must not answer this one
const HURRY_S = [30, 10];
const byId = (id) => document.getElementById(id);

/** The decision on the screen: what is legal, when its time is up, and what is called with the answer. */
let open = null;
let said = "";
const results = new Map();

function say(text) {
  said = text;
  byId("said").textContent = text;
}

function trouble(text) {
  byId("said").textContent = text ?? said;
}

function namesOf(seat) {
  return seat === 0 ? ["You", "Opponent"] : ["Opponent", "You"];
}

/** Draw the table with the person at the bottom; the opponent's cards are not known here. */
function draw(seen) {
  const own = seen.seat;
  const turned = ([first, second]) => (own === 1 ? [first, second] : [second, first]);
  const step = { board: seen.board, pot: seen.pot, bets: turned(seen.bets), stacks: turned(seen.stacks), seat: 1 };
  const side = {
    steps: [step],
    undealt: [],
    button: seen.button === own ? 1 : 0,
    seats: ["Opponent", "You"],
    cards: [["hidden", "hidden"], seen.cards],
    seating: `hand ${seen.handNumber}`,
  };
  const agents = { label: (name) => h("span.agent", h("bdi", name)) };
  const drawn = drawTable(side, 0, agents, { bigBlind: seen.bigBlind, up: [false, true], isOver: false });
  byId("felt").replaceChildren(drawn);
  const words = logWords(seen.log, namesOf(own)).map(({ street, words }) => h("li", `${street}: ${words}`));
  byId("log").replaceChildren(...words);
}

/** Remember the hands that ended, each once, and show the last. */
function hear(ended) {
  for (const each of ended ?? []) results.set(`${each.game} ${each.handNumber}`, each);
  const last = ended?.at(-1);
  if (!last) return "";
  const own = last.net[last.seat];
  const shown = last.opponentCards ? ` Opponent showed ${cardWords(last.opponentCards)}.` : "";
  const total = [...results.values()].reduce((sum, each) => sum + each.net[each.seat], 0);
  const text = `Last hand: ${signed(own)} chips.${shown} Since you opened this page: ${signed(total)} in ` +
    `${results.size} hand${results.size === 1 ? "" : "s"}.`;
  byId("last").textContent = text;
  byId("last").hidden = false;
  return `Last hand: ${signed(own)}.${shown} `;
}

/** What is to be decided, for the ear. */
function situation(seen) {
  const last = logWords(seen.log, namesOf(seen.seat)).at(-1);
  const isTheirs = seen.log.at(-1)?.seat === 1 - seen.seat;
  const before = isTheirs ? `${last.words}. ` : "";
  const board = seen.board.length ? `Board: ${cardWords(seen.board)}. ` : "";
  const price = seen.toCall ? `${chips(seen.toCall)} to call` : "checking is free";
  const wrong = seen.previousError ? `Not taken: ${seen.previousError} ` : "";
  return `${wrong}${before}Your turn, ${seen.street}. You hold ${cardWords(seen.cards)}. ${board}` +
    `Pot ${chips(seen.pot)}, ${price}.`;
}

function setAmount(amount) {
  if (!open) return;
  byId("amount").value = amount;
  byId("slider").value = amount;
  byId("raise").textContent = `${Math.max(...open.seen.bets) ? "Raise to" : "Bet"} ${chips(amount)}`;
}

function showChoices(seen) {
  byId("problem").textContent = "";
  byId("fold").textContent = "Fold";
  byId("call").textContent = seen.toCall ? `Call ${chips(Math.min(seen.toCall, seen.stacks[seen.seat]))}` : "Check";
  const raising = open.raising;
  byId("raising").hidden = !raising;
  if (raising) {
    Object.assign(byId("slider"), { min: raising.min, max: raising.max, step: 1 });
    setAmount(raising.min);
  }
}

/** Let buttons look as if they did nothing, which they do then; a disabled one would lose the focus. */
function setIdle(isIdle) {
  for (const each of byId("actions").querySelectorAll("button")) each.setAttribute("aria-disabled", isIdle);
  if (isIdle) byId("clock").textContent = "";
}

function setSize(key) {
  const sizes = open?.raising ? sizesOf(open.seen, open.raising) : {};
  if (!Object.hasOwn(sizes, key)) return false;
  setAmount(sizes[key]);
  return true;
}

function answer(kind, amount) {
  if (!open || open.isDone) return;
  open.isDone = true;
  setIdle(true);
  leaveAmount();
  open.choose({ turn_token: open.turn.turn_token, kind, ...(kind === "raiseTo" ? { amount } : {}) });
}

function fold() {
  if (open && !open.seen.toCall && !open.isSure) {
    open.isSure = true;
    byId("fold").textContent = "Fold anyway";
    byId("problem").textContent = "Checking is free. Fold again to fold anyway.";
    return;
  }
  answer("fold");
}

function passive() {
  answer(open?.seen.toCall ? "call" : "check");
}

function raise() {
  if (!open?.raising) return;
  const amount = amountOf(byId("amount").value, open.seen, open.raising);
  if (typeof amount === "string") byId("problem").textContent = amount;
  else answer("raiseTo", amount);
}

function editAmount(text) {
  const field = byId("amount");
  field.focus();
  if (text === null) field.select();
  else field.value = text;
}

/** Leave the field, so that keys act again; no button gets the focus, where Enter pressed twice would press it. */
function leaveAmount() {
  if (document.activeElement === byId("amount")) byId("playing").focus();
}

function onKey(event) {
  const isTyping = event.target === byId("amount");
  if (isTyping && event.key === "Escape") leaveAmount();
  if (isTyping || !open || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!byId("keys").checked || performance.now() < open.shownAt + SETTLED_MS) return;
  const key = event.key.toLowerCase();
  if (key === "f") fold();
  else if (key === "c") passive();
  else if ((key === "k" || key === "x") && !open.seen.toCall) passive();
  else if (open.raising && (key === "r" || key === "b")) editAmount(null);
  else if (open.raising && /^[1-9]$/.test(key)) editAmount(key);
  else if (setSize(key)) editAmount(null);
  else return;
  event.preventDefault();
}

function tick() {
  if (!open || open.isDone) return;
  const left = Math.max(0, Math.ceil((open.until - performance.now()) / 1000));
  const clock = byId("clock");
  clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  clock.classList.toggle("hurry", left <= HURRY_S[0]);
  const warned = HURRY_S.filter((each) => left <= each).length;
  if (warned > open.warned) byId("problem").textContent = `${left} seconds left.`;
  open.warned = Math.max(open.warned, warned);
}

/** Show a decision and return what follows from it: the server's answer, or what is there if it was closed. */
async function decide(turn) {
  const seen = turn.observation;
  const raising = seen.legal.find((each) => each.kind === "raiseTo") ?? null;
  const until = performance.now() + 1000 * turn.seconds_left;
  const chosen = new Promise((choose) => {
    open = { turn, seen, raising, until, choose, warned: 0, isDone: false, isSure: false, shownAt: performance.now() };
  });
  const place = turn.place > 1 ? `, place ${turn.place}` : "";
  byId("where").textContent = `Game ${turn.game_number}${place}, hand ${seen.handNumber}`;
  draw(seen);
  setIdle(false);
  showChoices(seen);
  byId("actions").hidden = false;
  byId("actions").dataset.decision = seen.id;
  tick();
  const before = hear(turn.results);
  say(before + situation(seen));
  const mine = open;
  const found = await Promise.race([
    chosen.then((picked) => act(picked, trouble)),
    closed(turn, () => mine.isDone, trouble).then((instead) => instead ?? new Promise(() => {})),
  ]);
  mine.isDone = true;
  open = null;
  if (found.error) say(found.error.message);
  return found;
}

async function play() {
  byId("sitting").hidden = true;
  byId("playing").hidden = false;
  say("You are there. Waiting for the first cards.");
  let found = {};
  while (!found.over) {
    if (found.turn) {
      found = await decide(found.turn);
      if (found.error && !found.over) found = await nextTurn(trouble);
    } else {
      setIdle(true);
      found = await nextTurn(trouble);
      if (found.error?.code === "INVITATION_NOT_FOUND") return say("This invitation is not valid any more.");
    }
  }
  byId("playing").hidden = true;
  say(`${hear(found.over.results)}The run has ended: ${found.over.reason}.`);
}

byId("sit").addEventListener("click", () => {
  history.replaceState({ isSeated: true }, ""); // a reload goes on at once
  play();
});
for (const each of byId("sizes").children) each.addEventListener("click", () => setSize(each.dataset.size));
byId("fold").addEventListener("click", fold);
byId("call").addEventListener("click", passive);
byId("slider").addEventListener("input", () => setAmount(Number(byId("slider").value)));
byId("actions").addEventListener("submit", (event) => {
  event.preventDefault();
  raise();
});
document.addEventListener("keydown", onKey);
setInterval(tick, 250);
if (history.state?.isSeated) play();
