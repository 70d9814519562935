"""The luck of the dice in the hands of one game, for each player whose published policy is credible."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum
from typing import TypeAlias

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.llm.odds import RecordedDraws
from molt_bench.luck.aivat import reference_bot
from molt_bench.luck.coefficients import Coefficients
from molt_bench.luck.dice import ActionWeights, DecisionParts, Folds, Place, PolicyError, decision_parts
from molt_bench.luck.fitting import CARDS, GameParts
from molt_bench.luck.ranges import built_in_bot, never_mixes, remembered
from molt_bench.luck.walk import Walk
from molt_bench.poker.cards import Hole
from molt_bench.records import GameRecord
from molt_bench.specs import GameSpec

#: Published policies or recorded draws of players A and B, or of seats 0 and 1; None where there are none.
Policies: TypeAlias = tuple[PolicyOf | RecordedDraws | None, PolicyOf | RecordedDraws | None]
#: A decision: the row of its hand among those that count, and what it is corrected by.
_Decision: TypeAlias = tuple[int, DecisionParts]

#: Those of the coefficients, packed once.
_weights = lru_cache(maxsize=8)(ActionWeights.of)


class KnownDice:
    """The dice corrections of one game, for each player whose policy is credible."""

    def __init__(self, record: GameRecord, policies: Policies, coefficients: Sequence[Coefficients]) -> None:
        spec: GameSpec = record.spec
        self.folds = Folds()
        self.refused = ["", ""]
        self.policies = list(policies)
        built_in = [player for player in (0, 1) if built_in_bot(policies[player])]
        references = [player for player in (0, 1) if reference_bot(policies[player])]
        #: The one player that is the blueprint or the resolver; None if neither is, or both are.
        self.reference = references[0] if len(references) == 1 else None
        #: The one player that is another built-in bot; None if neither is, or both are.
        self.known_player = built_in[0] if len(built_in) == 1 and not references else None
        self._certain = [never_mixes(policy) for policy in policies]
        #: Whether a player has dice that are known, whatever comes of them in this game.
        self._mixes = any(
            policy is not None and not certain for policy, certain in zip(policies, self._certain, strict=True)
        )
        self._swapped = spec.seating == "BA"
        self._weights = _weights(*[each.actions for each in coefficients])
        #: By player.
        self._found: tuple[list[_Decision], list[_Decision]] = ([], [])
        for fault in record.faults:
            policy = policies[fault.player]
            if policy is None or isinstance(policy, RecordedDraws):
                continue  # recorded draws are known, whatever came of them
            # An answer after a fault, or a forced fold, is not the agent's draw.
            if fault.attempt and fault.hand_number > spec.warmup_hands:
                self.refuse(fault.player, "it answered with faults")

    def refuse(self, player: int, why: str) -> None:
        """Stop using a player's policy, and drop its corrections so far."""
        self.policies[player] = None
        self.refused[player] = why
        self._found[player].clear()

    def mixing_seats(self) -> tuple[bool, bool]:
        """Return whether the decisions of seat 0, and of seat 1, are drawn with known probabilities."""
        first, second = (
            policy is not None and not certain for policy, certain in zip(self.policies, self._certain, strict=True)
        )
        return (second, first) if self._swapped else (first, second)

    def add(self, hand: tuple[int, int], holes: tuple[Hole, Hole], walk: Walk, equities: tuple[float, ...]) -> None:
        """Correct one hand for each player separately, so that one wrong policy does not affect the other.

        `hand` is its row among those that count, and its number.
        """
        if not walk.decisions:
            return
        row, number = hand
        for player in (0, 1):
            policy = self.policies[player]
            if policy is None or self._certain[player]:
                continue
            seat = 1 - player if self._swapped else player
            folds, deal, place = self.folds.share(1 - seat), (holes, equities), Place(row, 1 if player else -1, CARDS)
            try:
                found = [
                    decision_parts(decision, policy, deal, folds, self._weights, place)
                    for decision in walk.decisions
                    if decision[0].seat == seat
                ]
            except PolicyError as error:
                self.refuse(player, f"hand {number}: {error}")
                continue
            self._found[player].extend([(row, each) for each in found if each is not None])

    def mixing_by_seat(self) -> Policies:
        """Return the policies of seats 0 and 1 that mix, for one hand whose known player may hold other cards."""
        found: list[PolicyOf | RecordedDraws | None] = []
        for player, policy in enumerate(self.policies):
            if policy is None or isinstance(policy, RecordedDraws):
                found.append(policy)
            elif self._certain[player]:
                found.append(None)
            else:
                bot = built_in_bot(policy)
                found.append(policy if bot is not None and bot.sees_cards else remembered(policy))
        return (found[1], found[0]) if self._swapped else (found[0], found[1])

    def corrections(self) -> list[float]:
        """Return the corrections of player A's result with each set of coefficients, in chips."""
        nothing = [0.0] * len(self._weights.sets)
        first, second = (
            [fsum(column) for column in zip(nothing, *[values for _, (_, values) in found], strict=True)]
            for found in self._found
        )
        return [one - two for one, two in zip(first, second, strict=True)]

    def hands(self, cards: Mapping[int, bytes], adjusted: Sequence[float]) -> GameParts | None:
        """Return all hands in parts; None if no player is known to mix.

        Args:
            cards: By number of the hand, the terms of the luck of its cards.
            adjusted: What player A won in each.
        """
        if not self._mixes:
            return None
        won, terms = list(adjusted), [*cards.values()]
        for player, decisions in enumerate(self._found):
            for row, (packed, values) in decisions:
                terms.append(packed)
                won[row] += -values[-1] if player else values[-1]
        return GameParts(tuple(cards), tuple(won), b"".join(terms))
