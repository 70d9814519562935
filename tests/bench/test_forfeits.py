"""Whoever forfeits too many games has no rank, and the run goes on without it."""

from msgspec import UNSET

from molt_bench import run_benchmark
from molt_bench.errors import AgentFailed
from molt_bench.report.run_rows import Rows
from molt_bench.report.verdict import remarks


class Gone:
    """An agent that is never there."""

    name = "gone"

    def act(self, observation):
        raise AgentFailed("forfeit", "not connected")


def run(participants, **sections):
    config = {
        "participants": participants,
        "seeds": {"perMatch": 2, "masterSeed": 1},
        "game": {"handsPerGame": 3},
        "stop": {"budget": {"maxMatches": 12}, "adjacentConfidence": {"tieMarginMbb": 0.0}},
        **sections,
    }
    return run_benchmark(config, agents={"gone": Gone}, executor="inline")


def test_the_run_goes_on_without_whoever_forfeits_and_ranks_the_rest():
    result = run(["tag", "gone", "callstation", "folder"])
    met = [match.number for match in result.matches if "gone" in match.participants]
    assert met == [1]  # four games, of which it may forfeit two
    assert len(result.matches) == 12
    found = Rows(result)
    assert found.order[-1] == "gone"
    assert "gone" not in found.rank_ranges
    assert {name for each in found.leads for name in (each.above, each.below)} == {"tag", "callstation", "folder"}
    assert all(row.met is UNSET for row in found.agents if row.id != "gone")  # nobody lacks an opponent
    said = " ".join([*remarks(found), *result.warnings])
    assert "gone is not ranked: it stayed away and forfeited 4 games, so the run went on without it." in said
    assert "gone gave no usable answer" not in said
    faults = [fault for match in result.matches[:1] for fault in match.faults]
    assert {(fault.kind, fault.attempt, fault.forced_fold) for fault in faults} == {("forfeit", 1, True)}


def test_a_run_ends_when_nobody_is_left_to_play():
    result = run(["tag", "gone"])
    assert result.stop_reason == "no one is left to play, since too many games were forfeited by gone"
    assert len(result.matches) == 1


def test_a_gauntlet_ends_without_its_reference():
    result = run(["gone", "tag", "callstation"], scheduler={"policy": "gauntlet"})
    assert result.stop_reason.startswith("no one is left to play")
