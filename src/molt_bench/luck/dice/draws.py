"""The luck of the dice in one hand: what a mixing agent could have drawn, against what it drew.

This is the action correction of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games", AAAI 2018): at a decision whose probabilities are known,
the mean of a value over what could have been drawn, minus the value of what was drawn. Its expectation is 0 whatever
the value, as long as that is fixed before the draw; it only decides how much of the dice's luck is removed.

Ours is a sum of features with fixed weights, and it knows both hands. A fold costs what was put in, and a call or check
that ends the betting is worth its equity. Any other call or check is worth a share of the chips then matched, by equity
and by the strength of both hands. A raise wins what the other seat has put in if that folds, and plays for the chips
matched if it calls. How likely a fold is depends on the strength of the other hand, on the price, and on how often the
other seat has folded to raises in the earlier hands of the game.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import log1p
from typing import Final, NamedTuple, TypeAlias

from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.luck.cards.equity_vs_random import equities_vs_random
from molt_bench.luck.dice.chances import BINS, PolicyError, checked_chances, limits_of, policy_failed, prices
from molt_bench.poker.actions import STREETS, Action
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation, observe

#: Published policies or stated strategies of players A and B, or of seats 0 and 1; None where there are none.
Policies: TypeAlias = tuple[PolicyOf | StatedDraws | None, PolicyOf | StatedDraws | None]
#: What a seat saw, and what it did.
Decision: TypeAlias = tuple[Observation, Action]

#: Features of an exact part, of a check or call, and of a raise; the last two before and after the flop.
_PASSIVE, _RAISED = 6, 9
_FIRST_RAISED: Final = len(STREETS) + 4 * _PASSIVE
#: How many features the value of an action has.
FEATURES: Final = _FIRST_RAISED + 2 * BINS * _RAISED
_STREET_NUMBERS: Final = {street: number for number, street in enumerate(STREETS)}


class _Unused(tuple[tuple[Action | Sizes, float], ...]):
    """Told apart from an empty policy by being another object."""

    __slots__ = ()


#: What a policy returns at a decision whose draw is not known.
UNUSED: Final[Policy] = _Unused()


class Draw(NamedTuple):
    """The probabilities of a fold, of a check or call, and of raises by price; for an actual draw, one of them is 1.

    Attributes:
        fold: Of a fold.
        passive: Of a check or call.
        raised: Of a raise, by the bins of `PRICES`, all-in last.
        matched: By bin, the chips of each seat at stake if the raise is called, times its probability.
    """

    fold: float
    passive: float
    raised: list[float]
    matched: list[float]


class DiceTerm(NamedTuple):
    """One decision of a seat with known probabilities: mean minus actual draw.

    Attributes:
        seat: The seat that decided.
        street: 0 before the flop to 3 on the river.
        exact: The part whose value is known, in chips of that seat: folds, and calls or checks that end the betting.
        passive: Other calls and checks: the probability, times the chips matched then.
        opened: Whether there was an action on this street before, so that a call or check opens the next card.
        raised: Raises by price: the probability.
        matched: Raises by price: the probability, times the chips matched if called.
        won: Chips that the other seat loses if it folds.
        edge: Twice the equity of the seat's hand against the other's, less 1.
        equities_vs_random: How often the hands of this seat and of the other beat any third one.
        depth: Chips behind as a multiple of the pot.
    """

    seat: int
    street: int
    exact: float
    passive: float
    opened: bool
    raised: list[float]
    matched: list[float]
    won: int
    edge: float
    equities_vs_random: tuple[float, float]
    depth: float


class Folds:
    """How often each seat has folded to a raise in the hands of a game so far."""

    def __init__(self) -> None:
        self._faced = [0, 0]
        self._folded = [0, 0]

    def add(self, hand: Hand) -> None:
        """Count a finished hand."""
        for done, answer in pairwise(hand.log):
            if done.kind == "raiseTo":
                self._faced[answer.seat] += 1
                self._folded[answer.seat] += answer.kind == "fold"

    def share(self, seat: int) -> float:
        """Return the share of raises a seat folds to; a third, as of three raises, before anything is known."""
        return (self._folded[seat] + 1) / (self._faced[seat] + 3)


def action_features(term: DiceTerm, folds: float) -> list[tuple[int, float]]:
    """Return the features of a decision's correction that are not 0, each with its number.

    `folds` is the share of raises that the other seat folds to, as known before the hand.
    """
    edge, late = term.edge, term.street > 0
    own, other = term.equities_vs_random[0] - 0.5, term.equities_vs_random[1] - 0.5
    deep = log1p(max(term.depth, 0.0))
    found = [(term.street, term.exact)] if term.exact else []
    if term.passive:
        at = len(STREETS) + _PASSIVE * (2 * late + term.opened)
        parts = (edge, own, other, edge * deep, own * deep, other * deep)
        found += [(at + each, term.passive * part) for each, part in enumerate(parts)]
    for price, (raised, matched) in enumerate(zip(term.raised, term.matched, strict=True)):
        if raised or matched:
            at = _FIRST_RAISED + _RAISED * (BINS * late + price)
            won = raised * term.won
            taken = [won, won * folds, won * other, won * folds * other]
            called = [matched * part for part in (edge, folds * edge, edge * other, own, edge * deep)]
            found += enumerate([*taken, *called], start=at)
    return found


def action_value(parts: Iterable[tuple[int, float]], weights: Sequence[float]) -> float:
    """Return the weighted sum of features, in chips of the seat that decided."""
    value = 0.0
    for at, part in parts:  # not `sum`, which rounds in another way from Python 3.12 on
        value += weights[at] * part
    return value


class Deal(NamedTuple):
    """The hole cards of a hand, and seat 0's equity before the flop and on every street with a decision."""

    holes: tuple[Hole, Hole]
    equities: tuple[float, ...]


def decisions_of(hand: Hand, number: int, max_actions: int) -> Iterator[Decision]:
    """Yield the decisions of a finished hand; as in the game, nobody may raise after `max_actions` actions."""
    for before, action in hand.steps(max_actions=max_actions):
        yield observe(before, number), action


def dice_terms(
    hand: Hand, number: int, equities: tuple[float, ...], policies: Policies, max_actions: int
) -> Iterator[DiceTerm]:
    """Yield every decision of a finished hand by a seat with a policy; raise `PolicyError` if one cannot be right."""
    for decision in decisions_of(hand, number, max_actions) if any(policies) else ():
        policy = policies[decision[0].seat]
        term = None if policy is None else dice_term(decision, policy, Deal(hand.holes, equities))
        if term is not None:
            yield term


def dice_term(decision: Decision, policy: PolicyOf | StatedDraws, deal: Deal) -> DiceTerm | None:
    """Return a decision of a seat with a policy; None where its draw is not known.

    Raises `PolicyError` if the policy cannot be right.
    """
    seen, action = decision
    listed: Policy
    if isinstance(policy, StatedDraws):
        stated = policy.at(seen)
        if stated is None:
            return None
        listed = stated
    else:
        try:
            listed = policy(seen)
        except PolicyError:
            raise
        except Exception as error:
            raise policy_failed(error) from error
        if listed is UNUSED:
            return None
    return _term(seen, _surplus(listed, seen, action), deal)


def _term(seen: Observation, surplus: Draw, deal: Deal) -> DiceTerm:
    seat, street = seen.seat, _STREET_NUMBERS[seen.street]
    edge = 1 - 2 * deal.equities[street] if seat else 2 * deal.equities[street] - 1
    called_to = seen.bets[seat] + seen.to_call
    limits, staked = limits_of(seen), _at_stake(seen)
    passive = surplus.passive * (staked + called_to)
    # What each seat has put in, which a fold costs.
    own, other = (seen.starting_stacks[each] - seen.stacks[each] for each in (seat, 1 - seat))
    exact = -surplus.fold * own
    opened = bool(seen.log) and seen.log[-1].street == seen.street
    # The first action on a street leaves the other seat a decision, unless a seat is all-in.
    if called_to in limits or (opened and street == 3):
        exact += passive * edge
        passive = 0.0
    rates = equities_vs_random(deal.holes, seen.board)
    return DiceTerm(
        seat,
        street,
        exact,
        passive,
        opened,
        surplus.raised,
        surplus.matched,
        other,
        edge,
        rates[::-1] if seat else rates,
        (min(limits) - called_to) / (seen.pot + seen.to_call),
    )


def values_of(
    draws: Iterable[Draw], seen: Observation, deal: Deal, folds: float, weights: Sequence[float]
) -> list[float]:
    """Return what each of some draws is worth, in chips of the seat that decides; for `folds` see `action_features`.

    The chips matched by a raise are those of `Draw.matched`, on this street alone.
    """
    staked, found = _at_stake(seen), []
    for each in draws:
        matched = [size + staked * raised for size, raised in zip(each.matched, each.raised, strict=True)]
        term = _term(seen, each._replace(matched=matched), deal)
        found.append(action_value(action_features(term, folds), weights))
    return found


def _at_stake(seen: Observation) -> int:
    """Return the chips of each seat that both have matched before this street, as in `Hand.at_stake`."""
    starting, (first, second) = seen.starting_stacks, limits_of(seen)
    return min(starting[0] - first, starting[1] - second)


def _surplus(policy: Policy, seen: Observation, action: Action) -> Draw:
    """Return the mean over possible draws, minus the actual draw."""
    begins = prices(seen)
    fold, passive, raised, sizes, _ = checked_chances(policy, seen, begins, action)
    staked = _at_stake(seen)
    # No more than the shorter stack can be matched.
    sizes[-1] = raised[-1] * begins[-1]
    matched = [size + staked * each for size, each in zip(sizes, raised, strict=True)]
    kind = action.kind
    if kind == "fold":
        fold -= 1.0
    elif kind == "raiseTo":
        at = bisect_right(begins, action.amount)
        raised[at] -= 1.0
        matched[at] -= min(action.amount, begins[-1]) + staked * 1.0
    else:
        passive -= 1.0
    return Draw(fold, passive, raised, matched)
