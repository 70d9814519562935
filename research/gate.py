"""How often gates are wrong and how many hands they take, by simulation, beside a gate of a fixed length.

    python research/gate.py > research/gate.txt

Changes of a seed pair are drawn instead of played: from those of an agent and a copy of it with random numbers of its
own, measured in 200 seed pairs (research/gate_changes.json), and moved. Sums, looks and verdicts are those of
`molt-bench gate`: five seed pairs against every opponent between two looks, and on against suspects alone once the mean
is kept. The fixed gate plays 200 seed pairs against three opponents with each version, 48,000 hands, and fails where a
comparison of the two runs is certain that more than the margin was lost.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from molt_bench.bench.gate import Gate
from molt_bench.bench.participant_failures import Failures
from molt_bench.config.loader import load_config
from molt_bench.rating.changes import Tolerance, change_sums
from molt_bench.rating.model import first_guess
from molt_bench.study.change import change_of, judged
from molt_bench.study.gate import Speed

MARGIN, HANDS, MOST, FIXED = 500.0, 40, 100_000, 200
#: Seed pairs of a round, and before the first look.
ROUND, FIRST = 5, 10
OPPONENTS = ("tag", "callstation", "maniac")
CONFIG = load_config(
    {
        "participants": [{"id": "new", "type": "tag"}, {"id": "old", "type": "tag"}, *OPPONENTS],
        "seeds": {"perMatch": ROUND, "masterSeed": "research"},
        "game": {"handsPerGame": HANDS // 2},
        "scheduler": {"policy": "gate", "minSeedPairs": FIRST},
        "stop": {
            "adjacentConfidence": {"tieMarginMbb": MARGIN},
            "budget": {"maxMatches": None, "maxHands": MOST},
        },
    }
)
VERDICTS = ("kept", "worse", "open")
MEASURED = Path(__file__).with_name("gate_changes.json")


class Case(NamedTuple):
    """A change: what is lost to each opponent in margins, faults in hands of 1,000, and how much longer it thinks."""

    name: str
    lost: Mapping[str, float]
    faults: int = 0
    slower: float = 1.0


def cases() -> list[Case]:
    """Return all changes."""
    everybody, some = (*OPPONENTS, "old"), ("callstation", "maniac")
    found = [Case("equal", {})]
    found += [Case(f"{times:g} to everybody", dict.fromkeys(everybody, times)) for times in (0.5, 1, 2, 4)]
    # The mean of what follows is as above; all of it is lost to one.
    found += [
        Case(f"{times:g}, all of it to {one}", {one: times * len(everybody)}) for times in (1, 2, 4) for one in some
    ]
    # And here one opponent takes so many margins, which is a fourth of it on average.
    found += [Case(f"{times:g} to {one} alone", {one: times}) for times in (2, 4) for one in some]
    return [*found, Case("faults in 3% of its hands", {}, faults=30), Case("five times as slow", {}, slower=5.0)]


class Played(NamedTuple):
    """What came of many gates: shares of verdicts and hands, and shares of the verdicts of a fixed length."""

    kept: float
    worse: float
    open: float
    hands: Any
    fixed: tuple[float, ...]


def played(case: Case, changes: Mapping[str, Any], *, gates: int) -> Played:
    """Play many gates at once, as `molt_bench.bench.gate` plays one."""
    dice, names = np.random.default_rng([ord(char) for char in case.name]), (*OPPONENTS, "old")
    sums = change_sums(len(names), hands=HANDS, sd_per_hand=first_guess(100), runs=gates)
    tolerance, costs = (
        Tolerance(MARGIN, FIRST),
        np.array([ROUND * HANDS * (1 if each == "old" else 2) for each in names]),
    )
    live, verdicts, taken = np.arange(gates), np.full(gates, "open", dtype="U5"), np.zeros(gates, int)
    kept, hands, faulty, dealt = np.zeros(gates, bool), np.zeros(gates, int), np.zeros(gates, int), 0
    wanted = np.ones((gates, len(names)), bool)
    while len(live):
        for at, name in enumerate(names):
            runs = np.flatnonzero(wanted[:, at])
            if len(runs):
                drawn = dice.choice(changes[name], (len(runs), ROUND)) - MARGIN * case.lost.get(name, 0.0)
                sums.add(np.zeros(len(runs), int), np.full(len(runs), at + 1), drawn, runs)
        hands += (wanted * costs).sum(1)
        dealt += ROUND * HANDS * len(names)
        faulty += dice.binomial(ROUND * HANDS * len(names), case.faults / 1000, len(live))
        lost = np.array([_too_many(count, dealt) for count in faulty.tolist()])
        suspects, looked = np.ones_like(wanted), dealt >= FIRST * HANDS * len(names)
        if looked:
            look = tolerance.look(sums)
            lost |= tolerance.lost_to(look).any(1) | (tolerance.lost(look) & ~kept)
            kept |= tolerance.kept(look)
            suspects = tolerance.suspects(look)
        passed = ~lost & kept & ~suspects.any(1)
        wanted = np.where(kept[:, None], suspects, np.ones_like(suspects))
        over = hands + (wanted * costs).sum(1) > MOST
        done = lost | passed | over
        verdicts[live[done]] = np.where(lost, "worse", np.where(passed, "kept", "open"))[done]
        taken[live[done]] = hands[done]
        sums.keep(~done)
        live, kept, hands, faulty, wanted = (each[~done] for each in (live, kept, hands, faulty, wanted))
    # Two measurements of the time of a decision, on a busy machine.
    times = 0.004 * dice.lognormal(0.0, 0.25, (gates, 2)) * (case.slower, 1.0)
    verdicts[[Speed(new, old, slower=3.0).problem is not None for new, old in times.tolist()]] = "worse"
    shares = [100 * float((verdicts == each).mean()) for each in VERDICTS]
    before = [fixed(dice, case, changes) for _ in range(gates)]
    return Played(*shares, taken, tuple(100 * before.count(each) / gates for each in VERDICTS))


def _too_many(faulty: int, dealt: int) -> bool:
    """Return whether a gate fails by so many hands with faults, where the old version had none."""
    gate, failures = Gate(CONFIG), {"new": Failures(hands=dealt, faulty=faulty), "old": Failures(hands=dealt)}
    gate.look(failures)
    return bool(gate.finding(1).fault_reasons)


def fixed(dice: Any, case: Case, changes: Mapping[str, Any]) -> str:
    """Return what a comparison of two runs of a fixed length says."""
    parts = {name: dice.choice(changes[name], FIXED) - MARGIN * case.lost.get(name, 0.0) for name in OPPONENTS}
    mean = change_of([(1 / len(parts), values.tolist()) for values in parts.values()])
    each = {name: change_of([(1.0, values.tolist())]) for name, values in parts.items()}
    # Faults in more than a tenth of its hands would decide its result.
    verdict = "worse" if case.faults > 100 else judged(mean, MARGIN, 0.95, against=each).verdict
    return "kept" if verdict in ("better", "not worse") else verdict


def table(name: str, changes: Mapping[str, Any], *, gates: int) -> None:
    """Print the table of one agent."""
    deviations = ", ".join(f"{each} {np.std(changes[each]):,.0f}" for each in changes)
    print(f"\n{name}: deviation of the change of a seed pair in mbb: {deviations}")
    heading = "".join(f"{word:>7}" for word in VERDICTS)
    print(f"{'lost, in margins; % of gates':34}{heading}{'hands':>9}{'90%':>9}   fixed:{heading}")
    centred = {each: np.asarray(values) - np.mean(values) for each, values in changes.items()}
    for case in cases():
        found = played(case, centred, gates=gates)
        cells, also = ("".join(f"{each:7.1f}" for each in row) for row in (found[:3], found.fixed))
        middle, most = np.quantile(found.hands, (0.5, 0.9))
        print(f"{case.name:34}{cells}{middle:9,.0f}{most:9,.0f}         {also}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gates", type=int, default=400, help="gates of a row")
    given = parser.parse_args()
    print(f"{given.gates:,} gates of a row; margin {MARGIN / 10:g} bb/100, at most {MOST:,} hands; fixed: 48,000 hands")
    for name, changes in json.loads(MEASURED.read_text("utf-8")).items():
        table(name, changes, gates=given.gates)


if __name__ == "__main__":
    main()
