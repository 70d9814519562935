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

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import log1p
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.agents.llm.providers.log_probabilities import RecordedDraws
from molt_bench.agents.scripted import PotRaises, RandomAgent
from molt_bench.kernels import compiled
from molt_bench.luck.cards.strength import hand_strengths
from molt_bench.luck.cards.walk import walked
from molt_bench.luck.dice.pot_raises import pot_raise_chances
from molt_bench.luck.terms import packed_terms
from molt_bench.poker.actions import STREETS, Action, LoggedAction
from molt_bench.poker.betting import Betting, Start
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation
from molt_bench.poker.rules import HandRules

#: Bins of the price of a raise begin at these percentages of the pot after a call; all-in is the last bin.
PRICES: Final = (150,)
BINS: Final = len(PRICES) + 2
#: Features of an exact part, of a check or call, and of a raise; the last two before and after the flop.
_PASSIVE, _RAISED = 6, 9
_FIRST_RAISED: Final = len(STREETS) + 4 * _PASSIVE
#: How many features the value of an action has.
FEATURES: Final = _FIRST_RAISED + 2 * BINS * _RAISED
_STREET_NUMBERS: Final = {street: number for number, street in enumerate(STREETS)}
#: By how much the sum of a policy's probabilities may miss 1.
TOLERANCE: Final = 1e-9


if compiled is not None and len(PRICES) == 1:
    compiled.set_types((Observation, LoggedAction, Betting, Hand, Start, Action, HandRules))
    compiled.set_policies(
        Action,
        Sizes,
        PotRaises,
        replace,
        RandomAgent.CHANCES,
        *PotRaises.PERCENTS,
        PotRaises.passive_chance,
        PotRaises.raise_chance,
        TOLERANCE,
        *PRICES,
    )


class _Unused(tuple[tuple[Action | Sizes, float], ...]):
    """Told apart from an empty policy by being another object."""

    __slots__ = ()


#: What a policy returns at a decision whose draw is not known.
UNUSED: Final[Policy] = _Unused()


class PolicyError(Exception):
    """A policy that cannot be how the agent played; the message says why."""


class NoChanceError(PolicyError):
    """A policy that gives no chance to what the agent did."""


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
        strengths: How strong the hands of this seat and of the other are by themselves.
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
    strengths: tuple[float, float]
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
    own, other = term.strengths[0] - 0.5, term.strengths[1] - 0.5
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


class ActionWeights(NamedTuple):
    """Sets of weights of features.

    Attributes:
        sets: One after another.
        packed: The same as doubles, for the compiled kernel.
    """

    sets: tuple[tuple[float, ...], ...]
    packed: bytes

    @classmethod
    def of(cls, *sets: tuple[float, ...]) -> "ActionWeights":
        """Return these sets."""
        return cls(sets, b"".join([array("d", weights).tobytes() for weights in sets]))


#: What a decision is corrected by: its features that are not 0, as terms; and with each set of weights, the correction
#: in chips of the seat that decided.
DecisionParts: TypeAlias = tuple[bytes, list[float]]


class Place(NamedTuple):
    """Where the features of a decision go.

    Attributes:
        row: The row of their terms.
        sign: What they are multiplied by, 1 or -1.
        first: The place of the first feature.
    """

    row: int
    sign: int
    first: int


def decision_parts(
    decision: tuple[Observation, Action],
    policy: PolicyOf | RecordedDraws,
    deal: tuple[tuple[Hole, Hole], tuple[float, ...]],
    folds: float,
    weights: ActionWeights,
    place: Place,
) -> DecisionParts | None:
    """Return what a decision is corrected by; None where its draw is not known.

    Args:
        decision: What a seat saw, and what it did.
        policy: Its policy, or its recorded draws.
        deal: The hole cards, and seat 0's equity before the flop and on every street with a decision.
        folds: The share of raises that the other seat folds to.
        weights: Weights of features.
        place: Where the features go.

    Raises:
        PolicyError: The policy cannot be right.
    """
    drawn = _drawn(policy, *decision)
    if drawn is None:
        return None
    (listed, action), seen, (holes, equities) = drawn, decision[0], deal
    street, strengths = _STREET_NUMBERS[seen.street], hand_strengths(holes, seen.board)
    share = equities[street]
    features = action_features(_term(seen, street, share, _surplus(listed, seen, action), strengths), folds)
    values = [action_value(features, each) for each in weights.sets]
    row, sign, first = place
    return packed_terms(row, [(first + at, part if sign > 0 else -part) for at, part in features]), values


def dice_terms(
    hand: Hand,
    number: int,
    equities: tuple[float, ...],
    policies: tuple[PolicyOf | RecordedDraws | None, PolicyOf | RecordedDraws | None],
    longest: int,
) -> Iterator[DiceTerm]:
    """Yield every decision of a finished hand by a seat with a policy; raise `PolicyError` if one cannot be right.

    `longest` is the game's `max_actions`; for the others see `terms_of`.
    """
    walk = walked(hand, number, [policy is not None for policy in policies], longest)
    return terms_of(walk.decisions, hand.holes, equities, policies)


def terms_of(
    decisions: Iterable[tuple[Observation, Action]],
    holes: tuple[Hole, Hole],
    equities: tuple[float, ...],
    policies: Sequence[PolicyOf | RecordedDraws | None],
) -> Iterator[DiceTerm]:
    """Yield the decisions of a hand by seats with a policy; raise `PolicyError` if one cannot be right.

    Where the draws were recorded, they count rather than the actions, and decisions without a known draw are left out.

    `equities` are seat 0's, before the flop and on every street with a decision.
    """
    for seen, action in decisions:
        policy = policies[seen.seat]
        drawn = None if policy is None else _drawn(policy, seen, action)
        if drawn is None:
            continue
        surplus = _surplus(drawn[0], seen, drawn[1])
        street = _STREET_NUMBERS[seen.street]
        yield _term(seen, street, equities[street], surplus, hand_strengths(holes, seen.board))


def _drawn(policy: PolicyOf | RecordedDraws, seen: Observation, action: Action) -> tuple[Policy, Action] | None:
    """Return the probabilities at a decision and what was drawn; None if that was not recorded."""
    if isinstance(policy, RecordedDraws):
        drawn = policy.at(seen)
        return None if drawn is None else (drawn.policy, drawn.action)
    try:
        listed = policy(seen)
    except PolicyError:
        raise
    except Exception as error:
        raise _failed(error) from error
    return None if listed is UNUSED else (listed, action)


def _failed(error: Exception) -> PolicyError:
    """Return what is said of foreign code: whatever it raises or returns must not break the analysis."""
    return PolicyError(f"its policy failed: {type(error).__name__}: {error}")


def _term(seen: Observation, street: int, share: float, surplus: Draw, strengths: tuple[float, float]) -> DiceTerm:
    seat = seen.seat
    edge = 1 - 2 * share if seat else 2 * share - 1
    called_to = seen.bets[seat] + seen.to_call
    limits, staked = _limits(seen), _at_stake(seen)
    passive = surplus.passive * (staked + called_to)
    # What each seat has put in, which a fold costs.
    own, other = (seen.starting_stacks[each] - seen.stacks[each] for each in (seat, 1 - seat))
    exact = -surplus.fold * own
    opened = bool(seen.log) and seen.log[-1].street == seen.street
    # The first action on a street leaves the other seat a decision, unless a seat is all-in.
    if called_to in limits or (opened and street == 3):
        exact += passive * edge
        passive = 0.0
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
        strengths[::-1] if seat else strengths,
        (min(limits) - called_to) / (seen.pot + seen.to_call),
    )


def values_of(
    draws: Iterable[Draw],
    seen: Observation,
    deal: tuple[tuple[Hole, Hole], tuple[float, ...]],
    folds: float,
    weights: Sequence[float],
) -> list[float]:
    """Return what each of some draws is worth, in chips of the seat that decides; for the others see `decision_parts`.

    The chips matched by a raise are those of `Draw.matched`, on this street alone.
    """
    holes, equities = deal
    street, staked = _STREET_NUMBERS[seen.street], _at_stake(seen)
    share, strengths, found = equities[street], hand_strengths(holes, seen.board), []
    for each in draws:
        matched = [size + staked * raised for size, raised in zip(each.matched, each.raised, strict=True)]
        term = _term(seen, street, share, each._replace(matched=matched), strengths)
        found.append(action_value(action_features(term, folds), weights))
    return found


def _limits(seen: Observation) -> tuple[int, int]:
    """Return the most each seat could bet on this street in total, as in `Hand.limits`."""
    stacks, bets = seen.stacks, seen.bets
    return stacks[0] + bets[0], stacks[1] + bets[1]


def _at_stake(seen: Observation) -> int:
    """Return the chips of each seat that both have matched before this street, as in `Hand.at_stake`."""
    starting, (first, second) = seen.starting_stacks, _limits(seen)
    return min(starting[0] - first, starting[1] - second)


def _surplus(policy: Policy, seen: Observation, action: Action) -> Draw:
    """Return the mean over possible draws, minus the actual draw."""
    begins = prices(seen)
    fold, passive, raised, sizes = checked_chances(policy, seen, begins, action)
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


def checked_chances(
    policy: Policy, seen: Observation, begins: list[int], action: Action
) -> tuple[float, float, list[float], list[float]]:
    """Return the probabilities of a fold, of a check or call, and of raises by price; and sizes times probabilities.

    Raises:
        NoChanceError: What was done has no chance.
        PolicyError: They cannot be right.
    """
    try:
        fold, passive, raised, sizes, chance = _chances(policy, seen, begins, action)
    except PolicyError:
        raise
    except Exception as error:
        raise _failed(error) from error
    if abs(fold + passive + sum(raised) - 1) > TOLERANCE:
        raise PolicyError("the probabilities of its policy do not add up to 1")
    if not chance > 0:
        raise NoChanceError(f"its policy gives what it did, {action.kind}, no chance")
    return fold, passive, raised, sizes


def _chances(
    policy: Policy, seen: Observation, begins: list[int], action: Action
) -> tuple[float, float, list[float], list[float], float]:
    """Return the probabilities of a policy: of a fold, of a check or call, and of raises by price.

    Then, by price, the sum of the sizes times their probabilities; and the probability of the action taken, or of its
    range of sizes.
    """
    if isinstance(policy, PotRaises) and policy.distinct:
        return pot_raise_chances(policy, begins, action)
    least, most = seen.min_raise_to, seen.max_raise_to
    drawn = action.amount if action.kind == "raiseTo" else 0
    chances = {"fold": 0.0, "call" if seen.to_call else "check": 0.0}
    raised, sizes, taken = [0.0] * BINS, [0.0] * BINS, 0.0
    for choice, stated in policy:
        if not -TOLERANCE <= stated <= 1 + TOLERANCE:
            raise PolicyError(f"its policy has {stated} as a probability")
        chance = float(stated)  # of any type that is a number, such as those of numpy
        if isinstance(choice, Sizes):
            low, high = choice.low, choice.high
        elif choice.kind == "raiseTo":
            low = high = choice.amount
        else:
            if choice.kind not in chances:
                raise PolicyError(f"its policy has {choice.kind}, and legal is: {seen.legal}")
            chances[choice.kind] += chance
            continue
        if type(low) is not int or type(high) is not int or not 0 < least <= low <= high <= most:
            raise PolicyError(f"its policy has {choice}, and legal is: {seen.legal}")
        if low <= drawn <= high:
            taken += chance
        if low == high:
            at = bisect_right(begins, low)
            raised[at] += chance
            sizes[at] += chance * low
        else:
            _spread(low, high, chance, begins, raised, sizes)
    fold, passive = chances.values()
    return fold, passive, raised, sizes, chances.get(action.kind, taken)


def prices(seen: Observation) -> list[int]:
    """Return the sizes at which a new bin of prices begins, all-in last."""
    all_in = min(_limits(seen))
    facing = seen.bets[seen.seat] + seen.to_call
    pot = seen.pot + seen.to_call
    return [min(facing - (-pot * percent // 100), all_in) for percent in PRICES] + [all_in]


def _spread(low: int, high: int, chance: float, begins: list[int], raised: list[float], sizes: list[float]) -> None:
    """Add a range of sizes, each equally likely, to the bins of prices: what a bin gets is exact."""
    each = chance / (high - low + 1)
    for at in range(bisect_right(begins, low), BINS):
        last = min(high, begins[at] - 1) if at < len(begins) else high
        if last >= low:
            count = each * (last - low + 1)
            raised[at] += count
            sizes[at] += count * (low + last) / 2
            low = last + 1
