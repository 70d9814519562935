"""Suspicion: is what the removal of luck leaves of a result borne out by the chips?

Every estimator has the mean of the chips, for agents that know what they may know and draw as they say. Whoever knows
hidden cards wins by what looks like luck, and a false policy makes luck of what is none. Then the raw result and the
one without luck drift apart. So their difference is tested, in every run, for every pairing and every participant.

The test is a bet (`winnings_bets`). Before a bet has made enough to name somebody, a run may be sure of an order that
is not the true one. So where it has made a good part of that, no order is claimed. Both bounds hold for a whole run,
however often one looks: at most one honest run of 5,000 names anybody, and in one of 200 an order is held back.

A bet is slow, since differences are far from normal: a cheat can lead before one has won. So a run does not stop
either while the difference matters and is far from 0 by the usual test, at one look. That happens to honest
participants, too, and costs some games; it holds back nothing that a run says when its budget ends.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import copysign, log
from typing import Final

import msgspec

from molt_bench.bench.winnings_bets import PairBets, SideBets
from molt_bench.config.sections import usual_tie_margin
from molt_bench.rating.student import student_quantile
from molt_bench.specs import Pair

#: How often an honest run may name anybody.
FALSE_ALARMS: Final = 1 / 5000
#: How often an honest run may ever be held back, so that no order is claimed of somebody until more is known: half of
#: that for its pairings, and half for its participants.
HELD_BACK: Final = 1 / 200
#: A run waits while a z is further from 0 than any is in 95% of honest runs, at one look.
_DOUBTFUL: Final = 0.05
#: From this z on, the other games of one of a pairing are odd, too.
_ODD: Final = 3.0


class Difference(msgspec.Struct, frozen=True):
    """The raw result minus the one without luck, of a pairing or a participant.

    Attributes:
        seed_pairs: Seed pairs in which luck was removed.
        mean: Its mean in thousandths of a big blind per hand, for the first of a pairing.
        z: The mean over its standard error; 0 where nothing varies.
        evidence: How many times its money the bet on it has made, as a logarithm to base 10.
    """

    seed_pairs: int = 0
    mean: float = 0.0
    z: float = 0.0
    evidence: float = 0.0


class Findings(msgspec.Struct, frozen=True):
    """What is known about the word of the participants.

    Attributes:
        suspects: Those whose chips and results without luck cannot both be right, those with most evidence first.
        undecided: Those of them whose games do not tell which of two it is.
        doubted: Others about whom no order is claimed yet, since the two differ by more than is likely.
        bound: The evidence from which on somebody is named, as a logarithm to base 10.
        pairs: The difference of every pairing that has played.
        participants: The same of every participant.
    """

    suspects: tuple[str, ...] = ()
    undecided: tuple[Pair, ...] = ()
    doubted: tuple[str, ...] = ()
    bound: float = 0.0
    pairs: Mapping[Pair, Difference] = {}
    participants: Mapping[str, Difference] = {}


class Suspicion:
    """Watches a run, match by match, and says whose results cannot be right: a function of all margins so far.

    `pairs` are the pairings that may play, `hands` those of a seed pair, and `stack` is in big blinds.
    """

    def __init__(
        self,
        participants: Sequence[str],
        pairs: Iterable[Pair],
        *,
        hands: int,
        stack: float,
    ) -> None:
        self._hands = hands
        #: Of a difference in thousandths of a big blind per hand: what it is in stacks per seed pair.
        self._unit = hands / 1000 / stack
        self._participants = tuple(participants)
        pairings = len({*pairs})
        tests = pairings + len(participants)
        self._bound = log(tests / FALSE_ALARMS)
        self._held_from = log(2 * pairings / HELD_BACK), log(2 * len(participants) / HELD_BACK)
        #: What a run waits for has to matter, in stacks per seed pair: be more than the tie margin.
        self._matters = self._unit * usual_tie_margin(stack)
        self._doubtful_share = 1 - _DOUBTFUL / tests / 2
        self._known: dict[tuple[Pair, str], PairBets] = {}
        self._bets: dict[Pair, PairBets] = {}
        self._sides = {name: SideBets() for name in participants}
        #: The pairings and participants past the bound, those that bets hold back, and those whose z is far from 0.
        self._past_bound: set[Pair | str] = set()
        self._odd: set[Pair | str] = set()
        self._doubtful: set[Pair | str] = set()
        self._blamed: tuple[tuple[str, ...], ...] = ()

    @property
    def suspects(self) -> tuple[str, ...]:
        """Those whose results cannot be right."""
        return tuple(name for names in self._blamed for name in names)

    def add(self, pair: Pair, raw: Sequence[float], without_luck: Sequence[float], estimator: str) -> tuple[str, ...]:
        """Look at all margins of a pairing, raw and by the estimator in use; return the suspects."""
        old = self._bets.get(pair)
        if old is not None:
            for name, side in zip(pair, (1, -1), strict=True):
                self._sides[name].change(old, side, -1)
        bets = self._known.setdefault((pair, estimator), PairBets())
        new = zip(raw[bets.count :], without_luck[bets.count :], strict=True)
        bets.take([self._unit * (chips - left) for chips, left in new], self._hands)
        self._bets[pair] = bets
        for name, side in zip(pair, (1, -1), strict=True):
            self._sides[name].change(bets, side, 1)
        self._note(pair, bets.evidence, bets, bets.count - 1)
        for name in pair:
            own = self._sides[name]
            self._note(name, own.evidence, own, own.count - own.pairings)
        if self._past_bound or self._blamed:
            self._blamed = self._whose_fault()
        return self.suspects

    def doubted(self) -> tuple[str, ...]:
        """Return those about whom no order is claimed until more is known, suspects aside."""
        return self._named(self._odd)

    def awaited(self) -> tuple[str, ...]:
        """Return those because of whom a run does not stop yet: the doubted, and others whose difference may matter."""
        return self._named(self._odd | self._doubtful)

    def _named(self, doubtful: Collection[Pair | str]) -> tuple[str, ...]:
        """Return the participants that doubtful pairings and participants leave in doubt, suspects aside."""
        suspects = frozenset(self.suspects) if doubtful else frozenset[str]()
        found: set[str] = set()
        for each in doubtful:
            names = (each,) if isinstance(each, str) else each
            # Chips alone count for suspects and in their pairings, and those make others doubtful, too.
            if suspects.isdisjoint(names) and (len(names) > 1 or not suspects):
                found.update(names)
        return tuple(name for name in self._participants if name in found) if found else ()

    def findings(self) -> Findings:
        """Return all that is known now."""
        sides = {name: side for name, side in self._sides.items() if side.pairings}
        return Findings(
            self.suspects,
            tuple((names[0], names[1]) for names in self._blamed if len(names) > 1),
            self.doubted(),
            _base_10(self._bound),
            {
                pair: Difference(bets.count, bets.mean / self._unit, bets.z, _base_10(bets.evidence))
                for pair, bets in self._bets.items()
            },
            {
                name: Difference(
                    side.count,
                    side.mean / self._unit,
                    side.z,
                    _base_10(side.evidence),
                )
                for name, side in sides.items()
            },
        )

    def _note(self, what: Pair | str, evidence: float, seen: PairBets | SideBets, free: int) -> None:
        """Note whether a pairing or participant is past the bounds, or doubtful."""
        past, odd = evidence >= self._bound, evidence >= self._held_from[isinstance(what, str)]
        matters = abs(seen.mean) >= self._matters
        doubtful = matters and free > 0 and abs(seen.z) >= student_quantile(self._doubtful_share, free)
        for noted, holds in ((self._past_bound, past), (self._odd, odd), (self._doubtful, doubtful)):
            (noted.add if holds else noted.discard)(what)

    def _whose_fault(self) -> tuple[tuple[str, ...], ...]:
        """Return who is suspected, one after another: the strongest evidence first, then what it does not explain."""
        blamed: list[tuple[str, ...]] = []
        suspects: set[str] = set()
        while True:
            pairs = [pair for pair in self._bets if suspects.isdisjoint(pair)]
            pair = max(pairs, key=lambda pair: self._bets[pair].evidence, default=None)
            if pair is None:
                return tuple(blamed)
            if self._bets[pair].evidence >= self._bound:
                named = self._which(pair, pairs)
            else:
                others = [name for name in self._participants if name not in suspects]
                evidence = {name: self._side(name, pairs).evidence for name in others}
                first = max(others, key=lambda name: evidence[name])
                if evidence[first] < self._bound:
                    return tuple(blamed)
                named = (first,)
            blamed.append(named)
            suspects.update(named)

    def _which(self, pair: Pair, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """Return who is to blame for what is odd about a pairing, by their other games: one of the two, or both.

        It is the one whose other games are as odd; or if neither's are, the one who has not shown that in as many.
        """
        here = self._bets[pair]
        guilty, cleared = [], []
        for name, side in zip(pair, (1, -1), strict=True):
            others = self._side(name, [each for each in pairs if each != pair])
            if copysign(1.0, side * here.mean) * others.z >= _ODD:
                guilty.append(name)
            elif others.count >= here.count:
                cleared.append(name)
        if len(guilty) == 1:
            return (guilty[0],)
        return tuple(name for name in pair if len(cleared) != 1 or name not in cleared)

    def _side(self, name: str, pairs: Iterable[Pair]) -> SideBets:
        """Return what is known of a participant from some pairings alone."""
        found = SideBets()
        for pair in pairs:
            if name in pair:
                found.change(self._bets[pair], 1 if name == pair[0] else -1, 1)
        return found


def _base_10(natural: float) -> float:
    return natural / log(10)
