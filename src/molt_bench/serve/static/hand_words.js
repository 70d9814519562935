// A hand in words, as the table of a person and the spectators' page say it.

const RANKS = { T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

export function chips(count) {
  return count.toLocaleString("en-US");
}

export function signed(count) {
  return `${count > 0 ? "+" : ""}${chips(count)}`.replace("-", "−");
}

/** Cards for the ear, such as "ace of hearts, 7 of clubs". */
export function cardWords(cards) {
  return cards.map((card) => `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]]}`).join(", ");
}

/** What a seat did; `facing` is the highest bet before it on the street. */
function actionWords({ kind, amount }, facing, who) {
  const ending = who === "You" ? "" : "s";
  if (kind !== "raiseTo") return `${who} ${kind}${ending}`;
  return facing ? `${who} raise${ending} to ${chips(amount)}` : `${who} bet${ending} ${chips(amount)}`;
}

/** All actions of a hand in words, each with its street; `names` are those of seats 0 and 1. */
export function logWords(log, names) {
  const facing = { preflop: 1 }; // the blinds
  return log.map((each) => {
    const words = actionWords(each, facing[each.street] ?? 0, names[each.seat]);
    if (each.kind === "raiseTo") facing[each.street] = each.amount;
    return { street: each.street, words };
  });
}
