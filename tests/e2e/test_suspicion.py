"""Agents that know cards they may not know are named in a warning, honest ones are not (`make slow SUITE=cheats`)."""

from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest

from molt_bench.arena.benchmark import run_benchmark
from tests.e2e.shell import quick

SUSPECTS = Path(__file__).with_name("suspects.py")
HONEST = list(combinations(("tag", "tight", "callstation", "maniac", "random"), 2))


def config(*participants, matches=40):
    return {
        "participants": list(participants),
        "seeds": {"masterSeed": sha256(str(participants).encode()).hexdigest()},
        "stop": {"budget": {"maxMatches": matches}, "adjacentConfidence": None},
    }


def cheat(kind):
    return {"id": "cheat", "type": f"{SUSPECTS}:{kind}"}


def named(*participants):
    """Return the warning of a run on cards of its own, in this process: what a rememberer knows depends on that."""
    result = run_benchmark(config(*participants), executor="inline")
    return [each for each in result.warnings if "more in chips than without luck" in each]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["CardReader", "Rememberer"])
def test_a_cheat_is_named(kind):
    (said,) = named(cheat(kind), "tag", "callstation")
    assert said.startswith("cheat won +")


@pytest.mark.slow
@pytest.mark.parametrize("pair", HONEST, ids="-".join)
def test_honest_agents_are_not(pair):
    assert named(*pair) == []


@pytest.mark.slow
def test_every_command_says_so(tmp_path):
    done = quick(
        *("--participants", f"{SUSPECTS}:CardReader,tag,callstation", "--seeds", "10", "--hands", "10"),
        *("--max-matches", "12", "--set", "stop.adjacentConfidence=null", "--output-dir", tmp_path / "out"),
    )
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "out").iterdir()
    for said in (done, quick("report", run)):
        assert "more in chips than without luck" in " ".join((said.stdout + said.stderr).split())
