"""A gate: two versions of an agent play the same opponents on the same decks, until it is sure whether one is worse.

The unit is the seed pair: what the new version won more than the old one from an opponent on the same decks, with the
same dice. Against the old version, it is what the new one won from it. `rating/changes` decides.
"""

from collections.abc import Mapping
from math import fsum, inf, isfinite, sqrt
from typing import Any, Final, Literal, TypeAlias

import msgspec
import numpy as np

from molt_bench.bench.endings import GateAnswered
from molt_bench.bench.participant_failures import Failures
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.changes import Look, Tolerance, change_sums, names_where
from molt_bench.rating.model import first_guess
from molt_bench.records import MBB_PER_BB100, bb_per_100
from molt_bench.seeds import Seed
from molt_bench.specs import Pair

#: The new version is surely not worse by more than the margin, it surely is, or neither is sure yet.
GateVerdict: TypeAlias = Literal["not worse", "worse", "open"]

#: A version may make faults in so much larger a share of its hands than the old one did.
MORE_FAULTS: Final = 0.01
#: Standard errors of a share of faulty hands; they come in bursts, and are looked at after every round.
_SURE: Final = 4.0


class AgainstOne(msgspec.Struct, frozen=True):
    """How the new version did against one opponent, in thousandths of a big blind per hand.

    Attributes:
        old: What the old version won; nothing against itself.
        new: What the new version won.
        half_width: Half the width of the interval of the change, with the opponents' share of the error.
    """

    opponent: str
    seed_pairs: int
    old: float
    new: float
    change: float
    half_width: float

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values, in big blinds per 100 hands."""
        return {
            "opponent": self.opponent,
            "seedPairs": self.seed_pairs,
            "oldBbPer100": bb_per_100(self.old),
            "newBbPer100": bb_per_100(self.new),
            "changeBbPer100": bb_per_100(self.change),
            "bbPer100HalfWidth": _shown(self.half_width),
        }


class GateFinding(msgspec.Struct, frozen=True):
    """What a gate knows.

    Attributes:
        change: How much more the new version wins, on average over the opponents, in mbb per hand.
        half_width: Half the width of its interval.
        against: The same against each opponent.
        reasons: Why it failed; empty unless it did.
        fault_reasons: Those of them that are about faults.
        hands: Hands played.
        more_play: How many times as many would give the answer, if the change stays as it is; infinite for never.
    """

    verdict: GateVerdict
    margin: float
    change: float
    half_width: float
    against: tuple[AgainstOne, ...]
    reasons: tuple[str, ...]
    fault_reasons: tuple[str, ...]
    hands: int
    more_play: float

    @property
    def decided(self) -> GateAnswered | None:
        """Why a run ends that has its answer."""
        return None if self.verdict == "open" else GateAnswered(self.margin, self.reasons)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values, in big blinds per 100 hands; null where nothing is known."""
        return {
            "verdict": self.verdict,
            "marginBbPer100": bb_per_100(self.margin),
            "changeBbPer100": bb_per_100(self.change) if isfinite(self.half_width) else None,
            "bbPer100HalfWidth": _shown(self.half_width),
            "againstEach": [each.plain() for each in self.against],
            "reasons": list(self.reasons),
            "hands": self.hands,
            "morePlay": self.more_play if isfinite(self.more_play) else None,
        }


class Gate:
    """Both versions so far, match by match.

    Attributes:
        opponents: Who tells how much the new version changed: the old version itself is one of them.
    """

    def __init__(self, config: BenchmarkConfig) -> None:
        gate, per_match = config.gate, config.seeds.per_match
        assert gate is not None
        self._gate, self._pairs = gate, config.pairings()
        self.opponents = [each.id for each in config.participants if each.id != gate.new]
        self._sums = change_sums(
            len(self.opponents),
            hands=2 * config.game.hands_per_game,
            sd_per_hand=first_guess(config.game.stack / config.game.big_blind),
        )
        self._first = max(-(-config.scheduler.min_seed_pairs // per_match), 1) * per_match
        self._tolerance = Tolerance(gate.margin_mbb, self._first)
        #: What a version won from an opponent, seed pair by seed pair.
        self._won: dict[Pair, dict[Seed, float]] = {}
        #: The seed pairs against an opponent that both versions have played, and that the sums have.
        self._counted: dict[str, set[Seed]] = {name: set() for name in self.opponents}
        self._look: Look | None = None
        self._kept = False
        self._lost: tuple[str, ...] = ()
        self._faulty: tuple[str, ...] = ()

    def add(self, pair: Pair, won: Mapping[Seed, float]) -> None:
        """Add what the first of a pairing won in the seed pairs of a match."""
        for version in {self._gate.new, self._gate.old}.intersection(pair):
            other, sign = (pair[1], 1) if pair[0] == version else (pair[0], -1)
            self._won.setdefault((version, other), {}).update({seed: sign * each for seed, each in won.items()})

    def look(self, failures: Mapping[str, Failures]) -> None:
        """Look at what is known after a round. What a gate is sure of once counts: that is what its error is for."""
        for at, name in enumerate(self.opponents, start=1):
            (new, old), counted = self._versions(name), self._counted[name]
            fresh = [seed for seed in new if seed in old and seed not in counted]
            if fresh:
                changes = np.array([[new[seed] - old[seed] for seed in fresh]])
                self._sums.add(np.zeros(1, int), np.full(1, at), changes)
                counted.update(fresh)
        new_failures, old_failures = (failures.get(each, Failures()) for each in (self._gate.new, self._gate.old))
        self._faulty = _more_faults(new_failures, old_failures)
        if min(map(len, self._counted.values())) >= self._first:
            self._look = look = self._tolerance.look(self._sums)
            self._kept |= bool(self._tolerance.kept(look)[0])
            self._lost = self._losses(look)

    def wanted(self) -> list[Pair]:
        """Return the pairings of the next round: all, and once the mean is kept, those of opponents under suspicion."""
        if not self._kept or self._look is None:
            return self._pairs
        against = {*names_where(self._tolerance.suspects(self._look), self.opponents)}
        new, old = self._gate.new, self._gate.old
        return [
            pair
            for pair in self._pairs
            if (old in against if {*pair} == {new, old} else not against.difference({old}).isdisjoint(pair))
        ]

    def finding(self, hands: int) -> GateFinding:
        """Return what is known after so many hands."""
        look, tolerance = self._look, self._tolerance
        verdict: GateVerdict = "open"
        if self._lost or self._faulty:
            verdict = "worse"
        elif look is not None and self._kept and not tolerance.suspects(look).any():
            verdict = "not worse"
        return GateFinding(
            verdict,
            tolerance.margin,
            0.0 if look is None else float(look.mean[0]),
            inf if look is None else float(look.half[0]),
            tuple(self._against(at, name) for at, name in enumerate(self.opponents)),
            (*self._lost, *self._faulty),
            self._faulty,
            hands,
            inf if look is None else tolerance.times(look),
        )

    def _versions(self, opponent: str) -> tuple[dict[Seed, float], dict[Seed, float]]:
        """Return what both versions won from an opponent; the old one wins nothing from itself."""
        new = self._won.get((self._gate.new, opponent), {})
        if opponent == self._gate.old:
            return new, dict.fromkeys(new, 0.0)
        return new, self._won.get((self._gate.old, opponent), {})

    def _against(self, at: int, opponent: str) -> AgainstOne:
        counted = self._counted[opponent]
        new, old = (fsum(won[seed] for seed in counted) / max(1, len(counted)) for won in self._versions(opponent))
        half = inf if self._look is None else float(self._look.halves[0, at])
        return AgainstOne(opponent, len(counted), old, new, new - old, half)

    def _losses(self, look: Look) -> tuple[str, ...]:
        """Say where more than the margin was surely lost."""
        margin = self._tolerance.margin
        on_average = look.mean[0] + look.half[0] < -margin and not self._kept
        to = names_where(self._tolerance.lost_to(look), self.opponents)
        return (*([lost(margin)] if on_average else []), *[lost(margin, to=name) for name in to])


def lost(margin: float, *, to: str | None = None) -> str:
    """Say that a version surely lost more than the margin, on average or to one opponent."""
    return f"it surely lost more than {bb(margin)} bb/100{'' if to is None else f' to {to}'}"


def bb(mbb: float) -> str:
    """Format thousandths of a big blind per hand as big blinds per 100 hands."""
    return f"{mbb / MBB_PER_BB100:,.6g}"


def _more_faults(new: Failures, old: Failures) -> tuple[str, ...]:
    """Say that the new version surely makes faults in more of its hands than the old one did, by what matters."""
    if not new.hands or not old.hands:
        return ()
    error = sqrt(sum(_variance(each) for each in (new, old)))
    if new.share - old.share - MORE_FAULTS <= _SURE * error:
        return ()
    return (f"it made faults in {new.share:.1%} of its hands, and the old version in {old.share:.1%}",)


def _variance(failures: Failures) -> float:
    """Return the variance of a share of faulty hands, which is never quite 0 (Agresti and Coull 1998)."""
    count = failures.hands + _SURE**2
    share = (failures.faulty + _SURE**2 / 2) / count
    return share * (1 - share) / count


def _shown(mbb: float) -> float | None:
    return bb_per_100(mbb) if isfinite(mbb) else None
