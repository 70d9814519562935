// The way from a hand to the one before and the one after it, in the list that the reader comes from.
import { chosen, dealsOf, lossOf, wishesIn } from "./filters.js";
import { MISTAKE_BB } from "./grades.js";
import { FAULT, FORCED, listOnce } from "./listing.js";
import { hitsOf, searched } from "./search.js";
import { whole } from "./text.js";

/** The hands before and after this one: in the list that the reader comes from, or else in the run. */
export async function wayThrough(id, data, query) {
  const plain = [data.previous, data.next].map((other) => other && [other.match, other.seed, other.hand]);
  if (!query.has("list")) return { previous: plain[0], next: plain[1], place: null };
  const hands = await listOnce(id);
  const { filters, order } = wishesIn(new URLSearchParams(query.get("list")));
  const said = filters.q === "" ? null : await searched(id, filters.q, filters.regex === "1");
  const found = chosen(hands, filters, order, said && hitsOf(hands, said));
  const deals = dealsOf(hands, found);
  const at = deals.findIndex(([match, seed, hand]) =>
    match === data.match && seed === data.seedIndex && hand === data.hand
  );
  if (at < 0) return { previous: plain[0], next: plain[1], place: null };
  const place = `Hand ${whole(at + 1)} of ${whole(deals.length)} in the list`;
  return { previous: deals[at - 1] ?? null, next: deals[at + 1] ?? null, place };
}

/** The next hand in the list, or in the run, with a fault or a costly decision; null if there is none. */
export async function nextToLookAt(id, data, query) {
  const hands = await listOnce(id);
  const { filters, order } = wishesIn(new URLSearchParams(query.get("list") ?? ""));
  const said = filters.q === "" ? null : await searched(id, filters.q, filters.regex === "1");
  const { columns } = hands;
  const found = [...chosen(hands, filters, order, said && hitsOf(hands, said))];
  const isHere = (at) =>
    columns.match[at] === data.match && columns.seed[at] === data.seedIndex && columns.hand[at] === data.hand;
  const wanted = (at) =>
    (columns.flags[at] & (FAULT | FORCED)) !== 0 || (lossOf(hands, "", at) ?? 0) >= MISTAKE_BB * 1000;
  const next = found.slice(found.findLastIndex(isHere) + 1).find(wanted);
  return next === undefined ? null : [columns.match[next], columns.seed[next], columns.hand[next]];
}
