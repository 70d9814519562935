"""The config: every field checked, every error one line that names the field."""

import json

import pytest

from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.entries import participants_from
from molt_bench.bench.loading import load_config, read_config_file, set_field
from molt_bench.errors import ConfigError

TWO = [{"id": "a", "type": "tight"}, {"id": "b", "type": "random"}]


def test_the_defaults_are_those_of_the_requirements():
    config = load_config({})
    assert [one.type for one in config.participants] == ["random", "tight"]
    assert (config.seeds.per_match, config.game.hands_per_game) == (10, 50)
    assert config.stop.budget.max_matches == 20
    assert config.stop.adjacent_confidence.threshold == 0.95
    assert (config.rating.mu0, config.rating.sigma0) == (25, 25 / 3)
    assert config.match.draw_threshold == 0
    assert (config.scheduler.policy, config.matches_per_round()) == ("information_gain", 1)


def test_with_models_every_two_who_play_have_a_match_of_their_own():
    models = [{"id": str(number), "type": "llm", "model": f"openai:{number}"} for number in range(5)]
    assert load_config({"participants": models}).matches_per_round() == 2
    assert load_config({"participants": models, "scheduler": {"matchesPerRound": 1}}).matches_per_round() == 1


def test_a_config_goes_through_json_and_back():
    config = load_config({"participants": TWO, "seeds": {"masterSeed": 10**30}})
    assert load_config(json.loads(json.dumps(config.plain()))) == config


def test_camel_case_and_snake_case_are_the_same():
    assert load_config({"game": {"handsPerGame": 7}}) == load_config({"game": {"hands_per_game": 7}})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"participants": TWO[:1]}, "participants: expected at least 2 of them"),
        ({"participants": [TWO[0], TWO[0]]}, "participants = 'a': expected a different id for each"),
        ({"participants": [{**TWO[0], "parms": {}}, TWO[1]]}, "participants.0.parms: expected another field: 'params'"),
        ({"participants": [{"id": "a"}, TWO[1]]}, "participants.0.type"),
        ({"seedz": {}}, "seedz: expected another field: 'seeds' perhaps"),
        ({"seeds": {"perMach": 3}}, "seeds.perMach = 3: expected another field: 'perMatch' perhaps"),
        ({"game": {"stack": -5}}, "game.stack = -5: expected greater than or equal to 1"),
        ({"game": {"stack": 50}}, "game.stack = 50: expected at least big blind and ante (100)"),
        ({"game": {"smallBlind": 200}}, "game.smallBlind = 200: expected at most the big blind (100)"),
        ({"game": {"bigBlind": "x"}}, "game.bigBlind = 'x': expected a valid integer"),
        ({"game": {"handsPerGame": 2.5}}, "game.handsPerGame = 2.5: expected a valid integer"),
        ({"game": {"handsPerGame": True}}, "game.handsPerGame = True: expected a valid integer"),
        ({"scheduler": {"policy": "nope"}}, "scheduler.policy = 'nope': expected one of uncertainty_overlap"),
        ({"scheduler": {"exploration": 1.5}}, "scheduler.exploration = 1.5: expected less than or equal to 1"),
        ({"stop": {"adjacentConfidence": {"threshold": 1}}}, "stop.adjacentConfidence.threshold = 1: expected less"),
        ({"stop": {"budget": None, "adjacentConfidence": None}}, "stop = None: expected at least one condition"),
        (
            {"stop": {"budget": {"maxGames": 19}}},
            "stop.budget.maxGames = 19: expected at least 20, the games",
        ),
        ({"stop": 5}, "stop = 5: expected a section with fields of its own"),
        ({"participants": 5}, "participants = 5: expected a list"),
        ({"scheduler": {"policy": "roundrobin"}}, "scheduler.policy = 'roundrobin': expected 'round_robin' perhaps"),
        ({"rating": {"mu0": float("nan")}}, "rating.mu0 = nan: expected a finite number"),
        ({"rating": {"sigma0": 0}}, "rating.sigma0 = 0: expected greater than 0"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_field(values, said):
    with pytest.raises(ConfigError) as caught:
        load_config(values)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_participants_may_be_named_by_their_types_alone():
    by_name = load_config({"participants": ["random", "tight"]})
    assert by_name == load_config({})


def test_participants_in_shorthand():
    assert participants_from("random, tight,random") == [
        {"id": "random", "type": "random"},
        {"id": "tight", "type": "tight"},
        {"id": "random-2", "type": "random"},
    ]
    assert participants_from("bots/mine.py:make,pkg.mod:make")[0] == {"id": "mine", "type": "bots/mine.py:make"}
    with pytest.raises(ConfigError, match="names with commas between"):
        participants_from("random,,tight")


def test_a_comma_inside_a_command_is_escaped():
    r"""A backslash before a comma makes it part of the name; before anything else it stays as it is."""
    found = participants_from(r"exec:./bot --sizes 1\,2\,3 --path a\\b\n ,tight,http://h/act?x=1\,2")
    assert [each["type"] for each in found] == [
        r"exec:./bot --sizes 1,2,3 --path a\\b\n",
        "tight",
        "http://h/act?x=1,2",
    ]
    assert [each["id"] for each in found] == ["bot", "tight", "h/act"]
    assert [each["type"] for each in participants_from(r"a\,b")] == ["a,b"]


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("0.5", 0.5), ("null", None), ("carry", "carry"), ("[1]", [1])])
def test_any_field_can_be_set(text, value):
    values = {}
    set_field(values, f"a.b={text}")
    assert values == {"a": {"b": value}}


@pytest.mark.parametrize("assignment", ["a", "=3", "a.b.c=1"])
def test_a_bad_assignment_is_refused(assignment):
    with pytest.raises(ConfigError, match="--set"):
        set_field({"a": {"b": 5}}, assignment)


def test_yaml_and_json_files_are_read(tmp_path):
    (tmp_path / "c.yaml").write_text("game:\n  stack: 500\n")
    (tmp_path / "c.json").write_text('{"game": {"stack": 500}}')
    assert read_config_file(str(tmp_path / "c.yaml")) == read_config_file(str(tmp_path / "c.json"))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("c.yaml", "a: [1\nb: 2", "YAML (line 2"),
        ("c.json", '{"a": }', "JSON (line 1"),
        ("c.yaml", "- 1\n- 2", "fields and their values, not a list"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_config_file(str(tmp_path / name))
    assert said in str(caught.value)
    with pytest.raises(ConfigError, match="No such file"):
        read_config_file(str(tmp_path / "missing.yaml"))


def test_the_schema_describes_every_section():
    schema = BenchmarkConfig.model_json_schema(by_alias=True)
    assert {"participants", "seeds", "game", "match", "rating", "scheduler", "stop", "llm", "outputDir"} == {
        *schema["properties"]
    }
