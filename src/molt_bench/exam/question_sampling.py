"""Samples the questions of an exam from play: the reference plays itself, and all kinds of decisions are taken.

Kinds that are rare in play, and large pots, are asked more often than they occur, and count less for it, so that the
mean over the questions is a mean over decisions as they occur. The same seed draws the same decisions everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
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
    """Return about so many decisions of these streets, so that every part of the list has a similar mix of kinds.

    A decision is as likely to be drawn as its pot is large, and counts in inverse proportion: what it can give away
    grows with the pot, so a few large pots do not decide the result.
    """
    found: dict[Kind, list[Decision]] = defaultdict(list)
    for decision in played_decisions(seed, HANDS_PER_QUESTION * count, streets):
        found[decision.kind()].append(decision)
    pots = {kind: [each.hand().betting.chips for each in decisions] for kind, decisions in found.items()}
    scale = count / sum(map(sum, pots.values()))
    drawn: list[tuple[float, int, Drawn]] = []
    for kind, decisions in found.items():
        number = min(len(decisions), max(1, round(scale * sum(pots[kind]))))
        for at, (decision, weight) in enumerate(_by_pot(seed, kind, decisions, pots[kind], number)):
            mixed = derive(seed, "mix", _text(decision))
            drawn.append(((at + mixed / 2**256) / number, mixed, Drawn(decision, weight)))
    mean = sum(each.weight for _, _, each in drawn) / len(drawn)
    return [Drawn(each.decision, each.weight / mean) for _, _, each in sorted(drawn)]


def _by_pot(
    seed: str, kind: Kind, decisions: list[Decision], pots: list[int], number: int
) -> list[tuple[Decision, float]]:
    """Draw decisions with chances in proportion to their pots, each at most once; with what each stands for."""
    order = sorted(range(len(decisions)), key=lambda at: derive(seed, "order", _text(decisions[at])))
    whole = sum(pots)
    # Evenly spaced points on a line on which every decision is as long as its pot.
    place = derive(seed, "start", repr(kind)) % whole
    found: dict[int, int] = {}
    passed = 0
    for at in order:
        passed += pots[at] * number
        hits = (passed - place - 1) // whole - (passed - pots[at] * number - place - 1) // whole
        if hits:
            found[at] = hits
    return [(decisions[at], hits * whole / (number * pots[at])) for at, hits in found.items()]


def _text(decision: Decision) -> str:
    return f"{decision.stack} {decision.button} {decision.cards} {decision.board} {decision.line}"


def played_decisions(seed: str, hands: int, streets: Collection[Street]) -> Iterator[Decision]:
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
