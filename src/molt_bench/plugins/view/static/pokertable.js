// One seating of a hand as a poker table at a step: seats, cards, chips, board, pot and equities, drawn as SVG.
import { h, s } from "./dom.js";
import { STREETS, whole } from "./text.js";

// A suit has its own colour and its own shape, so colour alone never decides.
const SPADE = "M12 2C9 7 3 10 3 15a4.4 4.4 0 0 0 8 2.4C10.8 20 10 21.5 8.5 22h7" +
  "C14 21.5 13.2 20 13 17.4A4.4 4.4 0 0 0 21 15C21 10 15 7 12 2Z";
const HEART = "M12 21.5C9 17 2.5 13.5 2.5 8.2A5 5 0 0 1 12 6.3 5 5 0 0 1 21.5 8.2C21.5 13.5 15 17 12 21.5Z";
const DIAMOND = "M12 2C14 6 17 9.5 20 12 17 14.5 14 18 12 22 10 18 7 14.5 4 12 7 9.5 10 6 12 2Z";
const CLUB = "M12 2.5a4.6 4.6 0 0 0-3.3 7.8A4.6 4.6 0 1 0 11.2 16.5C11 19.5 10 21.4 8.5 22h7" +
  "C14 21.4 13 19.5 12.8 16.5A4.6 4.6 0 1 0 15.3 10.3 4.6 4.6 0 0 0 12 2.5Z";
const SUITS = { s: ["spades", SPADE], h: ["hearts", HEART], d: ["diamonds", DIAMOND], c: ["clubs", CLUB] };
const RANKS = "23456789TJQKA";
const RANK_WORDS = "two three four five six seven eight nine ten jack queen king ace".split(" ");

/** A card, face down. */
function cardBack() {
  return h("span.playing.back", { role: "img", "aria-label": "hidden card" });
}

/** A card, face up, such as "Th"; `more` is for a card that never came. */
function cardFace(card, more = "") {
  const [rank, suit] = card;
  const [name, path] = SUITS[suit];
  const label = `${RANK_WORDS[RANKS.indexOf(rank)]} of ${name}`;
  return h("span.playing", { class: `${name} ${more}`, role: "img", "aria-label": label }, [
    h("span.pip", { "aria-hidden": "true" }, rank === "T" ? "10" : rank),
    s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: path })),
  ]);
}

/** A stack that grows with the logarithm of its value: one chip up to a big blind, eight for 128 and more. */
function chipStack(amount, bigBlind) {
  const chips = Math.max(1, Math.min(8, Math.ceil(Math.log2(Math.max(amount / bigBlind, 1))) + 1));
  const drawn = Array.from({ length: chips }, (_, index) => [
    s("path.chip-side", { d: `M2 ${28 - index * 3}v3a10 4 0 0 0 20 0v-3Z` }),
    s("ellipse.chip-top", { cx: 12, cy: 28 - index * 3, rx: 10, ry: 4 }),
  ]);
  return s("svg.chips", { viewBox: "0 0 24 34", "aria-hidden": "true" }, drawn);
}

// Drawn, because many systems have no font with these symbols.
const ICONS = {
  first: "M5 4h3v16H5zM20 4v16L9 12z",
  back: "M17 4v16L6 12z",
  play: "M7 4v16l12-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  forward: "M7 4v16l11-8z",
  last: "M16 4h3v16h-3zM4 4v16l11-8z",
};

export function icon(name) {
  return s("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

const BUTTON = "Button: small blind, acts first before the flop";

/** Draw the table of one side after step `at`; `up` says whose cards are face up, `isOver` whether all may be told. */
export function drawTable(side, at, agents, { bigBlind, up, isOver }) {
  const { board, pot, bets, stacks, seat: actor } = side.steps[at];
  const undealt = isOver && at === side.steps.length - 1 ? side.undealt : [];
  const ghost = (card) => cardFace(card, "ghost");
  const inBlinds = (chips) => `${(chips / bigBlind).toFixed(1)} bb`;
  const folded = (seat) => side.steps.slice(0, at + 1).some((step) => step.seat === seat && step.action === "fold");
  const seats = [0, 1].map((seat) => {
    const hasButton = side.button === seat && h("span.button", { title: BUTTON }, "D");
    const plate = h("div.plate", { class: actor === seat ? "acts" : "" }, [
      h("div.who", agents.label(side.seats[seat]), hasButton),
      h("div.stack", whole(stacks[seat]), h("span.soft", ` chips · ${inBlinds(stacks[seat])}`)),
    ]);
    const word = folded(seat) && h("span.word", "folded");
    const cards = h(
      "div.hole",
      { class: folded(seat) ? "folded" : "" },
      side.cards[seat].map((card) => (up[seat] ? cardFace(card) : cardBack())),
      word,
    );
    const chips = h("div.bet", bets[seat] > 0 && [chipStack(bets[seat], bigBlind), h("span", whole(bets[seat]))]);
    const body = h("div.body", cards, plate);
    return h("div.seat", seat === 0 ? [body, chips] : [chips, body]);
  });
  const middle = h("div.middle", [
    h("div.board", { role: "group", "aria-label": board.length ? "Board" : "Board, no cards yet" }, [
      board.map((card) => cardFace(card)),
      undealt.length
        ? h("span.undealt", { role: "group", "aria-label": "Not dealt: would have come" }, undealt.map(ghost))
        : Array.from({ length: 5 - board.length }, () => h("span.playing.slot", { "aria-hidden": "true" })),
    ]),
    h("div.would", undealt.length > 0 && "Grey: not dealt, would have come"),
    h("div.pot", "Pot ", h("strong", whole(pot)), h("span.soft", ` · ${inBlinds(pot)}`)),
  ]);
  return h("div.felt", { role: "group", "aria-label": `Table, ${side.seating}` }, seats[0], middle, seats[1]);
}

/** Equities of both hands on each street that was reached; the street of step `at` is highlighted. */
export function equityBars(side, at, agents) {
  const rows = STREETS.map((street) => {
    const first = side.steps.findIndex((step) => step.street === street && step.equity);
    const name = h("span.street", street);
    if (first < 0) return h("div.equity.unreached", name, h("span.track"), h("span.share", "–"), h("span.share", "–"));
    const here = side.steps[at].street === street ? "here" : "";
    const sides = side.steps[first].equity.map((share, seat) => ({ share, id: side.seats[seat] }));
    const slices = sides.map(({ share, id }) =>
      h(`span.slice.c${agents.colour(id)}`, { css: { width: `${share * 100}%` } })
    );
    return h("div.equity", { class: `${here} ${first <= at ? "" : "later"}` }, [
      name,
      h("span.track", { "aria-hidden": "true" }, slices),
      sides.map(({ share, id }) =>
        h("span.share", h("span.unseen", `${agents.name(id)} `), `${(share * 100).toFixed(1)}%`)
      ),
    ]);
  });
  const marks = side.seats.map((id) => {
    const mark = h(`span.mark.c${agents.colour(id)}`);
    return h("span.share", { title: agents.name(id) }, mark, h("span.unseen", agents.name(id)));
  });
  const head = h("div.equity.head", h("span.street", "Equity"), h("span.track"), marks);
  return h("div.equities", { role: "group", "aria-label": "Equity of both hands on each street" }, head, rows);
}
