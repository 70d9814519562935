"""Hundreds of games with a program that misbehaves at random: every fault is counted, and nothing is left behind."""

import asyncio
from collections import Counter

import pytest

from molt_bench import GameSpec, make_agent
from molt_bench.play.play_games import play_games_together
from tests.agents.external.playing import chaos, left_of, log_of, on_linux

#: The class of every misbehaviour; those that are not here are no faults.
CLASSES = {
    "crash": "crash",
    "segfault": "crash",
    "hang": "timeout",
    "close-output": "transport",
    "illegal": "illegal",
    "garbage": "unparsable",
    "wrong-id": "unparsable",
    "float": "unparsable",
    "empty": "empty",
    "flood": "flood",
}
NO_FAULTS = {"well", "twice", "late", "noise-on-stderr"}


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize(
    ("games", "hands"),
    [pytest.param(30, 2, id="30 games"), pytest.param(500, 4, id="500 games")],
)
def test_the_faults_are_those_that_the_program_says_it_made(games, hands, tmp_path, folders):
    log = tmp_path / "log"
    records = []

    def players(spec):
        # Far more time than an answer takes even on a busy machine: each time-out is meant.
        return chaos("random", log, action_timeout_s=5.0), make_agent("callstation")

    specs = [GameSpec(seed=seed, hands=hands, max_retries=3) for seed in range(games)]
    asyncio.run(play_games_together(specs, players, lambda spec, record: records.append(record), at_once=8))

    did = Counter(line[1] for line in log_of(log) if line[0] == "did")
    assert did.keys() <= CLASSES.keys() | NO_FAULTS
    wanted = Counter()
    for behaviour, times in did.items():
        if behaviour in CLASSES:
            wanted[CLASSES[behaviour]] += times
    every = [fault for record in records for fault in record.faults]
    faults = [fault for fault in every if "has ended earlier" not in fault.message]
    found = Counter(fault.kind for fault in faults)
    hangs = wanted.pop("timeout", 0)
    assert hangs <= found.pop("timeout", 0) <= 3 * hangs, "one that hangs is late three times"
    assert found == wanted
    assert {fault.player for fault in faults} == {0}
    assert len(records) == games
    assert len(wanted) == 6, "all classes were there"
    assert left_of(log) == []
    assert list(folders.iterdir()) == []
