"""Suspicion: is what the removal of luck leaves of a result borne out by the chips?

Every estimator has the mean of the chips, for agents that know what they may know and draw as they say. Whoever knows
hidden cards wins by what looks like luck, and a false policy makes luck of what is none. Then the raw result and the
one without luck drift apart. So their difference is tested, in every run, for every pairing and every participant.

The test is a bet (`suspicion_bets`). Long before a bet has made enough, a run may be sure of an order that is not the
true one. So wherever the difference is far from 0 by the usual test, without regard to how often one looks, nothing is
claimed and the run goes on. That happens to honest participants, too, in about one of twenty runs at any one look, and
says nothing about them: only what a bet has made does (`Findings.odd`).
"""

from collections.abc import Iterable, Mapping, Sequence
from math import copysign, log, log10
from typing import Final

import msgspec

from molt_bench._version import BENCH_VERSION
from molt_bench.bench.suspicion_bets import PairBets, SideBets
from molt_bench.rating.student import student_quantile
from molt_bench.specs import Pair

#: How often an honest run may name anybody.
FALSE_ALARMS: Final = 1 / 5000
#: No order is claimed until more is known where a z is further from 0 than any is in 95% of honest runs, at one look.
_DOUBTFUL: Final = 0.05
#: From this z on, the other games of one of a pairing are odd, too.
_ODD: Final = 3.0
#: The bench version since which few seed pairs of a pairing count for a participant by how unlikely they are.
_SCORED_SINCE: Final = 14


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
        doubted: Others about whom no order is claimed yet, since the two differ by more than is usual at one look.
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

    @property
    def odd(self) -> tuple[str, ...]:
        """Those of the doubted for whom the two differ by more than is likely, however often one looks.

        In at most 5% of honest runs there is ever anybody.
        """
        enough = self.bound - log10(_DOUBTFUL / FALSE_ALARMS)
        found = {name for name, each in self.participants.items() if each.evidence >= enough}
        found.update(name for pair, each in self.pairs.items() if each.evidence >= enough for name in pair)
        return tuple(name for name in self.doubted if name in found)


class Suspicion:
    """Watches a run, match by match, and says whose results cannot be right: a function of all margins so far.

    `pairs` are the pairings that may play, `hands` those of a seed pair, and `stack` is in big blinds; `version` is the
    bench version that plays the run, or has played it.
    """

    def __init__(
        self,
        participants: Sequence[str],
        pairs: Iterable[Pair],
        *,
        hands: int,
        stack: float,
        version: int = BENCH_VERSION,
    ) -> None:
        self._hands = hands
        self._scored = version >= _SCORED_SINCE
        #: Of a difference in thousandths of a big blind per hand: what it is in stacks per seed pair.
        self._unit = hands / 1000 / stack
        self._participants = tuple(participants)
        tests = len({*pairs}) + len(participants)
        self._bound = log(tests / FALSE_ALARMS)
        self._doubtful_share = 1 - _DOUBTFUL / tests / 2
        self._known: dict[tuple[Pair, str], PairBets] = {}
        self._bets: dict[Pair, PairBets] = {}
        self._sides = {name: SideBets() for name in participants}
        self._shared = False
        #: The pairings and participants past the bound, and those whose z is far from 0.
        self._past_bound: set[Pair | str] = set()
        self._doubtful: set[Pair | str] = set()
        self._blamed: tuple[tuple[str, ...], ...] = ()

    @property
    def suspects(self) -> tuple[str, ...]:
        """Those whose results cannot be right."""
        return tuple(name for names in self._blamed for name in names)

    def add(
        self, pair: Pair, raw: Sequence[float], without_luck: Sequence[float], estimator: str, *, shared: bool
    ) -> tuple[str, ...]:
        """Look at all margins of a pairing, raw and by the estimator in use; return the suspects.

        If pairings share decks, the luck of one is that of another: then the bets on a participant are averaged.
        """
        old = self._bets.get(pair)
        if old is not None:
            for name, side in zip(pair, (1, -1), strict=True):
                self._sides[name].change(old, side, -1)
        bets = self._known.setdefault((pair, estimator), PairBets(scored=self._scored))
        new = zip(raw[bets.count :], without_luck[bets.count :], strict=True)
        bets.take([self._unit * (chips - left) for chips, left in new], self._hands)
        self._bets[pair], self._shared = bets, shared
        for name, side in zip(pair, (1, -1), strict=True):
            self._sides[name].change(bets, side, 1)
        self._note(pair, bets.evidence, bets.z, bets.count - 1)
        for name in pair:
            own = self._sides[name]
            self._note(name, own.evidence(shared=shared), own.z, own.count - own.pairings)
        if self._past_bound or self._blamed:
            self._blamed = self._whose_fault()
        return self.suspects

    def doubted(self) -> tuple[str, ...]:
        """Return those about whom no order is claimed until more is known, suspects aside."""
        if not self._doubtful:
            return ()
        suspects = frozenset(self.suspects)
        found: set[str] = set()
        for each in self._doubtful:
            names = (each,) if isinstance(each, str) else each
            # Chips alone count for suspects and in their pairings, and those make others doubtful, too.
            if suspects.isdisjoint(names) and (len(names) > 1 or not suspects):
                found.update(names)
        return tuple(name for name in self._participants if name in found)

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
                    side.total / max(1, side.count) / self._unit,
                    side.z,
                    _base_10(side.evidence(shared=self._shared)),
                )
                for name, side in sides.items()
            },
        )

    def _note(self, what: Pair | str, evidence: float, z: float, free: int) -> None:
        """Note whether a pairing or participant is past the bound, or doubtful."""
        past = evidence >= self._bound
        (self._past_bound.add if past else self._past_bound.discard)(what)
        doubtful = free > 0 and abs(z) >= student_quantile(self._doubtful_share, free)
        (self._doubtful.add if doubtful else self._doubtful.discard)(what)

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
                evidence = {name: self._side(name, pairs).evidence(shared=self._shared) for name in others}
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
