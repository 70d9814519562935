// One seating of a hand as a poker table: seats, cards, chips, button, board, pot and equities at a step.
import { cardFace, cardSlot, chipStack } from "./cards.js";
import { h } from "./dom.js";
import { STREETS, whole } from "./text.js";

const BUTTON = "Button: small blind, acts first before the flop";

/** Draw the table of one side after step `at`. */
export function drawTable(side, at, agents, bigBlind) {
  const { board, pot, bets, stacks, seat: actor } = side.steps[at];
  const inBlinds = (chips) => `${(chips / bigBlind).toFixed(1)} bb`;
  const folded = (seat) => side.steps.slice(0, at + 1).some((step) => step.seat === seat && step.action === "fold");
  const seats = [0, 1].map((seat) => {
    const hasButton = side.button === seat && h("span.button", { title: BUTTON }, "D");
    const plate = h("div.plate", { class: actor === seat ? "acts" : "" }, [
      h("div.who", agents.label(side.seats[seat]), hasButton),
      h("div.stack", whole(stacks[seat]), h("span.soft", ` chips · ${inBlinds(stacks[seat])}`)),
    ]);
    const word = folded(seat) && h("span.word", "folded");
    const cards = h("div.hole", { class: folded(seat) ? "folded" : "" }, side.cards[seat].map(cardFace), word);
    const chips = h("div.bet", bets[seat] > 0 && [chipStack(bets[seat], bigBlind), h("span", whole(bets[seat]))]);
    const body = h("div.body", cards, plate);
    return h("div.seat", seat === 0 ? [body, chips] : [chips, body]);
  });
  const middle = h("div.middle", [
    h("div.board", { role: "group", "aria-label": board.length ? "Board" : "Board, no cards yet" }, [
      board.map(cardFace),
      Array.from({ length: 5 - board.length }, cardSlot),
    ]),
    h("div.pot", "Pot ", h("strong", whole(pot)), h("span.soft", ` · ${inBlinds(pot)}`)),
  ]);
  return h("div.felt", { role: "group", "aria-label": `Table, ${side.seating}` }, seats[0], middle, seats[1]);
}

/** Equities of both hands on each street that was reached; the street of step `at` is highlighted. */
export function equityBars(side, at, agents) {
  const rows = STREETS.map((street) => {
    const first = side.steps.findIndex((step) => step.street === street && step.equity);
    const name = h("span.street", street);
    if (first < 0) {
      return h("div.equity.unreached", name, h("span.track"), h("span.share", "–"), h("span.share", "–"));
    }
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
