"""The luck of the dice in the hands of one game, for each player whose published policy is credible."""

from collections.abc import Sequence
from functools import lru_cache
from math import fsum
from typing import NamedTuple, TypeAlias

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.llm.odds import RecordedDraws
from molt_bench.luck.aivat import reference_bot
from molt_bench.luck.coefficients import Coefficients
from molt_bench.luck.dice import ActionWeights, DecisionParts, Folds, Place, PolicyError, decision_parts
from molt_bench.luck.fitting import CARDS, GameParts
from molt_bench.luck.ranges import built_in_bot, never_mixes, remembered
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import Hole
from molt_bench.poker.observation import Observation
from molt_bench.records import GameRecord
from molt_bench.specs import GameSpec

#: Published policies or recorded draws of players A and B, or of seats 0 and 1; None where there are none.
Policies: TypeAlias = tuple[PolicyOf | RecordedDraws | None, PolicyOf | RecordedDraws | None]
#: Those of the coefficients, packed once.
_weights = lru_cache(maxsize=8)(ActionWeights.of)


class Decisions(NamedTuple):
    """Decisions that were drawn with known probabilities, one after another.

    Attributes:
        rows: The rows of their hands among those that count.
        values: By set of weights, what each is corrected by, in chips of the seat that decided.
        terms: Their terms, packed.
    """

    rows: list[int]
    values: list[list[float]]
    terms: bytes


class KnownDice:
    """The dice corrections of one game, for each player whose policy is credible."""

    def __init__(self, record: GameRecord, policies: Policies, coefficients: Sequence[Coefficients]) -> None:
        spec: GameSpec = record.spec
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
        self.weights = _weights(*[each.actions for each in coefficients])
        #: By player.
        self._found = [self._nothing(), self._nothing()]
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
        self._found[player] = self._nothing()

    def _nothing(self) -> Decisions:
        return Decisions([], [[] for _ in self.weights.sets], b"")

    def mixing_seats(self) -> tuple[bool, bool]:
        """Return whether the decisions of seat 0, and of seat 1, are drawn with known probabilities."""
        first, second = (
            policy is not None and not certain for policy, certain in zip(self.policies, self._certain, strict=True)
        )
        return (second, first) if self._swapped else (first, second)

    def asked_by_seat(self) -> tuple[PolicyOf | None, PolicyOf | None] | None:
        """Return the policies of seats 0 and 1 that are asked at every decision; None if draws were recorded."""
        found: list[PolicyOf | None] = []
        for policy, certain in zip(self.policies, self._certain, strict=True):
            if isinstance(policy, RecordedDraws):
                return None
            found.append(None if certain else policy)
        return (found[1], found[0]) if self._swapped else (found[0], found[1])

    def asked_ahead(self) -> tuple[PolicyOf, PolicyOf] | None:
        """Return the policies of seats 0 and 1 if both can be asked about what never happened.

        None as well between built-in bots, whose hands take less time than that, and with the blueprint or the
        resolver, whose answers take long.
        """
        first, second = self.policies
        if first is None or second is None or isinstance(first, RecordedDraws) or isinstance(second, RecordedDraws):
            return None
        if (built_in_bot(first) and built_in_bot(second)) or reference_bot(first) or reference_bot(second):
            return None
        return (second, first) if self._swapped else (first, second)

    def take(self, first: Decisions, second: Decisions) -> None:
        """Take all decisions of seats 0 and 1."""
        self._found = [second, first] if self._swapped else [first, second]

    def add(
        self,
        hand: tuple[int, int],
        decisions: Sequence[tuple[Observation, Action]],
        deal: tuple[tuple[Hole, Hole], tuple[float, ...]],
        folds: Folds,
    ) -> None:
        """Correct one hand for each player separately, so that one wrong policy does not affect the other.

        Args:
            hand: Its row among those that count, and its number.
            decisions: What seats with known dice saw, and what they did.
            deal: The hole cards, and seat 0's equity before the flop and on every street with a decision.
            folds: How often each seat has folded to raises so far.
        """
        if not decisions:
            return
        row, number = hand
        for player in (0, 1):
            policy = self.policies[player]
            if policy is None or self._certain[player]:
                continue
            seat = 1 - player if self._swapped else player
            share, place = folds.share(1 - seat), Place(row, 1 if player else -1, CARDS)
            try:
                parts = [
                    decision_parts(decision, policy, deal, share, self.weights, place)
                    for decision in decisions
                    if decision[0].seat == seat
                ]
            except PolicyError as error:
                self.refuse(player, f"hand {number}: {error}")
                continue
            self._add(player, row, [each for each in parts if each is not None])

    def _add(self, player: int, row: int, parts: Sequence[DecisionParts]) -> None:
        rows, values, terms = self._found[player]
        for _, each in parts:
            rows.append(row)
            for column, value in zip(values, each, strict=True):
                column.append(value)
        self._found[player] = Decisions(rows, values, b"".join([terms, *[packed for packed, _ in parts]]))

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
        first, second = ([fsum(column) for column in found.values] for found in self._found)
        return [one - two for one, two in zip(first, second, strict=True)]

    def hands(self, numbers: Sequence[int], cards: bytes, adjusted: Sequence[float]) -> GameParts | None:
        """Return all hands in parts; None if no player is known to mix.

        Args:
            numbers: Their numbers.
            cards: The terms of the luck of their cards.
            adjusted: What player A won in each.
        """
        if not self._mixes:
            return None
        won = list(adjusted)
        for player, found in enumerate(self._found):
            for row, value in zip(found.rows, found.values[-1], strict=True):
                won[row] += -value if player else value
        return GameParts(tuple(numbers), tuple(won), b"".join([cards, *[found.terms for found in self._found]]))
