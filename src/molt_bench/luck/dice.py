"""The luck of the dice in one hand: what a mixing agent could have drawn, against what it drew.

This is the action correction of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games", AAAI 2018): at a decision whose probabilities are known,
the mean of a value over what could have been drawn, minus the value of what was drawn. Its expectation is 0 whatever
the value, which only decides how much of the dice's luck is removed. Ours is simple, fixed and knows both hands: a fold
costs what was put in; a call or check that ends the betting is worth its equity; any other call or check is worth its
equity in the chips then matched, times a coefficient; a raise is worth its equity in the chips matched if called, times
another. (Fold equity of a raise, as a share of the other seat's chips, was tried too: the fit gave it no weight.)
"""

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.agents.llm.odds import Drawn, RecordedDraws
from molt_bench.poker.actions import STREETS, Action
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation, observe

#: By how much the sum of a policy's probabilities may miss 1.
_TOLERANCE: Final = 1e-9


class PolicyError(Exception):
    """A policy that cannot be how the agent played; the message says why."""


class Draw(NamedTuple):
    """The probabilities of a fold, of a check or call, and of a raise; for the actual draw, one of them is 1.

    `matched` are the chips of each seat at stake if a raise is called, times the probability of the raise.
    """

    fold: float
    passive: float
    raised: float
    matched: float


class DiceTerm(NamedTuple):
    """One decision of a seat with known probabilities: mean minus actual draw, in chips of that seat.

    Attributes:
        seat: The seat that decided.
        late: Whether it was after the flop.
        exact: The part whose value is known: folds, and calls or checks that end the betting.
        passive: The part from other calls and checks: equity in the chips matched.
        raised: The part from raises: equity in the chips matched if called.
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
    policies: tuple[PolicyOf | RecordedDraws | None, PolicyOf | RecordedDraws | None],
    longest: int,
) -> Iterator[DiceTerm]:
    """Yield every decision of a finished hand by a seat with a policy; raise `PolicyError` if one cannot be right.

    Where the draws were recorded, they count rather than the actions, and decisions without a known draw are left out.

    `equities` are seat 0's, before the flop and on every street with a decision. `longest` is the game's `max_actions`.
    """
    for before, action in hand.steps(max_actions=longest):
        policy = policies[before.actor]
        if policy is None:
            continue
        seen = observe(before, number)
        if isinstance(policy, RecordedDraws):
            drawn = policy.at(seen)
            if drawn is None:
                continue
            surplus = _surplus(partial(_recorded, drawn), seen, before, drawn.action)
        else:
            surplus = _surplus(policy, seen, before, action)
        share = equities[STREETS.index(before.street)]
        yield _term(before, 1 - share if before.actor else share, surplus)


def _recorded(drawn: Drawn, _seen: Observation) -> Policy:
    return drawn.policy


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
    """Return whether a check or call leaves nothing to decide: on the river, or with a seat all-in."""
    all_in = called_to in before.limits
    # The first action on a street leaves the other seat a decision, unless a seat is all-in.
    opened = bool(before.log) and before.log[-1].street == before.street
    return all_in or (opened and before.street == "river")


def _surplus(policy_of: PolicyOf, seen: Observation, before: Hand, action: Action) -> Draw:
    """Return the mean over possible draws, minus the actual draw."""
    try:
        policy = policy_of(seen)
        mean, chance = _mean(policy, seen, before, action)
    except PolicyError:
        raise
    except Exception as error:
        # This is foreign code: whatever it raises or returns must not break the analysis.
        raise PolicyError(f"its policy failed: {type(error).__name__}: {error}") from error
    if not chance > 0:
        raise PolicyError(f"its policy gives what it did, {action.kind}, no chance")
    if abs(mean.fold + mean.passive + mean.raised - 1) > _TOLERANCE:
        raise PolicyError("the probabilities of its policy do not add up to 1")
    done = _mean(((action, 1.0),), seen, before, action)[0]
    return Draw(*[could - did for could, did in zip(mean, done, strict=True)])


def _mean(policy: Policy, seen: Observation, before: Hand, action: Action) -> tuple[Draw, float]:
    """Return the mean over a policy, and the probability of the action taken, or of its range of sizes."""
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
    """Return the mean of the whole numbers from `low` to `high`, each capped at `most`.

    >>> _mean_up_to(1, 4, 3), _mean_up_to(1, 3, 9), _mean_up_to(5, 6, 4)
    (2.25, 2.0, 4.0)
    """
    if low >= most:
        return float(most)
    if high <= most:
        return (low + high) / 2
    below = most - low
    return (below * (low + most - 1) / 2 + (high - most + 1) * most) / (high - low + 1)
