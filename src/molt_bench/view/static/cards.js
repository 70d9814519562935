// Playing cards, chips and icons as SVG. A suit has its own colour and its own shape, so colour alone never decides.
import { h, s } from "./dom.js";

const SPADE = "M12 2C9 7 3 10 3 15a4.4 4.4 0 0 0 8 2.4C10.800 20 10 21.500 8.500 22h7C14 21.500 13.200 20 13 " +
  "17.400A4.400 4.400 0 0 0 21 15C21 10 15 7 12 2Z";
const HEART = "M12 21.500C9 17 2.500 13.500 2.500 8.200A5 5 0 0 1 12 6.300 5 5 0 0 1 21.500 8.200C21.500 13.500 15 " +
  "17 12 21.500Z";
const DIAMOND = "M12 2C14 6 17 9.500 20 12 17 14.500 14 18 12 22 10 18 7 14.500 4 12 7 9.500 10 6 12 2Z";
const CLUB =
  "M12 2.500a4.600 4.600 0 0 0-3.300 7.800A4.600 4.600 0 1 0 11.200 16.500C11 19.500 10 21.400 8.500 22h7C14 " +
  "21.400 13 19.500 12.800 16.500A4.600 4.600 0 1 0 15.300 10.300 4.600 4.600 0 0 0 12 2.500Z";
const SUITS = { s: ["spades", SPADE], h: ["hearts", HEART], d: ["diamonds", DIAMOND], c: ["clubs", CLUB] };
const RANKS = "23456789TJQKA";
const RANK_WORDS = "two three four five six seven eight nine ten jack queen king ace".split(" ");

/** A card, face up, such as "Th". */
export function cardFace(card) {
  const [rank, suit] = card;
  const [name, path] = SUITS[suit];
  return h(
    "span.playing",
    { class: name, role: "img", "aria-label": `${RANK_WORDS[RANKS.indexOf(rank)]} of ${name}` },
    [
      h("span.pip", { "aria-hidden": "true" }, rank === "T" ? "10" : rank),
      s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: path })),
    ],
  );
}

/** The place of a board card that has not been dealt. */
export function cardSlot() {
  return h("span.playing.slot", { "aria-hidden": "true" });
}

/** A stack that grows with the logarithm of its value: one chip up to a big blind, eight for 128 and more. */
export function chipStack(amount, bigBlind) {
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
