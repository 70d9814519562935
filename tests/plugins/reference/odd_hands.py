"""Hands with odd rules and stacks, in which the blueprint meets somebody who does anything that is legal."""

from collections.abc import Iterator

import msgspec

from molt_bench.plugins.reference.agent import BlueprintAgent
from molt_bench.poker.actions import CALL, CHECK, FOLD, OPEN_CARDS, Action
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.poker.views import observe
from molt_bench.seeds import derive

BIG_BLINDS = (1, 2, 3, 7, 20, 100, 1_000)


class Bits:
    """Random numbers from one hash, taken piece by piece."""

    def __init__(self, *labels: int | str) -> None:
        self.left = derive(*labels)

    def below(self, many: int) -> int:
        self.left, found = divmod(self.left, many)
        return found

    def pick(self, choices):
        return choices[self.below(len(choices))]


def odd_rules(bits: Bits) -> HandRules:
    big = bits.pick(BIG_BLINDS)
    small = bits.pick((0, big // 2, big // 2, big))
    ante = bits.pick((0, 0, 0, 1, big // 4, big))
    return HandRules(small, big, ante, bits.pick((None, None, 1, 2, 4)))


def odd_stacks(bits: Bits, big_blind: int) -> tuple[int, int]:
    """Return stacks from one chip to thousands of big blinds, often equal."""
    first, second = (max(1, big_blind * (3 ** bits.below(9)) // 3 + bits.below(big_blind + 3)) for _ in range(2))
    return (first, first) if bits.below(2) else (first, second)


def anything(hand: Hand, bits: Bits) -> Action:
    """Return a legal action: rarely a fold, and raises of any size, small ones and all-in often."""
    least, most = hand.raise_range()
    kind = bits.below(12)
    if kind == 0:
        return FOLD
    if kind < 6 or not most:
        return CALL if hand.to_call else CHECK
    pot = hand.pot + sum(hand.bets) + 1
    sizes = (least, most, least + bits.below(most - least + 1), min(most, least + bits.below(3 * pot)), least)
    return Action("raiseTo", bits.pick(sizes))


def decisions(number: int, bot: BlueprintAgent) -> Iterator[tuple[Observation, Hand]]:
    """Play one odd hand, and yield every decision of the bot; in every third hand it has both seats."""
    bits = Bits(number, "rules")
    rules = odd_rules(bits)
    hand = Hand(rules, Shoe("odd").deal(number), odd_stacks(bits, rules.big_blind), button=bits.below(2))
    longest = bits.pick((3, 10, 200))
    while hand.actor >= 0:
        bits = Bits(number, len(hand.log))
        if len(hand.log) >= longest:
            hand.close_raising()
        if number % 3 and hand.actor == number % 2:
            hand.apply(anything(hand, bits))
            continue
        seen = observe(hand, 1)
        yield seen, hand
        answer = bot.act(seen)
        if isinstance(answer, Mix):
            answer = answer.drawn(derive(number, "entry", len(hand.log)) >> 192, 0)
        hand.apply(answer)


def observations(count: int, bot: BlueprintAgent, *, start: int = 0) -> list[Observation]:
    """Return the decisions of many odd hands."""
    found: list[Observation] = []
    number = start
    while len(found) < count:
        found += [seen for seen, _ in decisions(number, bot)]
        number += 1
    return found[:count]


def renamed(seen: Observation, suits: tuple[int, int, int, int]) -> Observation:
    """Return an observation with its suits renamed, and its hole cards and flop in another order."""
    first, second = (card & ~3 | suits[card & 3] for card in seen.cards)
    board = [card & ~3 | suits[card & 3] for card in seen.board]
    return msgspec.structs.replace(seen, cards=(second, first), board=(*board[:3][::-1], *board[3:]))


def before_card(state):
    """Return a public state without the cards that followed the last action."""
    street = state.log[-1].street if state.log else "preflop"
    return msgspec.structs.replace(state, board=state.board[: OPEN_CARDS[street]])
