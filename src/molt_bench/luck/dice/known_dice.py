"""The luck of the dice in the hands of one game, for each player whose probabilities are known.

The policy of an agent that is not built in is used or left out decision by decision, by what is known *before* the
draw: where it fails, that decision is not corrected, and all others are. To leave out a whole game by what happened in
it would be a bias, and one that can be played. Whether drawn actions follow the stated odds is tested over the whole
run (`molt_bench.luck.dice.stated_policy_check`).
"""

from collections.abc import Container, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from molt_bench.agents.base import Policy, PolicyOf
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.luck.dice.draws import UNUSED, Deal, Decision, Folds, Policies, action_features, dice_term
from molt_bench.luck.reference.aivat import reference_bot
from molt_bench.luck.reference.ranges import built_in_bot, never_mixes, remembered
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation, PlayedHand
from molt_bench.records import GameRecord
from molt_bench.specs import GameSpec

_Found = TypeVar("_Found")
#: The features of a decision that are not 0, each with its number.
_Features: TypeAlias = list[tuple[int, float]]


class _Known(NamedTuple):
    """What is known of a policy by whose it is.

    Attributes:
        built_in: Whether it is that of a built-in bot.
        reference: Whether it is that of the blueprint or the resolver.
        certain: Whether it never mixes.
    """

    built_in: bool
    reference: bool
    certain: bool

    @classmethod
    def of(cls, policy: object) -> "_Known":
        """Look at a policy."""
        return cls(built_in_bot(policy) is not None, reference_bot(policy) is not None, never_mixes(policy))


def decisions_seen(played: PlayedHand, seat: int) -> Iterator[Decision]:
    """Yield the decisions of a seat, without the noise that it drew with."""
    for seen, done in zip(played.seen, played.hand.log, strict=True):
        if seen.seat == seat:
            yield replace(seen, noise=0), Action(done.kind, done.amount)


class KnownDice:
    """The decisions of one game that were drawn with known probabilities, by player.

    Attributes:
        policies: The policies or stated strategies that are used.
        refused: For each player that is a built-in bot, why its policy was not used in this game; "" if it was.
        left_out: For each other player, the decisions that are not corrected: hand and number of actions before.
        reference: The one player that is the blueprint or the resolver; None if neither is, or both are.
        known_player: The one player that is another built-in bot; None if neither is, or both are.
        mixes: Whether a player has dice that are known, whatever comes of them in this game.
    """

    def __init__(self, record: GameRecord, policies: Policies) -> None:
        spec: GameSpec = record.spec
        self.refused = ["", ""]
        self.left_out: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
        self.policies = list(policies)
        self._known = [_Known.of(policy) for policy in policies]
        built_in = [player for player in (0, 1) if self._known[player].built_in]
        references = [player for player in (0, 1) if self._known[player].reference]
        self.reference = references[0] if len(references) == 1 else None
        self.known_player = built_in[0] if len(built_in) == 1 and not references else None
        self._swapped = spec.seating == "BA"
        self.mixes = any(self.mixing_seats())
        for fault in record.faults:
            if not self._known[fault.player].built_in:
                continue  # what was done in the end counts as drawn, see `features`
            if fault.attempt and fault.hand_number > spec.warmup_hands:
                self.refuse(fault.player, "it answered with faults")

    def refuse(self, player: int, why: str) -> None:
        """Stop using a player's policy in this game."""
        self.policies[player] = None
        self.refused[player] = why

    def _mixing(self, player: int) -> PolicyOf | StatedDraws | None:
        """Return the policy of a player that mixes; None if it has none, or never mixes."""
        return None if self._known[player].certain else self.policies[player]

    def _by_seat(self, first: _Found, second: _Found) -> tuple[_Found, _Found]:
        return (second, first) if self._swapped else (first, second)

    def mixing_seats(self) -> tuple[bool, bool]:
        """Return whether the decisions of seat 0, and of seat 1, are drawn with known probabilities."""
        return self._by_seat(self._mixing(0) is not None, self._mixing(1) is not None)

    def asked_by_seat(self) -> tuple[PolicyOf | None, PolicyOf | None] | None:
        """Return the policies of seats 0 and 1 that are asked at every decision; None if strategies were stated.

        Built-in bots do not look at the noise, so that they are asked with what they saw.
        """
        found: list[PolicyOf | None] = []
        for player in (0, 1):
            policy = self._mixing(player)
            if isinstance(policy, StatedDraws):
                return None
            if policy is not None and not self._known[player].built_in:
                policy = partial(_without_noise, policy)
            found.append(policy)
        return self._by_seat(*found)

    def asked_ahead(self) -> tuple[PolicyOf, PolicyOf] | None:
        """Return the policies of seats 0 and 1 if both can be asked about what never happened.

        None as well between built-in bots, whose hands take less time than that, and with the blueprint or the
        resolver, whose answers take long.
        """
        first, second = self.policies
        if first is None or second is None or isinstance(first, StatedDraws) or isinstance(second, StatedDraws):
            return None
        if all(known.built_in for known in self._known) or any(known.reference for known in self._known):
            return None
        return self._by_seat(first, second)

    def features(
        self, played: PlayedHand, equities: tuple[float, ...], folds: Folds
    ) -> Iterator[tuple[int, _Features]]:
        """Yield the player and the features of every decision of a hand that was drawn with known probabilities.

        One wrong policy does not affect the other player's. What was done after a fault counts as drawn, if it has a
        chance. If faults decided what is corrected, they could be made where a correction would be a loss.

        Args:
            played: The hand, with what was seen in it.
            equities: Seat 0's equity before the flop and on every street with a decision.
            folds: How often each seat has folded to raises so far.
        """
        deal = Deal(played.hand.holes, equities)
        for player in (0, 1):
            policy, seat = self._mixing(player), 1 - player if self._swapped else player
            if policy is None:
                continue
            for decision in decisions_seen(played, seat):
                try:
                    term = dice_term(decision, policy, deal)
                except PolicyError as error:
                    if self._known[player].built_in:
                        self.refuse(player, f"hand {played.number}: {error}")
                        break
                    self.left_out[player].add((played.number, len(decision[0].log)))
                else:
                    if term is not None:
                        yield player, action_features(term, folds.share(1 - seat))

    def mixing_by_seat(self) -> Policies:
        """Return the policies of seats 0 and 1 that mix, for one hand whose known player may hold other cards."""
        found: list[PolicyOf | StatedDraws | None] = []
        for player in (0, 1):
            policy = self._mixing(player)
            if policy is not None and not isinstance(policy, StatedDraws):
                bot = built_in_bot(policy)
                policy = partial(_used, policy, self.left_out[player]) if bot is None else policy
                policy = policy if bot is not None and bot.sees_cards else remembered(policy)
            found.append(policy)
        return self._by_seat(*found)


def _without_noise(policy: PolicyOf, seen: Observation) -> Policy:
    return policy(replace(seen, noise=0) if seen.noise else seen)


def _used(policy: PolicyOf, left_out: Container[tuple[int, int]], seen: Observation) -> Policy:
    """Return a policy at a decision, unless that is left out."""
    return UNUSED if (seen.hand_number, len(seen.log)) in left_out else policy(seen)
