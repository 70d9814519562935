"""The table of kinds, and the way from a participant's spec to an agent."""

import sys

import pytest

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import BUILTIN_AGENTS, OBJECT, all_kinds, kind_of, make_agent
from molt_bench.arena.cast import Cast
from molt_bench.config.loader import load_config
from molt_bench.errors import AgentError, ConfigError
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameLabel, ParticipantSpec


class Mine:
    def __init__(self, level=1):
        self.name = f"mine-{level}"

    def act(self, observation):
        return observation


def test_all_built_in_types_can_be_made():
    assert {"random", "tight", "callstation", "maniac", "tag", "folder", "shover"} <= {*BUILTIN_AGENTS}
    for kind in BUILTIN_AGENTS:
        agent = make_agent(ParticipantSpec(id="p", type=kind))
        assert isinstance(agent, PokerAgent)
        assert agent.name == "p"


def test_a_factory_of_ones_own_gets_the_params():
    spec = ParticipantSpec(id="p", type="mine", params={"level": 3})
    assert make_agent(spec, factories={"mine": Mine}).name == "mine-3"


def test_an_unknown_type_names_the_nearest():
    with pytest.raises(ConfigError, match=r"type = 'tigth': expected one of .*; did you mean 'tight'"):
        make_agent(ParticipantSpec(id="p", type="tigth"))


def test_an_unknown_param_is_named():
    with pytest.raises(ConfigError, match="params = 'colour'"):
        make_agent(ParticipantSpec(id="p", type="tight", params={"colour": "red"}))


def test_a_factory_that_raises_is_an_error_that_says_so():
    with pytest.raises(AgentError, match="participant 'p': its factory raised ZeroDivisionError"):
        make_agent(ParticipantSpec(id="p", type="x"), factories={"x": lambda: 1 / 0})


def test_a_factory_that_returns_no_agent_is_an_error_that_says_so():
    with pytest.raises(AgentError, match="returned 5, which is not an agent"):
        make_agent(ParticipantSpec(id="p", type="x"), factories={"x": lambda: 5})


@pytest.mark.parametrize("fields", [{"id": "", "type": "tight"}, {"id": "p", "type": ""}, {"id": 3, "type": "tight"}])
def test_a_participant_needs_an_id_and_a_type(fields):
    with pytest.raises(ConfigError, match="a name that is not empty"):
        ParticipantSpec(**fields)


@pytest.mark.parametrize(
    ("participant_type", "kind", "params", "label"),
    [
        ("llm", "llm", {}, "llm"),
        ("llm:openai:gpt-4.1", "llm", {"model": "openai:gpt-4.1"}, "gpt-4.1"),
        ("exec:./bot --fast", "exec", {"command": "./bot --fast"}, "bot"),
        ("http", "http", {}, "http"),
        ("https://a.b/act?x", "http", {"url": "https://a.b/act?x"}, "a.b/act"),
        ("http://a.b:9000/", "http", {"url": "http://a.b:9000/"}, "a.b:9000"),
        ("http:https://a.b", "http", {"url": "https://a.b"}, "a.b"),
        ("tight", "tight", {}, "tight"),
        ("path/to/mine.py:make", "python", {}, "mine"),
        ("exec.py:make", "python", {}, "exec"),
        ("human:make", "python", {}, "human"),
        ("executive", "", {}, "executive"),
    ],
)
def test_short_forms(participant_type, kind, params, label):
    found = kind_of(participant_type)
    assert (found.name, found.given(participant_type), found.label(participant_type)) == (kind, params, label)


def test_a_name_of_the_callers_is_the_callers():
    assert kind_of("tight", {"tight": Mine}) is OBJECT


def test_every_kind_says_what_it_needs():
    for kind in all_kinds():
        assert kind.built_in or kind.settings is not None
        assert kind.usage
        assert kind.about
        assert not kind.short or kind.short in kind.settings.model_fields


@pytest.mark.parametrize(("limit", "external", "model"), [(None, 60.0, 120.0), (7.0, 7.0, 7.0)])
def test_the_time_for_an_answer_in_a_benchmark_is_the_documented_one(limit, external, model):
    config = load_config(
        {
            "participants": [
                {"id": "program", "type": f"exec:{sys.executable}"},
                {"id": "server", "type": "http://127.0.0.1:9/act"},
                {"id": "model", "type": "llm:openai:m", "baseUrl": "http://127.0.0.1:9/v1"},
            ],
            "game": {"actionTimeoutS": limit},
        }
    )
    cast = Cast(config, {}, RunFiles())
    game = GameLabel(1, "s", "AB")
    assert [cast.agent(name, game)._agent._limit_s for name in ("program", "server")] == [external] * 2
    assert cast.gateway.limits.timeout_s == model
