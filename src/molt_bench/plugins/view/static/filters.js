// Which hands of a run are wanted, and in what order: for the list, and for the way from one hand to the next.
import { A_ON_BUTTON, ALL_IN, FAULT, FORCED, LINES_DIFFER, SHOWDOWN } from "./listing.js";
import { lineTest } from "./playlines.js";
import { isMissing } from "./text.js";

export const FIELDS = [
  ...["agent", "opponent", "position", "cards", "match", "street", "pot", "mistake"],
  ...["showdown", "allin", "fault", "kind", "lines", "line", "q", "regex"],
];

/** Read filters and order from the query of an address. */
export function wishesIn(query) {
  const filters = Object.fromEntries(FIELDS.map((field) => [field, query.get(field) ?? ""]));
  return { filters, order: { key: query.get("sort") ?? "place", down: query.get("down") === "1" } };
}

/** Return filters and order as the fields of a query. */
export function queryOf(filters, order) {
  return { ...filters, sort: order.key === "place" ? "" : order.key, down: order.down ? "1" : "" };
}

/** The largest mistake in a hand, in mbb: of the agent that was chosen, or else of both; null if it has no grade. */
export function lossOf({ columns, agents, losses }, agent, index) {
  const [a, b] = (losses ?? []).map((column) => column[index]);
  if (isMissing(a) || isMissing(b)) return null;
  if (agent === "") return Math.max(a, b);
  return agents[columns.a[index]] === agent ? a : b;
}

/** Return which of the starting hands a text such as "AA, AKs, 72" names; null for all. */
function wantedCards(text, startingHands) {
  const words = text.toUpperCase().split(/[\s,;]+/).filter(Boolean);
  if (!words.length) return null;
  return startingHands.map((name) => {
    const shown = name.toUpperCase();
    const turned = shown[1] + shown[0] + shown.slice(2);
    return words.some((word) => shown.startsWith(word) || turned.startsWith(word));
  });
}

/** Return a test for each wish that is about a flag of a hand. */
function flagTests(filters, flags) {
  const bits = [
    [filters.showdown, SHOWDOWN],
    [filters.allin, ALL_IN],
    [filters.fault, FAULT | FORCED],
    [filters.lines, LINES_DIFFER],
  ];
  return bits.filter(([wish]) => wish !== "")
    .map(([wish, bit]) => (index) => ((flags[index] & bit) !== 0) === (wish === "yes"));
}

/** Return tests of the players: who they are, where they sit, what they hold and what they did wrong. */
function playerTests(data, filters) {
  const { columns: { a, b, flags, cardsA, cardsB, faultsA, faultsB }, agents, faultKinds, startingHands } = data;
  const [agent, opponent] = [filters.agent, filters.opponent].map((id) => (id ? agents.indexOf(id) : null));
  const isA = (index) => a[index] === agent;
  const cards = wantedCards(filters.cards, startingHands);
  const bit = filters.kind === "" ? 0 : 1 << faultKinds.indexOf(filters.kind);
  const either = (index, ofA, ofB, test) =>
    agent === null ? test(ofA[index]) || test(ofB[index]) : test(isA(index) ? ofA[index] : ofB[index]);
  return [
    agent !== null && ((index) => a[index] === agent || b[index] === agent),
    opponent !== null && ((index) => a[index] === opponent || b[index] === opponent),
    filters.position !== "" && agent !== null &&
    ((index) => (((flags[index] & A_ON_BUTTON) !== 0) === isA(index)) === (filters.position === "button")),
    cards && ((index) => either(index, cardsA, cardsB, (hole) => cards[hole])),
    filters.kind !== "" && ((index) => either(index, faultsA, faultsB, (found) => (found & bit) !== 0)),
  ];
}

/** Return the indices of the hands that pass the filters, in the requested order; `hits` marks those with a hit. */
export function chosen(data, filters, order, hits = null) {
  const { match, net, pot, street, flags } = data.columns;
  const least = Number(filters.pot || 0) * 100;
  const mistake = Number(filters.mistake || 0) * 1000;
  const loss = data.losses ? Array.from(net, (_, index) => lossOf(data, filters.agent, index)) : [];
  const tests = [
    ...playerTests(data, filters),
    filters.match !== "" && ((index) => match[index] === Number(filters.match)),
    filters.street !== "" && ((index) => street[index] === Number(filters.street)),
    least > 0 && ((index) => pot[index] >= least),
    data.losses && mistake > 0 && ((index) => (loss[index] ?? 0) >= mistake),
    ...flagTests(filters, flags),
    hits && ((index) => hits[index] === 1),
    filters.line !== "" && lineTest(data, filters.line),
  ].filter(Boolean);
  let found = new Uint32Array(net.length).map((_, index) => index);
  for (const test of tests) found = passing(found, test);
  if (order.key === "place") return order.down ? found.reverse() : found;
  const values = order.key === "swing"
    ? Float64Array.from(net).map(Math.abs)
    : order.key === "loss"
    ? loss
    : data.columns[order.key];
  return values ? inOrder(found, values, order.down) : found;
}

/** Return the indices that pass a test. */
function passing(indices, test) {
  const kept = new Uint32Array(indices.length);
  let many = 0;
  for (let at = 0; at < indices.length; at += 1) {
    if (test(indices[at])) kept[many++] = indices[at];
  }
  return kept.subarray(0, many);
}

/**
 * Sort indices by their values, equal ones by their place. Value and place make up one number: the browser sorts those
 * ten times as fast as by a comparison in a script. Values are whole numbers.
 */
function inOrder(indices, values, down) {
  const [many, sign] = [values.length, down ? -1 : 1];
  const keys = new Float64Array(indices.length);
  for (let at = 0; at < indices.length; at += 1) keys[at] = sign * (values[indices[at]] ?? 0) * many + indices[at];
  keys.sort();
  return indices.map((_, at) => ((keys[at] % many) + many) % many);
}

/** Return the deals of a list of hands in its order, each once: [match, seed, hand]. */
export function dealsOf(data, indices) {
  const { match, seed, hand } = data.columns;
  const dealAt = (at) => [`${match[at]}/${seed[at]}/${hand[at]}`, [match[at], seed[at], hand[at]]];
  const deals = new Map(Array.from(indices, dealAt));
  return [...deals.values()];
}
