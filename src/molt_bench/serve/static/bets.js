// Sizes of bets: those of the buttons, and what a person may type.

/** The total of a raise by a share of the pot, counted after a call, within what is legal. */
function shareOfPot(seen, legal, share) {
  const wanted = Math.max(...seen.bets) + Math.floor(share * (seen.pot + seen.toCall));
  return Math.min(legal.max, Math.max(legal.min, wanted));
}

/** The amounts of the buttons, by their keys. */
export function sizesOf(seen, legal) {
  return { m: legal.min, h: shareOfPot(seen, legal, 1 / 2), p: shareOfPot(seen, legal, 1), a: legal.max };
}

const WORDS = { third: 1 / 3, quarter: 1 / 4, half: 1 / 2, pot: 1 };

/** Read an amount; returns the chips, or why it cannot be used as text. */
export function amountOf(typed, seen, legal) {
  const text = typed.trim().toLowerCase();
  const facing = Math.max(...seen.bets);
  const after = seen.pot + seen.toCall;
  let amount = null;
  if (/^\d{1,12}([,_]\d{3})*$/.test(text)) amount = Number(text.replace(/[,_]/g, ""));
  else if (/^\d{1,9}(\.\d{1,4})?\s*bb$/.test(text)) amount = Math.floor(parseFloat(text) * seen.bigBlind);
  else if (/^\d{1,4}(\.\d{1,4})?\s*%$/.test(text)) amount = facing + Math.floor((parseFloat(text) / 100) * after);
  else if (Object.hasOwn(WORDS, text)) amount = facing + Math.floor(WORDS[text] * after);
  else if (text === "min") amount = legal.min;
  else if (["a", "all", "all-in", "allin"].includes(text)) amount = legal.max;
  if (amount === null) return "How much? For example 600, 3bb, half, pot, 75% or all.";
  if (amount > legal.max) return `That is more than you have: all-in is ${legal.max.toLocaleString("en-US")}.`;
  if (amount < legal.min) return `That is too small: the least is ${legal.min.toLocaleString("en-US")}.`;
  return amount;
}
