// Hands as poker people write them: hole cards, board, and the line of play, such as "r3 c / b2/3 f".
import { h } from "./dom.js";

const SUIT_MARKS = { s: ["spades", "♠"], h: ["hearts", "♥"], d: ["diamonds", "♦"], c: ["clubs", "♣"] };
const FRACTIONS = [["1/4", 1 / 4], ["1/3", 1 / 3], ["1/2", 1 / 2], ["2/3", 2 / 3], ["3/4", 3 / 4], ["1", 1]];
const NEAR = 0.04; // how far a bet may be from a usual fraction of the pot

export const ABOUT_LINES =
  "Lines of play: r raise (before the flop to so many big blinds, later to so many times the bet), b bet (share of " +
  "the pot), c call, x check, f fold; a street each.";

/** Cards such as "AhKd" as small coloured text. */
export function cardTexts(cards) {
  const each = cards.match(/../g) ?? [];
  return h(
    "span.mini",
    each.map(([rank, suit]) => h("span", { class: SUIT_MARKS[suit][0] }, rank + SUIT_MARKS[suit][1])),
  );
}

/** Return what a hand of the notation shows: {holes, board, line}. */
export function played(text) {
  const [, rules, stacks, button, cards, actions] = text.split(":");
  const [one, other, board] = cards.split("|");
  return { holes: [one, other], board, line: lineOf(rules, stacks, Number(button[1]), actions) };
}

/** Return the line of play: every action of every street, with bets in shares of the pot. */
function lineOf(rules, stacks, button, actions) {
  const [small, big, ante] = rules.split("/").map(Number);
  const most = Math.min(...stacks.split(",").map(Number)) - ante;
  let pot = 2 * ante; // before the street
  let put = 0; // on earlier streets, by each
  const streets = actions.split("/").map((street, index) => {
    const bets = index ? [0, 0] : button ? [big, small] : [small, big];
    let seat = index ? 1 - button : button;
    const said = (street.match(/[a-zA-Z]\d*/g) ?? []).map((action) => {
      const [own, faced] = [seat, bets[1 - seat]];
      seat = 1 - seat;
      if (action === "k") return "x";
      if (action === "c") bets[own] = Math.min(faced, most - put);
      if (action[0] !== "r") return action.toLowerCase();
      const to = Number(action.slice(1));
      bets[own] = to;
      const size = !index ? `r${short(to / big)}` : faced ? `r${short(to / faced)}x` : `b${share(to / pot)}`;
      return to >= most - put ? `${size} all-in` : size;
    });
    const called = Math.min(...bets);
    put += called;
    pot += 2 * called;
    return said.join(" ");
  });
  return streets.join(" / ");
}

const short = (value) => String(Number(value.toFixed(1)));
const share = (value) => FRACTIONS.find(([, usual]) => Math.abs(value - usual) < NEAR)?.[0] ?? short(value);

/** Return a test of a hand by its place in the list: whether its line of play is the one that is looked for. */
export function lineTest({ texts }, wanted) {
  return (index) => hasLine(played(texts[index]).line, wanted);
}

const bare = (text) => text.toLowerCase().replace(/\s+/g, "");

/** Whether a line of play has what the reader looks for: its beginning, or any part of it after an asterisk. */
function hasLine(line, wanted) {
  const text = bare(wanted);
  return text.startsWith("*") ? bare(line).includes(text.slice(1)) : bare(line).startsWith(text);
}
