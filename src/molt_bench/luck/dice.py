"""The luck of the dice in one hand: what an agent that mixes could have drawn, and what it drew.

This is the action correction of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games", AAAI 2018): at a decision whose probabilities are known,
the mean of a value over what could have been drawn, minus the value of what was. Its expectation is 0 whatever the
value, which only decides how much of the dice goes away. Ours is simple, fixed, and knows both hands: a fold costs what
was put in; a call or check that ends the betting is worth its equity; any other is worth its equity in the chips then
matched, times a coefficient; and a raise its equity in the chips that a call would match, times another. (That a raise
may win by a fold was tried too, as a share of the other seat's chips: the fit gave it nothing.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.poker.actions import STREETS, Action
from molt_bench.poker.observation import Observation, observe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from molt_bench.poker.hand import Hand

#: By how much the probabilities of a policy may miss 1.
_TOLERANCE: Final = 1e-9


class PolicyError(Exception):
    """A policy that cannot be what the agent did; the message says why."""


class Draw(NamedTuple):
    """What is drawn at a decision, or the mean of what could be.

    Attributes:
        fold: Chance of a fold.
        passive: Chance of a check or call.
        raised: Chance of a raise.
        matched: Chips of each seat at stake if a raise is called, times the chance of the raise.
    """

    fold: float
    passive: float
    raised: float
    matched: float


class DiceTerm(NamedTuple):
    """One decision of a seat whose probabilities are known: means minus what was drawn, in chips of that seat.

    Attributes:
        seat: Who decided.
        late: Whether it was after the flop.
        exact: The part whose value is known: folds, and calls or checks that end the betting.
        passive: The part of other calls and checks: equity in the chips matched.
        raised: The part of raises: equity in the chips that a call would match.
    """

    seat: int
    late: bool
    exact: float
    passive: float
    raised: float


def dice_terms(
    hand: Hand,
    number: int,
    equities: tuple[float, ...],
    policies: tuple[PolicyOf | None, PolicyOf | None],
    longest: int,
) -> Iterator[DiceTerm]:
    """Yield every decision of a hand by a seat with a policy.

    Args:
        hand: The finished hand.
        number: Its number in the game.
        equities: Seat 0's equity before the flop and on every street with a decision.
        policies: By seat; None for one that publishes nothing.
        longest: The game's `max_actions`, after which nobody may raise.

    Raises:
        PolicyError: A policy that cannot be right.
    """
    for before, action in hand.steps(max_actions=longest):
        policy = policies[before.actor]
        if policy is None:
            continue
        share = equities[STREETS.index(before.street)]
        yield _term(
            before, 1 - share if before.actor else share, _surplus(policy, observe(before, number), before, action)
        )


def _term(before: Hand, share: float, surplus: Draw) -> DiceTerm:
    seat = before.actor
    edge = 2 * share - 1
    called_to = before.bets[seat] + before.to_call
    passive = surplus.passive * edge * (before.at_stake + called_to)
    exact = -surplus.fold * before.chips_in(seat)
    if _ends_betting(before, called_to):
        exact += passive
        passive = 0.0
    return DiceTerm(seat, bool(before.board), exact, passive, edge * surplus.matched)


def _ends_betting(before: Hand, called_to: int) -> bool:
    """Say whether a check or call leaves nothing to decide: on the river, or with a seat all-in."""
    all_in = called_to in before.limits
    # The first to act on a street leaves the other a decision, unless somebody is all-in.
    opened = bool(before.log) and before.log[-1].street == before.street
    return all_in or (opened and before.street == "river")


def _surplus(policy_of: PolicyOf, seen: Observation, before: Hand, action: Action) -> Draw:
    """Return the mean of what could have been drawn, minus what was."""
    try:
        policy = policy_of(seen)
        mean, chance = _mean(policy, seen, before, action)
    except PolicyError:
        raise
    except Exception as error:
        # It is somebody else's code: what it raises, or what it returned instead of a policy, is not ours to raise.
        raise PolicyError(f"its policy failed: {type(error).__name__}: {error}") from error
    if not chance > 0:
        raise PolicyError(f"its policy gives what it did, {action.kind}, no chance")
    if abs(mean.fold + mean.passive + mean.raised - 1) > _TOLERANCE:
        raise PolicyError("the probabilities of its policy do not add up to 1")
    done = _mean(((action, 1.0),), seen, before, action)[0]
    return Draw(*[could - did for could, did in zip(mean, done, strict=True)])


def _mean(policy: Policy, seen: Observation, before: Hand, action: Action) -> tuple[Draw, float]:
    """Return the mean over a policy, and the chance it gives to the action that was taken, or to its range of sizes."""
    legal = seen.legal
    passive_kind = "call" if seen.to_call else "check"
    other_limit = before.limits[1 - seen.seat]
    fold = passive = raised = matched = taken = 0.0
    for choice, chance in policy:
        if not 0 <= chance <= 1:
            raise PolicyError(f"its policy has {chance} as a probability")
        if isinstance(choice, Action) and choice.kind != "raiseTo":
            if choice.kind == "fold":
                fold += chance
            elif choice.kind == passive_kind:
                passive += chance
            else:
                raise PolicyError(f"its policy has {choice.kind}, and legal is: {legal}")
            if choice.kind == action.kind:
                taken += chance
            continue
        low, high = (choice.low, choice.high) if isinstance(choice, Sizes) else (choice.amount, choice.amount)
        if (
            type(low) is not int
            or type(high) is not int
            or not 0 < legal.min_raise_to <= low <= high <= legal.max_raise_to
        ):
            raise PolicyError(f"its policy has {choice}, and legal is: {legal}")
        raised += chance
        matched += chance * _mean_up_to(low, high, other_limit)
        if action.kind == "raiseTo" and low <= action.amount <= high:
            taken += chance
    return Draw(fold, passive, raised, matched + raised * before.at_stake), taken


def _mean_up_to(low: int, high: int, most: int) -> float:
    """Return the mean of the whole numbers from `low` to `high`, each counted as `most` where it is more.

    >>> _mean_up_to(1, 4, 3), _mean_up_to(1, 3, 9), _mean_up_to(5, 6, 4)
    (2.25, 2.0, 4.0)
    """
    if low >= most:
        return float(most)
    if high <= most:
        return (low + high) / 2
    below = most - low
    return (below * (low + most - 1) / 2 + (high - most + 1) * most) / (high - low + 1)
