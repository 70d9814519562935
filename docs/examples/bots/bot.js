// A poker bot in JavaScript: plays as `exec:node docs/examples/bots/bot.js`. Nothing to install.
const readline = require("readline");

const RANKS = "23456789TJQKA";

// Rough hand strength from 0 to 1: pairs and better count, high cards a little.
function strength(cards, board) {
  const ranks = cards.map((card) => RANKS.indexOf(card[0]));
  let score = (ranks[0] + ranks[1]) / 40;
  if (ranks[0] === ranks[1]) score += 0.4;
  for (const rank of new Set(ranks)) {
    score += 0.35 * board.filter((card) => RANKS.indexOf(card[0]) === rank).length;
  }
  return Math.min(score, 1);
}

// Raise good hands, call at the right price, check when it is free, fold otherwise.
function choose(seen) {
  const legal = Object.fromEntries(seen.legal.map((option) => [option.kind, option]));
  const good = strength(seen.cards, seen.board);
  if (good > 0.75 && legal.raiseTo) {
    const wanted = Math.max(...seen.bets) + Math.floor(seen.pot / 2);
    return { kind: "raiseTo", amount: Math.min(Math.max(wanted, legal.raiseTo.min), legal.raiseTo.max) };
  }
  if (legal.check) return { kind: "check" };
  const price = seen.toCall / (seen.pot + seen.toCall);
  return { kind: good > price + 0.1 ? "call" : "fold" };
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") say({ type: "hello", protocol: 1, name: "example in JavaScript" });
  else if (message.type === "observation") say({ type: "action", id: message.id, ...choose(message) });
  else if (message.type === "bye") process.exit(0);
  // handResult, error, and whatever later versions may send need no answer
});
