"""Looking ahead from decisions with known odds: their true odds first, stand-ins after them, all of them at once.

The luck of a draw is the value of what was drawn minus the mean value of what could have been drawn. Its mean is 0 for
any values that were fixed before the draw. So a value may know all cards of the hand, also those to come, and stand-ins
that were fitted to earlier matches; it never depends on what was drawn in its own match. The stand-ins decide how much
luck is removed, never what is left on average.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from molt_bench.agents.base import PolicyOf
from molt_bench.luck.coefficients import SOLID
from molt_bench.luck.dice.choices import asked_at
from molt_bench.luck.stand_ins.betting_arrays import CALL, FOLD, RAISE, At, Deals, chips_in, edge, moved
from molt_bench.luck.stand_ins.classes import FIRST_RAISE, KINDS
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import Options, Visited
from molt_bench.poker.actions import Kind
from molt_bench.poker.arrays import Floats, Ints
from molt_bench.poker.betting import Betting
from molt_bench.poker.cards import Board, Hole

#: What is less likely than this, given the decision that is looked at, is not looked into.
LEAST_CHANCE: Final = 0.001
#: Decisions that are looked ahead from together.
_TOGETHER: Final = 200


class _Actions(NamedTuple):
    """Actions that may be taken at some moments.

    Attributes:
        at: The place of the moment.
        kinds: The kind of each.
        amounts: What a raise is to.
        chances: How likely each is.
    """

    at: Ints
    kinds: Ints
    amounts: Ints
    chances: Floats


class _Level(NamedTuple):
    """Actions, what they are worth to seat 0, and which of them are looked into."""

    at: Ints
    chances: Floats
    worth: Floats
    further: Ints


def surpluses(played: Visited, stand_ins: StandIns, asked: Mapping[int, PolicyOf]) -> Floats:
    """Return for every decision the mean over possible draws minus the actual draw, in chips of seat 0; 0 if not known.

    Args:
        played: The decisions.
        stand_ins: For all agents of theirs that are not asked.
        asked: The policies of agents that can be asked, by their numbers.
    """
    found = np.zeros(len(played.options))
    known = [at for at, options in enumerate(played.options) if options is not None]
    for start in range(0, len(known), _TOGETHER):
        some = known[start : start + _TOGETHER]
        found[some] = _Search(played.deals, stand_ins, asked, played.cards).surpluses(played, some)
    return found


class _Search:
    """Looks ahead from some decisions.

    Args:
        deals: The hands.
        stand_ins: For all agents that are not asked.
        asked: The policies of agents that can be asked, by their numbers.
        cards: All cards of each hand, with its number, to ask about.
    """

    def __init__(
        self,
        deals: Deals,
        stand_ins: StandIns,
        asked: Mapping[int, PolicyOf] | None = None,
        cards: Sequence[tuple[int, tuple[Hole, Hole], Board]] = (),
    ) -> None:
        self._deals, self._stand_ins = deals, stand_ins
        self._asked, self._cards = asked or {}, cards

    def surpluses(self, played: Visited, some: Sequence[int]) -> Floats:
        """Return the surplus of each of some decisions."""
        moments = played.moments[:, some]
        options = [played.options[at] for at in some]
        first, shares = _first([each for each in options if each is not None])
        bettings = [played.bettings[at] for at in some] if self._asked else []
        worth = self.worth(moments, first, bettings)
        found = np.zeros(len(some))
        found += np.bincount(first.at, first.chances * worth, len(some))
        found -= np.bincount(first.at, shares * worth, len(some))
        return found

    def worth(self, moments: Ints, actions: _Actions, bettings: Sequence[Betting] = ()) -> Floats:
        """Return what each of some actions is worth to seat 0; `bettings` are the moments where somebody is asked."""
        return _worth(self._levels(moments, bettings, actions))

    def _levels(self, moments: Ints, bettings: Sequence[Betting], actions: _Actions) -> list[_Level]:
        """Follow actions, and what may come after them, until it is over or too unlikely."""
        levels = []
        reached = np.ones(moments.shape[1])
        while True:
            before = moments[:, actions.at]
            after, over, ended = moved(before, self._deals, actions.kinds, actions.amounts)
            reached = reached[actions.at] * actions.chances
            worth = np.where(over, ended, _guess(after, self._deals))
            opened = np.flatnonzero(~over & (after[At.STREET] != before[At.STREET]))
            luck = np.zeros(len(worth))
            luck[opened] = _luck(before[:, opened], after[:, opened], self._deals)
            further = np.flatnonzero(~over & (reached >= LEAST_CHANCE))
            worth[further] = 0.0
            worth -= luck
            levels.append(_Level(actions.at, actions.chances, worth, further))
            if not len(further):
                return levels
            if self._asked:
                bettings = [self._after(bettings, actions, at) for at in further.tolist()]
            moments, reached = after[:, further], reached[further]
            actions = self._next(moments, bettings)

    def _after(self, bettings: Sequence[Betting], actions: _Actions, at: int) -> Betting:
        """Return the betting after an action."""
        betting = bettings[int(actions.at[at])]
        raised = int(actions.kinds[at]) == RAISE
        kind: Kind = "raiseTo" if raised else "call" if betting.to_call else "check"
        found = betting.after(kind, int(actions.amounts[at]))
        if found is None:
            raise ValueError("an action that is not legal")
        return found

    def _next(self, moments: Ints, bettings: Sequence[Betting]) -> _Actions:
        """Return what may be done at some moments."""
        agents = self._deals.agents[moments[At.HAND], moments[At.ACTOR]]
        asked = np.isin(agents, [*self._asked]) if self._asked else np.zeros(len(agents), bool)
        answers, silent = self._ask(moments, bettings, agents, np.flatnonzero(asked))
        rest = np.flatnonzero(~asked)
        found = [*answers]
        if len(rest):
            odds, amounts = self._stand_ins.odds(moments[:, rest], self._deals)
            found.append(_listed(rest, odds, amounts))
        if silent:
            # Nobody knows what it would do there: it calls, which is as good as any value that is fixed beforehand.
            one = np.ones(len(silent))
            found.append(_Actions(np.array(silent), np.full(len(silent), CALL), np.zeros(len(silent), np.int64), one))
        return _Actions(*[np.concatenate(each) for each in zip(*found, strict=True)])

    def _ask(
        self, moments: Ints, bettings: Sequence[Betting], agents: Ints, places: Ints
    ) -> tuple[list[_Actions], list[int]]:
        """Ask the policies of agents at some moments; return what they answer, and where there is no answer."""
        rows, silent = [], list[int]()
        for place in places.tolist():
            hand = int(moments[At.HAND, place])
            betting = bettings[place]
            if len(betting.log) >= self._deals.max_actions[hand]:
                betting = betting.without_raises()
            found = asked_at(self._asked[int(agents[place])], betting, *self._cards[hand])
            if not found:
                silent.append(place)
            for part, _ in found:
                kind = RAISE if part.kind == "raiseTo" else FOLD if part.kind == "fold" else CALL
                rows.append((place, kind, part.size, part.chance))
        if not rows:
            return [], silent
        at, kinds, sizes, chances = zip(*rows, strict=True)
        return [_Actions(np.array(at), np.array(kinds), np.array(sizes), np.array(chances))], silent


def _first(some: Sequence[Options]) -> tuple[_Actions, "Floats"]:
    """Return what could have been done at some decisions, and how much of it was drawn, 1 in all for each."""
    rows = []
    for at, options in enumerate(some):
        for number, part in enumerate(options.parts):
            drawn = float(number == options.drawn)
            if part.kind != "raiseTo":
                rows.append((at, FOLD if part.kind == "fold" else CALL, 0, part.chance, drawn))
            else:
                rows.append((at, RAISE, part.size, part.chance, drawn))
    places, kinds, sizes, chances, shares = zip(*rows, strict=True)
    return _Actions(np.array(places), np.array(kinds), np.array(sizes), np.array(chances)), np.array(shares)


def _listed(places: Ints, odds: Floats, amounts: Ints) -> _Actions:
    """Return the odds of classes as actions; those that are not likely at all are left out."""
    at, classes = np.nonzero(odds)
    kinds = np.array(KINDS)[classes]
    sizes = np.where(kinds == RAISE, amounts[at, np.maximum(classes - FIRST_RAISE, 0)], 0)
    return _Actions(places[at], kinds, sizes, odds[at, classes])


def _worth(levels: Sequence[_Level]) -> Floats:
    """Return what each of the first actions is worth, from what the last ones are."""
    worth = levels[-1].worth
    for level, below in zip(levels[-2::-1], levels[:0:-1], strict=True):
        means = np.bincount(below.at, below.chances * worth, len(level.further))
        worth = level.worth
        worth[level.further] += means
    return worth


def _guess(moments: Ints, deals: Deals) -> Floats:
    """Return what moments are worth if the seat to act calls where its equity pays, and nobody bets after that."""
    seat, call = moments[At.ACTOR], moments[At.CALL]
    paid, other = chips_in(moments, deals, seat), chips_in(moments, deals, 1 - seat)
    called = edge(moments, deals) * np.minimum(paid + call, other)
    folded = np.where(seat > 0, np.minimum(called, paid), np.maximum(called, -paid))
    found: Floats = np.where(call > 0, folded, called)
    return found


def _luck(before: Ints, after: Ints, deals: Deals) -> Floats:
    """Return the luck of the cards that opened streets, as in `adjustedSolid`."""
    hand, street, pot = after[At.HAND], after[At.STREET], after[At.POT]
    behind = np.minimum(after[At.LIMIT], after[At.LIMIT + 1])
    bucket = (before[At.RAISES] > 0) * (len(SOLID.depths) + 1)
    for depth in SOLID.depths:
        bucket = bucket + (behind >= depth * pot)
    weights = np.array(SOLID.chance)[street, bucket]
    found: Floats = weights * pot * (deals.equities[hand, street] - deals.equities[hand, street - 1])
    return found
