// The list of all hands of a run as columns, read from their notation.
import { handsPath, load, loadOnce } from "./data.js";

const HIGH_TO_LOW = "AKQJT98765432";
/** The 169 starting hands by name, such as AA, AKs and AKo: a hand is known by its place here. */
const STARTING_HANDS = [...HIGH_TO_LOW].flatMap((one, row) =>
  [...HIGH_TO_LOW].map((
    other,
    column,
  ) => (row === column ? one + other : row < column ? `${one}${other}s` : `${other}${one}o`))
);
// What can be marked of a hand.
export const SHOWDOWN = 1;
export const ALL_IN = 2;
export const FAULT = 4;
export const FORCED = 8;
export const NOT_COUNTED = 16;
export const LINES_DIFFER = 32;
export const A_ON_BUTTON = 64;

const COLUMNS = {
  ...{ match: Int32Array, seed: Int32Array, seating: Uint8Array, hand: Int32Array, a: Uint16Array, b: Uint16Array },
  ...{ net: Float64Array, pot: Float64Array, street: Uint8Array, flags: Uint8Array },
  ...{ cardsA: Uint8Array, cardsB: Uint8Array, faultsA: Uint32Array, faultsB: Uint32Array },
};

/** Return the list of the hands of a run, from memory if it was read before. */
export const listOnce = (run) => loadOnce(handsPath(run), listed);
/** Return it as it is now. */
export const listAgain = async (run) => listed(await load(handsPath(run)));

function listed({ games, agents, graded, ...rest }) {
  const many = games.reduce((sum, { hands }) => sum + hands.length, 0);
  const columns = Object.fromEntries(Object.entries(COLUMNS).map(([name, Kind]) => [name, new Kind(many)]));
  const { match, seed, seating, hand, a, b, flags, faultsA, faultsB } = columns;
  const faultKinds = [...new Set(games.flatMap(({ faults }) => faults.map(([, , kind]) => kind)))];
  const texts = games.flatMap(({ hands }) => hands);
  let before = { deals: null, lines: [], first: 0 }; // the game before: its lines of play by hand, and its first place
  let index = 0;
  for (const game of games) {
    const [one, other] = game.players.map((id) => agents.indexOf(id));
    const now = { deals: `${game.match}/${game.seed}`, lines: [], first: index };
    for (let at = 0; at < game.hands.length; at += 1, index += 1) {
      match[index] = game.match;
      seed[index] = game.seed;
      seating[index] = game.seating;
      hand[index] = game.numbers?.[at] ?? at + 1;
      a[index] = one;
      b[index] = other;
      flags[index] = game.draw || hand[index] <= game.warmup ? NOT_COUNTED : 0;
      const line = read(game.hands[at], columns, index);
      now.lines.push(line);
      // Both seatings of a deal stand at the same place in their games.
      if (before.deals === now.deals && hand[before.first + at] === hand[index] && before.lines[at] !== line) {
        flags[index] |= LINES_DIFFER;
        flags[before.first + at] |= LINES_DIFFER;
      }
    }
    for (const [number, player, kind] of game.faults) {
      const at = hand.subarray(now.first, index).indexOf(number);
      if (at < 0) continue;
      flags[now.first + at] |= FAULT;
      (player ? faultsB : faultsA)[now.first + at] |= 1 << faultKinds.indexOf(kind);
    }
    before = now;
  }
  const losses = graded ? [0, 1].map((player) => games.flatMap((game) => lossesOf(game, player))) : null;
  return { ...rest, agents, faultKinds, columns, losses, texts, startingHands: STARTING_HANDS };
}

const lossesOf = ({ hands, losses }, player) => losses?.[player] ?? hands.map(() => null);
const [SLASH, FOLD, FORCED_FOLD] = [..."/fF"].map((letter) => letter.charCodeAt(0));

/** Read a hand of the notation into its columns, from the view of player A, and return its line of play. */
function read(text, columns, index) {
  const seating = columns.seating[index];
  const rulesAt = text.indexOf(":") + 1;
  const buttonAt = text.indexOf(":b", rulesAt) + 2;
  const cardsAt = buttonAt + 2;
  const lineAt = text.indexOf(":", cardsAt) + 1;
  const netAt = text.indexOf(":", lineAt) + 1;
  if (!rulesAt || buttonAt < 2 || !lineAt || !netAt) throw new Error(`A hand cannot be read: ${text.slice(0, 80)}`);
  const { big, ante, most } = tableOf(text.slice(rulesAt, buttonAt - 2));
  const line = text.slice(lineAt, netAt - 1);
  const won = Number(text.slice(netAt)); // by seat 0
  const last = line.charCodeAt(line.length - 1);
  const isShown = last !== FOLD && last !== FORCED_FOLD;
  const stake = isShown && won === 0 ? Math.min(most, called(line, big, ante)) : Math.abs(won);
  columns.net[index] = Math.round((100 * won * (seating ? -1 : 1)) / big);
  columns.pot[index] = Math.round((200 * stake) / big);
  let street = 0;
  for (let at = 0; at < line.length; at += 1) if (line.charCodeAt(at) === SLASH) street += 1;
  columns.street[index] = street;
  columns.cardsA[index] = placeOf(text, cardsAt + (seating ? 5 : 0));
  columns.cardsB[index] = placeOf(text, cardsAt + (seating ? 0 : 5));
  columns.flags[index] |= (isShown ? SHOWDOWN : 0) | (isShown && stake >= most ? ALL_IN : 0) |
    (last === FORCED_FOLD ? FORCED : 0) | (Number(text[buttonAt]) === seating ? A_ON_BUTTON : 0);
  return line;
}

const tables = new Map(); // nearly all hands of a run have the same rules, and many the same stacks

/** What a text such as 50/100/0:10000,10000 says of a table: big blind, ante, and what each player can put in. */
function tableOf(text) {
  let found = tables.get(text);
  if (found) return found;
  const [rules, stacks] = text.split(":");
  const [, big, ante] = rules.split("/").map(Number);
  found = { big, ante, most: Math.min(...stacks.split(",").map(Number)) };
  if (tables.size > 10_000) tables.clear();
  tables.set(text, found);
  return found;
}

/** What each player has put in by a showdown, unless a stack is shorter: every bet was called. */
function called(actions, big, ante) {
  const raised = (street) => Number(street.match(/r(\d+)[^r]*$/)?.[1] ?? 0);
  const [first, ...later] = actions.split("/").map(raised);
  return ante + (first || big) + later.reduce((sum, one) => sum + one, 0);
}

/** The place of two cards of a text, such as AhKd, among the starting hands. */
function placeOf(text, at) {
  const [one, other] = [HIGH_TO_LOW.indexOf(text[at]), HIGH_TO_LOW.indexOf(text[at + 2])];
  const [high, low] = one < other ? [one, other] : [other, one];
  return text[at + 1] === text[at + 3] ? 13 * high + low : 13 * low + high;
}
