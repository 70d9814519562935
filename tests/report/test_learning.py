"""The halves of a run show an agent that learns, and none where nobody does."""

import pytest

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.report.learning import change, learners, learning_sentences


class Learner:
    """Folds every hand at first, and folds none from then on."""

    name = "learner"
    decisions = 0

    def act(self, observation):
        Learner.decisions += 1
        if Learner.decisions <= self.after:
            return FOLD
        return CALL if observation.to_call else CHECK


def run(after, **participant):
    """Play a run of an agent that folds until it has made so many decisions."""
    Learner.decisions, Learner.after = 0, after
    config = {
        "participants": [{"id": "learner", "type": "learner", **participant}, {"id": "other", "type": "callstation"}],
        "game": {"handsPerGame": 10},
        "seeds": {"perMatch": 24, "masterSeed": "learning"},
        "stop": {"budget": {"maxMatches": 1}, "adjacentConfidence": None},
    }
    return run_benchmark(config, agents={"learner": Learner}, executor="inline")


@pytest.mark.parametrize("after", [240, 0])
def test_a_change_between_the_halves_is_found(after):
    found = change(run(after, isolated=False), "learner")
    assert (abs(found.mean) > found.half_width()) == bool(after)


def test_the_opponent_changes_by_the_opposite():
    result = run(80, isolated=False)
    assert change(result, "other").mean == pytest.approx(-change(result, "learner").mean)


def test_only_those_that_may_remember_are_reported():
    assert [*learners(run(80, isolated=False))] == ["learner"]
    assert learners(run(80)) == {}


def test_the_sentence_says_whether_the_change_is_clear():
    (said,) = learning_sentences(run(240, isolated=False), {"learner": "The learner"})
    assert said.startswith("The learner may learn")
    assert "depends on how long the run is" in said
    (said,) = learning_sentences(run(0, isolated=False), {"learner": "The learner"})
    assert "no clear change" in said
