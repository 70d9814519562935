"""Draws the decisions of an exam from play: the reference plays itself, and every kind of decision is taken.

Kinds that are rare in play are asked more often than they occur, and count less for it, so that the mean over the
questions is a mean over decisions as they occur. The same seed draws the same decisions everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from math import sqrt
from typing import Final, NamedTuple

from molt_bench.agents.blueprint.agent import BlueprintAgent
from molt_bench.exam.questions import RULES, Decision, Kind
from molt_bench.poker.actions import Street
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import actions_to_line
from molt_bench.poker.observation import observe
from molt_bench.seeds import derive

#: Stack depths in big blinds; each is played as often.
DEPTHS: Final = (20, 50, 100, 200)
#: Hands that are played for each question, to see how often each kind occurs.
HANDS_PER_QUESTION: Final = 20


class Drawn(NamedTuple):
    """A decision that was drawn, and how much it counts; the mean of the set is 1."""

    decision: Decision
    weight: float


def draw(seed: str, count: int, streets: Collection[Street]) -> list[Drawn]:
    """Return about so many decisions of these streets, so that every part of the list has a similar mix of kinds."""
    found: dict[Kind, list[Decision]] = defaultdict(list)
    for decision in _decisions(seed, HANDS_PER_QUESTION * count, streets):
        found[decision.kind()].append(decision)
    whole = sum(map(len, found.values()))
    # Half-way between as often as they occur and all kinds alike; each kind at least once.
    roots = {kind: sqrt(len(each)) for kind, each in found.items()}
    scale = count / sum(roots.values())
    wanted = {kind: min(len(found[kind]), max(1, round(scale * root))) for kind, root in roots.items()}
    drawn: list[tuple[float, int, Drawn]] = []
    total = sum(wanted.values())
    for kind, number in wanted.items():
        order = sorted(found[kind], key=lambda each: derive(seed, "order", _text(each)))
        weight = len(found[kind]) / whole * total / number
        for at, decision in enumerate(order[:number]):
            mixed = derive(seed, "mix", _text(decision))
            drawn.append(((at + mixed / 2**256) / number, mixed, Drawn(decision, weight)))
    return [each for _, _, each in sorted(drawn)]


def _text(decision: Decision) -> str:
    return f"{decision.stack} {decision.button} {decision.cards} {decision.board} {decision.line}"


def _decisions(seed: str, hands: int, streets: Collection[Street]) -> Iterator[Decision]:
    """Yield every decision of these streets in games of the reference with itself."""
    bot = BlueprintAgent(seed=seed)
    for depth in DEPTHS:
        shoe, stack = Shoe(f"{seed}/{depth}"), depth * RULES.big_blind
        for number in range(1, hands // len(DEPTHS) + 1):
            deal, noise = shoe.hand(number)
            hand = Hand(RULES, deal, (stack, stack), (number - 1) & 1)
            while hand.actor >= 0:
                if hand.street in streets:
                    cards, board = cards_to_text(hand.holes[hand.actor]), cards_to_text(hand.board)
                    yield Decision(stack, hand.button, cards, board, actions_to_line(hand.betting))
                at = len(hand.log)
                bits = noise[at] if at < len(noise) else derive(seed, "noise", depth, number, at) & 0xFFFFFFFF
                hand.apply(bot.act(observe(hand, number, bits)))
