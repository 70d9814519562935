"""The config: every field checked, every error one line that names the field."""

import json
import os

import pytest

from molt_bench.config.assignments import set_field
from molt_bench.config.loader import load_config, read_config_file
from molt_bench.config.participants import participants_from
from molt_bench.config.sections import BenchmarkConfig
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
        (
            {"participants": [{**TWO[0], "parms": {}}, TWO[1]]},
            "participants.0.parms: expected another field; did you mean 'params'?",
        ),
        ({"participants": [{"id": "a"}, TWO[1]]}, "participants.0.type"),
        ({"stack": 5000}, "stack = 5000: expected another field; did you mean 'game.stack'?"),
        ({"seedz": {}}, "seedz: expected another field; did you mean 'seeds'?"),
        ({"seeds": {"perMach": 3}}, "seeds.perMach = 3: expected another field; did you mean 'perMatch'?"),
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
        (
            {"scheduler": {"policy": "roundrobin"}},
            "scheduler.policy = 'roundrobin': expected one of uncertainty_overlap, ",
        ),
        ({"rating": {"mu0": float("nan")}}, "rating.mu0 = nan: expected a finite number"),
        ({"rating": {"sigma0": 0}}, "rating.sigma0 = 0: expected greater than or equal to 0.000001"),
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
    sections = "participants seeds game match rating scheduler stop llm outputDir"
    assert {*sections.split()} == {*schema["properties"]}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"seeds": {"perMatch": 10**23}}, "seeds.perMatch = 100000000000000000000000: expected less than or equal to"),
        ({"game": {"handsPerGame": 100_001}}, "game.handsPerGame = 100001: expected less than or equal to 100000"),
        (
            {"game": {"handsPerGame": 100_000}, "seeds": {"perMatch": 100}},
            "seeds.perMatch = 100: expected at most 1,000,000 hands in a match",
        ),
        ({"rating": {"sigma0": 1e-9}}, "rating.sigma0 = 1e-09: expected greater than or equal to 0.000001"),
        ({"rating": {"mu0": 1e7}}, "rating.mu0 = 10000000.0: expected less than or equal to 1000000"),
        (
            {"stop": {"adjacentConfidence": {"tieMarginMbb": 1e300}}},
            "stop.adjacentConfidence.tieMarginMbb = 1e+300: expected less than or equal to 1000000000",
        ),
        ({"participants": ["random"] * 1_001}, "participants: expected at most 1000 of them"),
        ({"participants": [{**TWO[0], "id": "x" * 201}, TWO[1]]}, "participants.0.id = 'xxx"),
        ({"seeds": {"masterSeed": "\ud800"}}, "seeds.masterSeed = '\\ud800': expected text that UTF-8 can write"),
        ({"outputDir": "a\0b"}, "outputDir = 'a\\x00b': expected a text without NUL characters"),
        ({"seeds": {"masterSeed": 10**5000}}, "seeds.masterSeed = <an int of thousands of digits>: expected an int of"),
        ({1: 2}, "config = 1: expected names of fields"),
        (
            {"participants": [{**TWO[0], "params": {"x": [float("inf")]}}, TWO[1]]},
            "participants.0.params.x.0 = inf: expected a finite number",
        ),
    ],
)
def test_every_number_and_text_has_a_bound_that_is_named(values, said):
    with pytest.raises(ConfigError) as caught:
        load_config(values)
    assert str(caught.value).startswith(said)


LAUGHS = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]\n" for at in range(1, 12)
)
MERGED = "a0: &a0 {x: 1}\n" + "".join(
    f"a{at}: &a{at} {{<<: [{', '.join([f'*a{at - 1}'] * 9)}]}}\n" for at in range(1, 12)
)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("c.yaml", "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", "YAML with every key once (line 5: 'c' appears twice)"),
        ("c.json", '{"a": {"c": 1,\n "\\u0063": 2}}', "JSON with every key once ('c' appears twice)"),
        ("c.yaml", "a: " + "[" * 100_000, "at most 50 levels of sections and lists"),
        ("c.json", '{"a": ' + "[" * 100_000, "at most 50 levels of sections and lists"),
        ("c.yaml", LAUGHS, "at most 50,000 values, aliases spelt out"),
        ("c.yaml", MERGED, "at most 50,000 values, aliases spelt out"),
        ("c.yaml", "a: &a [*a]", "at most 50 levels of sections and lists"),
        ("c.yaml", f"a: {'9' * 5000}", "YAML (an int of more than 4,000 digits)"),
        ("c.json", f'{{"a": {"9" * 5000}}}', "JSON (an int of more than 4,000 digits)"),
        ("c.json", '{"a": NaN}', "JSON (NaN is not a JSON number)"),
        ("c.yaml", "a" * 1_000_001, "a file of at most 1,000,000 bytes"),
        ("c.json", '"' + '\\"' * 400_000, "JSON (line 1: Unterminated string"),
        ("c.yaml", "a: 1\0", "YAML (special characters are not allowed"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) and " " in value else "",
)
def test_a_text_that_could_mean_anything_is_refused(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(read_config_file(str(tmp_path / name)))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        *("010000", "1:40:00", "0x10", "0b11", "1_000", "1_0.5", "00.5", "08", "0o17", "1:40.5"),
        *(".inf", "-.inf", ".nan", "yes", "No", "on", "OFF", "2024-01-31"),
    ],
)
def test_what_is_read_in_more_than_one_way_is_a_text_and_no_number(tmp_path, text):
    path = tmp_path / "c.yaml"
    path.write_text(f"game: {{stack: {text}}}\nseeds: {{masterSeed: {text}}}\n")
    values = read_config_file(str(path))
    assert values["seeds"]["masterSeed"] == text
    with pytest.raises(ConfigError, match=r"game\.stack = .*: expected a valid integer"):
        load_config(values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("10000", 10_000), ("-5", -5), ("+5", 5), ("0", 0), ("0.5", 0.5), (".5", 0.5), ("1.5e+3", 1500.0)],
        *[("true", True), ("False", False), ("'010'", "010"), ('"no"', "no"), ("v010", "v010"), ("null", None)],
    ],
)
def test_plain_numbers_truth_values_and_quoted_texts_are_read(tmp_path, text, value):
    path = tmp_path / "c.yaml"
    path.write_text(f"x: {text}\n")
    found = read_config_file(str(path))["x"]
    assert (found, type(found)) == (value, type(value))


def test_a_field_in_both_spellings_is_refused():
    with pytest.raises(ConfigError, match=r"seeds\.perMatch = 2: expected one spelling of it, not per_match as well"):
        load_config({"seeds": {"perMatch": 1, "per_match": 2}})


@pytest.mark.parametrize(("field", "limit"), [("maxGames", 19), ("maxHands", 999)])
def test_a_budget_without_room_for_one_match_is_an_error(field, limit):
    with pytest.raises(ConfigError, match=f"stop.budget.{field} = {limit}: expected at least {limit + 1:,}"):
        load_config({"stop": {"budget": {field: limit}}})
    load_config({"stop": {"budget": {field: limit + 1}}})


def test_aliases_and_merge_keys_within_bounds_are_read(tmp_path):
    (tmp_path / "c.yaml").write_text("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: [*a, *a]\n")
    found = read_config_file(str(tmp_path / "c.yaml"))
    assert (found["b"], found["c"]) == ({"x": 1, "y": 3}, [{"x": 1, "y": 2}] * 2)


@pytest.mark.parametrize("name", ["c.yaml", "c.json"])
def test_a_byte_order_mark_is_left_out(tmp_path, name):
    (tmp_path / name).write_bytes(b'\xef\xbb\xbf{"game": {"stack": 500}}')
    assert read_config_file(str(tmp_path / name)) == {"game": {"stack": 500}}


def test_a_folder_a_pipe_that_nobody_writes_and_utf_16_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("molt_bench.files._PATIENCE_S", 0.05)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "wide.yaml").write_text("game: {}", "utf-16")
    for name, said in ((".", "Is a directory"), ("pipe", "nothing came from it"), ("wide.yaml", "it is UTF-16")):
        with pytest.raises(ConfigError, match=said):
            read_config_file(str(tmp_path / name))
    with pytest.raises(ConfigError, match="at most 1,000,000 bytes"):
        read_config_file("/dev/zero")


def test_what_comes_through_a_pipe_is_read():
    reading, writing = os.pipe()
    os.write(writing, b"game: {stack: 500}")
    os.close(writing)
    assert read_config_file(f"/dev/fd/{reading}") == {"game": {"stack": 500}}
    os.close(reading)


@pytest.mark.parametrize("path", ["participants.0.id", "participants.²", "participants.7.id"])
def test_a_path_that_leads_nowhere_is_refused(path):
    with pytest.raises(ConfigError, match="--set"):
        set_field({"participants": ["random", "tight"]}, f"{path}=x")


def test_a_wrong_participant_is_not_a_missing_one():
    with pytest.raises(ConfigError) as caught:
        load_config({"participants": [{**TWO[0], "parms": {}}, {"id": "b"}]})
    assert [each.field for each in caught.value.problems] == ["participants.0.parms", "participants.1.type"]


@pytest.mark.parametrize(("stack", "margin"), [(10_000, 250.0), (2000, 50.0), (40_000, 250.0), (100, 2.5)])
def test_the_tie_margin_grows_with_the_stacks_up_to_a_hundred_big_blinds(stack, margin):
    found = load_config({"game": {"stack": stack}})
    assert found.stop.adjacent_confidence.tie_margin_mbb == margin
    assert load_config(found.plain()) == found


def test_matches_with_models_are_short_unless_the_config_says_how_long_or_how_many_they_are():
    models = ["tag", {"id": "model", "type": "llm:openai:gpt-4o-mini"}]

    def sizes(**config):
        found = load_config({"participants": models, **config})
        assert load_config(found.plain()) == found  # a run keeps what it began with
        return found.seeds.per_match, found.stop.budget.max_matches

    assert sizes() == (4, 50)
    assert sizes(stop={"budget": {"maxHands": 90_000}}) == (4, 50)
    assert sizes(stop={"budget": {"maxMatches": None, "maxCostUsd": 9}}) == (4, None)
    assert sizes(stop={"budget": {"maxMatches": 7}}) == (10, 7)
    assert sizes(seeds={"perMatch": 10}) == (10, 20)
    assert sizes(participants=["tag", "tight"]) == (10, 20)


def test_a_tie_margin_that_is_stated_stays():
    """As those of every run on disk are, which keep their whole config."""
    stated = load_config({"game": {"stack": 2000}, "stop": {"adjacentConfidence": {"tieMarginMbb": 250}}})
    assert stated.stop.adjacent_confidence.tie_margin_mbb == 250
    other = load_config({"game": {"stack": 2000}, "stop": {"adjacentConfidence": {"threshold": 0.9}}})
    assert other.stop.adjacent_confidence.tie_margin_mbb == 50


def test_all_mistakes_are_told_at_once_in_one_validation():
    with pytest.raises(ConfigError) as caught:
        load_config(
            {
                "participants": [{**TWO[0], "parms": 1}, {"id": "b", "type": "tight"}, {"id": "b", "type": "random"}],
                "game": {"stakc": 5, "bigBlind": -1},
                "gaem": {},
                "stop": {"budget": {"maxGames": 1}},
                "seeds": {"file": 5},
                "scheduler": {"policy": "gauntlet"},
            }
        )
    fields = {each.field for each in caught.value.problems}
    assert fields == {"participants.0.parms", "game.stakc", "game.bigBlind", "gaem", "seeds.file"}


@pytest.mark.parametrize("left", [[], ["human"], ["tight"]])
def test_mistakes_of_participants_are_told_of_a_gate_of_which_hardly_anybody_is_left(left):
    wrong = [{"id": "a"}, {"id": "b", "type": 5}]
    with pytest.raises(ConfigError) as caught:
        load_config({"participants": [*wrong, *left], "scheduler": {"policy": "gate"}})
    assert [each.field for each in caught.value.problems] == ["participants.0.type", "participants.1.type"]


def test_what_lies_across_sections_is_told_at_once_as_soon_as_each_is_right():
    with pytest.raises(ConfigError) as caught:
        load_config({"stop": {"budget": {"maxGames": 19}}, "participants": [TWO[0], TWO[0]]})
    fields = [each.field for each in caught.value.problems]
    assert fields == ["participants", "stop.budget.maxGames"]
