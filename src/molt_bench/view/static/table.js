// One seating of a hand as a table: seats, cards, chips, button, board, pot and equities at a step.
import { cardFace, cardSlot, chipStack } from "./cards.js";
import { h } from "./dom.js";
import { STREETS, streetName, whole } from "./text.js";

/** Return which seats have folded by a step. */
function foldedBy(side, at) {
  return [0, 1].map((seat) => side.steps.slice(0, at + 1).some((step) => step.seat === seat && step.action === "fold"));
}

/** Draw the table of one side as it is after step `at`. */
export function drawTable(side, at, agents, bigBlind) {
  const step = side.steps[at];
  const folded = foldedBy(side, at);
  const seat = (number) => {
    const bet = step.bets[number];
    const acts = step.seat === number;
    const plate = h("div.plate", { class: acts ? "acts" : "" },
      h("div.who", agents.label(side.seats[number]), side.button === number && h("span.button", { title: "Button: small blind, acts first before the flop" }, "D")),
      h("div.stack", whole(step.stacks[number]), h("span.soft", ` chips · ${(step.stacks[number] / bigBlind).toFixed(1)} bb`)));
    const cards = h("div.hole", { class: folded[number] ? "folded" : "" }, (side.cards[number] ?? []).map(cardFace), folded[number] && h("span.word", "folded"));
    const chips = h("div.bet", bet > 0 && [chipStack(bet, bigBlind), h("span", whole(bet))]);
    return h("div.seat", { class: `seat-${number}` }, number === 0 ? [h("div.body", cards, plate), chips] : [chips, h("div.body", cards, plate)]);
  };
  const board = h("div.board", { role: "group", "aria-label": step.board.length ? "Board" : "Board, no cards yet" },
    step.board.map(cardFace), Array.from({ length: 5 - step.board.length }, cardSlot));
  return h("div.felt", { role: "group", "aria-label": `Table, ${side.seating}` }, seat(0),
    h("div.middle", board, h("div.pot", "Pot ", h("strong", whole(step.pot)), h("span.soft", ` · ${(step.pot / bigBlind).toFixed(1)} bb`))), seat(1));
}

/** Equities of both hands at each street that was reached; the street of step `at` stands out. */
export function equityBars(side, at, agents) {
  const now = side.steps[at];
  const rows = STREETS.map((street) => {
    const step = side.steps.find((one) => streetName(one.street) === street && one.equity);
    const here = streetName(now.street) === street;
    const reached = step && side.steps.indexOf(step) <= at;
    if (!step) return h("div.equity.unreached", h("span.street", street), h("span.track"), h("span.share", "–"), h("span.share", "–"));
    const shares = step.equity.map((share) => `${(share * 100).toFixed(1)}%`);
    return h("div.equity", { class: `${here ? "here" : ""} ${reached ? "" : "later"}` },
      h("span.street", street),
      h("span.track", { "aria-hidden": "true" }, step.equity.map((share, seat) => h(`span.slice.c${agents.colour(side.seats[seat])}`, { css: { width: `${share * 100}%` } }))),
      shares.map((share, seat) => h("span.share", h("span.unseen", `${agents.name(side.seats[seat])} `), share)));
  });
  const head = h("div.equity.head", h("span.street", "Equity"), h("span.track"), side.seats.map((id) => h("span.share", { title: agents.name(id) }, h(`span.mark.c${agents.colour(id)}`), h("span.unseen", agents.name(id)))));
  return h("div.equities", { role: "group", "aria-label": "Equity of both hands at each street" }, head, rows);
}
