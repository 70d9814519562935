"""The luck of the dice in the hands of one game, for each player whose probabilities are known.

The policy of an agent that is not built in is used or left out decision by decision, by what is known *before* the
draw: where it fails, that decision is not corrected, and all others are. To leave out a whole game by what happened in
it would be a bias, and one that can be played. Whether drawn actions follow the stated odds is tested over the whole
run (`molt_bench.luck.dice.policy_evidence`).
"""

from collections.abc import Container, Mapping, Sequence
from enum import IntEnum
from functools import partial
from math import fsum
from typing import Final, NamedTuple, TypeAlias

from molt_bench.agents.base import Policy, PolicyOf
from molt_bench.agents.llm.providers.log_probabilities import RecordedDraws
from molt_bench.agents.scripted import ManiacAgent, RandomAgent
from molt_bench.luck.dice.draws import UNUSED, ActionWeights, DecisionParts, Folds, Place, PolicyError, decision_parts
from molt_bench.luck.fitting import CARDS
from molt_bench.luck.reference.aivat import reference_bot
from molt_bench.luck.reference.ranges import built_in_bot, never_mixes, remembered
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import Hole
from molt_bench.poker.observation import Observation
from molt_bench.records import GameRecord
from molt_bench.specs import GameSpec

#: Published policies or recorded draws of players A and B, or of seats 0 and 1; None where there are none.
Policies: TypeAlias = tuple[PolicyOf | RecordedDraws | None, PolicyOf | RecordedDraws | None]
#: A policy that is asked at every decision, and its `Form`.
Asked: TypeAlias = tuple[PolicyOf, int]


class Form(IntEnum):
    """How the compiled kernel asks a policy.

    Attributes:
        WITHOUT_NOISE: With what the seat saw, without the noise that it drew with.
        AS_IT_IS: With what the seat saw: a built-in bot's policy does not look at the noise.
        ANY_KIND: Not at all: it is that of `random`.
        POT_RAISES: Not at all: it is that of `maniac`.
    """

    WITHOUT_NOISE = 0
    AS_IT_IS = 1
    ANY_KIND = 2
    POT_RAISES = 3


class _Known(NamedTuple):
    """What is known of a policy by whose it is.

    Attributes:
        built_in: Whether it is that of a built-in bot.
        reference: Whether it is that of the blueprint or the resolver.
        certain: Whether it never mixes.
        form: How it is asked.
    """

    built_in: bool
    reference: bool
    certain: bool
    form: Form

    @classmethod
    def of(cls, policy: object) -> "_Known":
        """Look at a policy."""
        bot = built_in_bot(policy)
        form = Form.WITHOUT_NOISE if bot is None else _FORMS.get(getattr(policy, "__func__", None), Form.AS_IT_IS)
        return cls(bot is not None, reference_bot(policy) is not None, never_mixes(policy), form)


#: By the functions that the methods are of.
_FORMS: Final[Mapping[object, Form]] = {RandomAgent.policy: Form.ANY_KIND, ManiacAgent.policy: Form.POT_RAISES}


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
    """The dice corrections of one game, for each player whose probabilities are known.

    Attributes:
        refused: For each player that is a built-in bot, why its policy was not used in this game; "" if it was.
        left_out: For each other player, the decisions that are not corrected: hand and number of actions before.
    """

    def __init__(self, record: GameRecord, policies: Policies, weights: ActionWeights) -> None:
        spec: GameSpec = record.spec
        self.refused = ["", ""]
        self.left_out: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
        self.policies = list(policies)
        self._known = [_Known.of(policy) for policy in policies]
        built_in = [player for player in (0, 1) if self._known[player].built_in]
        references = [player for player in (0, 1) if self._known[player].reference]
        #: The one player that is the blueprint or the resolver; None if neither is, or both are.
        self.reference = references[0] if len(references) == 1 else None
        #: The one player that is another built-in bot; None if neither is, or both are.
        self.known_player = built_in[0] if len(built_in) == 1 and not references else None
        self._certain = [known.certain for known in self._known]
        #: Whether a player has dice that are known, whatever comes of them in this game.
        self.mixes = any(
            policy is not None and not certain for policy, certain in zip(policies, self._certain, strict=True)
        )
        self._swapped = spec.seating == "BA"
        self.weights = weights
        #: By player.
        self._found: list[Decisions] = []
        for fault in record.faults:
            if not self._known[fault.player].built_in:
                continue  # what was done in the end counts as drawn, see `add`
            if fault.attempt and fault.hand_number > spec.warmup_hands:
                self.refuse(fault.player, "it answered with faults")

    def refuse(self, player: int, why: str) -> None:
        """Stop using a player's policy, and drop its corrections so far."""
        self.policies[player] = None
        self.refused[player] = why
        if self._found:
            self._found[player] = self._nothing()

    def begin(self) -> None:
        """Begin with no decisions."""
        self._found = [self._nothing(), self._nothing()]

    def _nothing(self) -> Decisions:
        return Decisions([], [[] for _ in self.weights.sets], b"")

    def mixing_seats(self) -> tuple[bool, bool]:
        """Return whether the decisions of seat 0, and of seat 1, are drawn with known probabilities."""
        first, second = (
            policy is not None and not certain for policy, certain in zip(self.policies, self._certain, strict=True)
        )
        return (second, first) if self._swapped else (first, second)

    def asked_by_seat(self) -> tuple[Asked | None, Asked | None] | None:
        """Return the policies of seats 0 and 1 that are asked at every decision; None if draws were recorded."""
        found: list[Asked | None] = []
        for policy, known in zip(self.policies, self._known, strict=True):
            if isinstance(policy, RecordedDraws):
                return None
            found.append(None if policy is None or known.certain else (policy, int(known.form)))
        return (found[1], found[0]) if self._swapped else (found[0], found[1])

    def asked_ahead(self) -> tuple[PolicyOf, PolicyOf] | None:
        """Return the policies of seats 0 and 1 if both can be asked about what never happened.

        None as well between built-in bots, whose hands take less time than that, and with the blueprint or the
        resolver, whose answers take long.
        """
        first, second = self.policies
        if first is None or second is None or isinstance(first, RecordedDraws) or isinstance(second, RecordedDraws):
            return None
        if all(known.built_in for known in self._known) or any(known.reference for known in self._known):
            return None
        return (second, first) if self._swapped else (first, second)

    def add(
        self,
        hand: tuple[int, int],
        decisions: Sequence[tuple[Observation, Action]],
        deal: tuple[tuple[Hole, Hole], tuple[float, ...]],
        folds: Folds,
    ) -> None:
        """Correct one hand for each player separately, so that one wrong policy does not affect the other.

        What was done after a fault counts as drawn, if it has a chance. If faults decided what is corrected, they could
        be made where a correction would be a loss.

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
            parts = list[DecisionParts | None]()
            for decision in decisions:
                if decision[0].seat != seat:
                    continue
                try:
                    parts.append(decision_parts(decision, policy, deal, share, self.weights, place))
                except PolicyError as error:
                    if self._known[player].built_in:
                        self.refuse(player, f"hand {number}: {error}")
                        parts.clear()
                        break
                    self.left_out[player].add((number, len(decision[0].log)))
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
                policy = partial(_used, policy, self.left_out[player]) if bot is None else policy
                found.append(policy if bot is not None and bot.sees_cards else remembered(policy))
        return (found[1], found[0]) if self._swapped else (found[0], found[1])

    def corrections(self) -> list[float]:
        """Return the corrections of player A's result with each set of coefficients, in chips."""
        first, second = ([fsum(column) for column in found.values] for found in self._found)
        return [one - two for one, two in zip(first, second, strict=True)]

    def corrected(self, adjusted: Sequence[float]) -> tuple[float, ...]:
        """Return what player A won in each hand, corrected by the last set of coefficients."""
        won = list(adjusted)
        for player, found in enumerate(self._found):
            for row, value in zip(found.rows, found.values[-1], strict=True):
                won[row] += -value if player else value
        return tuple(won)

    def terms(self) -> list[bytes]:
        """Return the terms of the decisions of players A and B."""
        return [found.terms for found in self._found]


def _used(policy: PolicyOf, left_out: Container[tuple[int, int]], seen: Observation) -> Policy:
    """Return a policy at a decision, unless that is left out."""
    return UNUSED if (seen.hand_number, len(seen.log)) in left_out else policy(seen)
