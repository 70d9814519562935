// The way from a hand to the one before and the one after it, in the list that the reader comes from.
import { handsPath, loadOnce } from "./data.js";
import { chosen, dealsOf, wishesIn } from "./filters.js";
import { handTexts, lineTest } from "./playlines.js";
import { hitsOf, searched } from "./search.js";
import { whole } from "./text.js";

/** The hands before and after this one: in the list that the reader comes from, or else in the run. */
export async function wayThrough(id, data, query) {
  const plain = [data.previous, data.next].map((other) => other && [other.match, other.seed, other.hand]);
  if (!query.has("list")) return { previous: plain[0], next: plain[1], place: null };
  const hands = await loadOnce(handsPath(id));
  const { filters, order } = wishesIn(new URLSearchParams(query.get("list")));
  const said = filters.q === "" ? null : await searched(id, filters.q, filters.regex === "1");
  const texts = handTexts(id, () => {});
  if (filters.line !== "") await texts.all(hands.columns.match);
  const found = chosen(hands, filters, order, said && hitsOf(hands, said), lineTest(texts, hands, filters.line));
  const deals = dealsOf(hands, found);
  const at = deals.findIndex(([match, seed, hand]) =>
    match === data.match && seed === data.seedIndex && hand === data.hand
  );
  if (at < 0) return { previous: plain[0], next: plain[1], place: null };
  const place = `Hand ${whole(at + 1)} of ${whole(deals.length)} in the list`;
  return { previous: deals[at - 1] ?? null, next: deals[at + 1] ?? null, place };
}
