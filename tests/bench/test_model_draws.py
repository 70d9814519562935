"""The draws of language models: what is warned of before a run."""

import pytest

from molt_bench.bench.model_draws import unstated_sampling
from molt_bench.config.loader import load_config


def warned(**settings):
    model = {"id": "m", "type": "llm", "model": "openai:m", "baseUrl": "http://127.0.0.1:1/v1", **settings}
    return unstated_sampling(load_config({"participants": [model, "tag"]}).models())


@pytest.mark.parametrize("settings", [{}, {"temperature": 1}, {"topP": 1}])
def test_a_server_that_may_draw_by_defaults_of_its_own_is_warned_of(settings):
    said = warned(logprobs=True, **settings)
    assert said.startswith("m: ")
    assert "set temperature: 1 and topP: 1" in said


@pytest.mark.parametrize("settings", [{"logprobs": True, "temperature": 1, "topP": 1}, {"temperature": 0.7}])
def test_nothing_is_said_where_odds_are_exact_or_not_used(settings):
    assert warned(**settings) is None
