"""Agents that publish a policy state their odds before they decide, so that no outcome can change what they said."""

from typing import ClassVar

import pytest
from tests.e2e.suspects import passive

from molt_bench import Action, run_benchmark


class Noting:
    """Calls; notes what happens, and says other odds about moments that it has already decided."""

    name = "noting"
    events: ClassVar[list] = []

    def act(self, observation):
        self.events.append(("act", observation.hand_number, observation.cards, observation.log))
        return passive(observation)

    def policy(self, observation):
        moment = observation.hand_number, observation.cards, observation.log
        assert observation.noise == 0
        decided = ("act", *moment) in self.events
        self.events.append(("late" if decided else "policy", *moment))
        return ((Action("fold"), 1.0),) if decided else ((passive(observation), 1.0),)


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["inline", "async"])
def test_odds_are_stated_before_every_decision_and_what_was_said_then_counts(executor):
    Noting.events.clear()
    config = {
        "participants": [{"id": "noting", "type": "mine"}, "maniac"],
        "seeds": {"perMatch": 2, "masterSeed": "said before"},
        "game": {"handsPerGame": 10},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 2}},
    }
    result = run_benchmark(config, agents={"mine": Noting}, executor=executor)
    acts = [at for at, event in enumerate(Noting.events) if event[0] == "act"]
    assert acts
    for at in acts:
        _, *moment = Noting.events[at]
        assert any(event == ("policy", *moment) for event in Noting.events[:at])
    assert not any("does not play by" in warning for warning in result.warnings)
