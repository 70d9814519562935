"""What users are warned of, by the matches of their run."""

from molt_bench import run_benchmark


def test_a_schedule_that_leaves_out_what_results_rest_on_is_warned_of():
    config = {"participants": ["tight", "random", "folder"], "game": {"handsPerGame": 5}, "seeds": {"perMatch": 4}}
    stop = {"budget": {"maxMatches": 3}}
    warned = run_benchmark({**config, "stop": stop, "scheduler": {"policy": "uncertainty_overlap"}}).warnings
    assert any("information_gain" in warning for warning in warned)
    assert run_benchmark({**config, "stop": stop}).warnings == ()


def test_one_who_gives_no_usable_answer_is_warned_of():
    class Silent:
        name = "silent"

        def act(self, observation):
            return None

    config = {"participants": [{"id": "mute", "type": "silent"}, "tight"], "game": {"handsPerGame": 5}}
    result = run_benchmark({**config, "stop": {"budget": {"maxMatches": 1}}}, agents={"silent": Silent})
    (warning,) = result.warnings
    assert warning.startswith("mute gave no usable answer in ")
    assert "unreadable: the answer is None" in warning
