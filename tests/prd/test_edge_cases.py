"""Edge cases of the requirements."""

import pytest

import molt_bench
from tests.prd.conftest import Caller, model, small

PEOPLE = [{"id": f"same-{at}", "type": "random"} for at in range(3)]


def test_a_provider_that_fails_is_asked_again_then_folds_and_the_match_is_rated(played, provider):
    """LLM API failure during game: retries up to the limit, forced fold, error logged, rating updated as a loss.

    By default a model is paused until its provider answers, so that no agent loses by somebody else's trouble. The way
    of the requirements is `llm.onFailure: fold`.
    """
    provider.begin(healthy=3)
    trouble = {"onFailure": "fold", "transportRetries": 1, "backoffS": 0}
    run = played(small(model(provider), "callstation", matches=1, seeds=1, hands=2, llm=trouble))
    row = run.board["model"]
    assert row["forcedFolds"] > 0
    assert row["losses"] == 1
    assert row["mu"] < 25
    faults = [event for event in run.log if event["event"] == "fault"]
    assert {event["participant"] for event in faults} == {"model"}
    assert len(faults) == sum(run.summary["errors"]["model"].values()) == run.matches[0]["result"]["errors"]
    assert sum(event["forcedFold"] for event in faults) == row["forcedFolds"]
    assert max(event["attempt"] for event in faults) == 3  # two retries of a decision by default
    # Each of these asked the provider twice, by `transportRetries`. (A third hand of faults alone would not be asked.)
    assert len(provider.requests) == 3 + 2 * len(faults)


def test_identical_agents_end_with_overlapping_ratings_within_the_noise(played):
    """All agents identical: similar mu, overlapping sigma, and adjacent_confidence stops the run."""
    stop = {"adjacentConfidence": {"threshold": 0.95, "tieMarginMbb": 8000}, "budget": {"maxMatches": 60}}
    run = played(small(*PEOPLE, seeds=8, hands=20, stop=stop))
    assert "95% confidence" in run.summary["stopReason"]
    assert len(run.matches) < 60
    rows = list(run.board.values())
    for one in rows:
        for other in rows:
            assert abs(one["mu"] - other["mu"]) < one["sigma"] + other["sigma"]


def test_identical_agents_without_luck_are_equal(played):
    """All agents identical: what plays the same draws every match."""
    run = played(small(*({**each, "type": "callstation"} for each in PEOPLE)))
    assert {match["result"]["winner"] for match in run.matches} == {"draw"}
    assert [row["mu"] for row in run.board.values()] == pytest.approx([25] * 3, abs=0.5)


@pytest.mark.parametrize("participants", [[], ["random"]])
def test_a_single_participant_is_an_error(participants):
    """Single participant: error on startup, at least 2 are required."""
    with pytest.raises(molt_bench.ConfigError, match="at least 2"):
        molt_bench.run_benchmark(small(*participants))


def test_hands_in_which_everyone_only_checks_end():
    """Infinite check-check loops: a hand has four streets, and a game has so many hands."""
    caller = Caller()
    record = molt_bench.play_game((caller, Caller()), seed="checks", hands=5)
    assert record.hands == 5
    assert {len(result.log) for result in caller.results} == {8}


def test_a_raising_war_ends_at_the_limit_of_actions():
    """Extremely long games: maximum turns per hand can be configured."""

    class Warrior(Caller):
        def act(self, observation):
            least = observation.min_raise_to
            return molt_bench.Action("raiseTo", least) if least else super().act(observation)

    lengths = {}
    for most in (6, 20):
        one = Warrior()
        record = molt_bench.play_game((one, Warrior()), seed="war", hands=2, stack=10**12, max_actions=most)
        assert record.faults == ()
        lengths[most] = max(sum(entry.kind == "raiseTo" for entry in result.log) for result in one.results)
    assert lengths == {6: 6, 20: 20}


def test_the_limit_of_actions_is_a_setting(played):
    """Extremely long games: in a config, game.maxActionsPerHand and game.handsPerGame."""
    config = small("random", "tight", matches=1, game={"handsPerGame": 3, "maxActionsPerHand": 7})
    run = played(config)
    assert run.config["game"]["maxActionsPerHand"] == 7
    assert run.summary["totals"]["hands"] == 12
    with pytest.raises(molt_bench.ConfigError, match="maxActionsPerHand"):
        molt_bench.run_benchmark({**config, "game": {"maxActionsPerHand": 0}})
