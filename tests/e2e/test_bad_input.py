"""Bad input: one clear line and status 1; wrong usage is status 2; never a traceback."""

import json

import pytest

from tests.e2e.shell import BOTS, SMALL, one_clear_line, quick, quick_run, read

TWO = "participants: [{id: a, type: random}, {id: b, type: tight}]\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--participants", "random"], ["participants", "at least 2"]),
        (["--participants", "random,"], ["participants", "commas"]),
        (["--participants", ""], ["participants"]),
        (["--participants", "random,tihgt"], ["'tihgt'", "did you mean 'tight'?"]),
        (["--participants", "random,bots.py:make_trouble"], ["'bots'", "ValueError: no licence"]),
        (["--participants", "random,bots.py:make_long_trouble"], ["'bots'", "no licence"]),
        (["--participants", "random,bots.py:make_nothing"], ["'bots'", "not an agent"]),
        (["--participants", "random,bots.py:make_class"], ["'bots'", "not an agent"]),
        (["--participants", "random,bots.py:make_a_few"], ["'bots'", "out of agents"]),
        (["--participants", "random,bots.py:make_a_few", "--games-at-once", "8"], ["'bots'", "out of agents"]),
        (["--participants", "random,bots.py:not_callable"], ["bots.py:not_callable", "a factory"]),
        (["--participants", "random,bots.py:nobody"], ["bots.py:nobody", "nobody"]),
        (["--participants", "random,nowhere.py:make"], ["nowhere.py:make", "No such file"]),
        (["--participants", "random,no_such_module:make"], ["no_such_module:make", "No module named"]),
        (["--participants", "random,tight", "--scheduler", "round_robbin"], ["scheduler.policy", "round_robin"]),
        (["--hands", "0"], ["game.handsPerGame = 0", "greater than or equal to 1"]),
        (["--hands", "-3"], ["game.handsPerGame = -3"]),
        (["--seeds", "-1"], ["seeds.perMatch = -1"]),
        (["--max-matches", "-1"], ["stop.budget.maxMatches = -1"]),
        (["--set", "stop.adjacentConfidence.threshold=95"], ["stop.adjacentConfidence.threshold = 95"]),
        (["--set", "game.stack"], ["--set", "field=value"]),
        (["--set", "=3"], ["--set", "field=value"]),
        (["--set", "game.stack=[1"], ["--set", "YAML"]),
        (["--set", "game.stack.deep=3", "--set", "game.stack=5"], ["game.stack"]),
        (["--set", "game.stakc=300"], ["game.stakc", "did you mean 'stack'?"]),
        (["--set", "game.stack=lots"], ["game.stack = 'lots'", "integer"]),
        (["--set", "game.stack=99.5"], ["game.stack = 99.5", "integer"]),
        (["--set", "game.stack=-100"], ["game.stack = -100"]),
        (["--set", "game.smallBlind=500"], ["smallBlind"]),
        (["--set", "scheduler.exploration=2"], ["scheduler.exploration = 2"]),
        (["--set", "seeds.masterSeed=1.5"], ["seeds.masterSeed = 1.5"]),
        (["--set", "rating.mu0=.nan"], ["rating.mu0"]),
        (["--set", "rating.sigma0=.inf"], ["rating.sigma0"]),
        (["--set", "stop.budget=null", "--set", "stop.adjacentConfidence=null"], ["stop", "never end"]),
        (["resume", "nowhere"], ["RUN = 'nowhere'", "journal.jsonl"]),
        (["report", "."], ["RUN = '.'", "journal.jsonl"]),
        (["verify", "bots.py"], ["RUN = 'bots.py'", "journal.jsonl"]),
        (["doctor", "nowhere.yaml"], ["nowhere.yaml", "No such file"]),
    ],
    ids=lambda value: " ".join(value) if value and value[0][:2] in ("--", "re", "ve", "va") else "",
)
def test_a_mistake_on_the_command_line_is_one_clear_line(here, arguments, said):
    quiet = [] if arguments[0] in ("doctor", "report", "verify") else ["--quiet"]
    one_clear_line(quick(*arguments, *quiet), *said)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("twice.yaml", "participants: [{id: a, type: random}, {id: a, type: tight}]", ["participants = 'a'", "twice"]),
        ("one.yaml", "participants: [{id: a, type: random}]", ["participants", "at least 2"]),
        ("none.json", '{"participants": []}', ["participants", "at least 2"]),
        (
            "type.yaml",
            "participants: [{id: a, type: randm}, {id: b, type: tight}]",
            ["'randm'", "did you mean 'random'?"],
        ),
        ("no_type.yaml", "participants: [{id: a}, {id: b, type: tight}]", ["participants.0.type", "no default"]),
        ("broken.yaml", "game: {stack: 5\nseeds: 3\n", ["broken.yaml", "YAML", "line 2"]),
        ("tab.yaml", "game:\n\tstack: 5\n", ["tab.yaml", "YAML", "line 2"]),
        ("broken.json", '{"game": {"stack": 5,}}', ["broken.json", "JSON", "line 1"]),
        ("empty.json", "", ["empty.json", "JSON"]),
        ("list.json", "[1, 2]", ["list.json", "list"]),
        ("text.yaml", "hello", ["text.yaml", "str"]),
        ("wrong.json", '{"game": {"handsPerGame": "fifty"}}', ["game.handsPerGame = 'fifty'", "integer"]),
        ("section.json", '{"game": 5}', ["game = 5"]),
        ("negative.yaml", "game: {ante: -5}", ["game.ante = -5"]),
        ("unknown.yaml", TWO + "gamee: {stack: 5}", ["gamee", "did you mean 'game'?"]),
        ("deep.yaml", "stop: {budget: {maxMatch: 3}}", ["stop.budget.maxMatch", "did you mean 'maxMatches'?"]),
        ("person.yaml", "participants: [{id: a, typ: random}, {id: b, type: tight}]", ["participants.0.typ"]),
        ("taken.yaml", "outputDir: bots.py", ["outputDir", "can be written"]),
        ("params.yaml", "participants: [{id: a, type: random, params: {x: 1}}, {id: b, type: tight}]", ["params", "x"]),
        ("seeds.yaml", "seeds: {file: nowhere.txt}", ["seeds.file", "nowhere.txt", "No such file"]),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value and " " not in value else "",
)
def test_a_mistake_in_a_config_file_is_one_clear_line(here, name, text, said):
    (here / name).write_text(text)
    one_clear_line(quick("--config", name, "--quiet"), *said)


def test_a_config_file_that_is_not_there_is_one_clear_line(here):
    one_clear_line(quick("--config", "nowhere.yaml"), "nowhere.yaml", "No such file")


def test_a_config_file_that_is_not_text_is_one_clear_line(here):
    (here / "photo.yaml").write_bytes(b"\xff\xd8\xff\xe0")
    one_clear_line(quick("--config", "photo.yaml"), "photo.yaml", "UTF-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one seed"),
        ("\n\n", "at least one seed"),
        ("[]", "at least one seed"),
        ("a\nb\na\nc", "seed 3, 'a', was there before"),
        ("[1, 2, 1]", "seed 3, 1, was there before"),
        ("a", "at least 2 seeds for one match, and it has 1"),
        ("[1, 2", "a JSON list (line 1"),
        ("[1, null]", "seed 2"),
    ],
    ids=["empty", "blank", "empty list", "twice", "twice in JSON", "too short", "broken JSON", "null"],
)
def test_a_seed_file_that_will_not_do_is_one_clear_line(here, text, said):
    (here / "seeds.txt").write_text(text)
    one_clear_line(quick(*SMALL, "--seeds-file", "seeds.txt"), "seeds.file", said)


def test_seeds_that_run_out_are_a_reason_to_stop_and_no_error(here):
    (here / "seeds.txt").write_text("\n".join("abcde"))
    folder = quick_run("out", *SMALL, "--seeds-file", "seeds.txt")
    summary = read(folder, "summary.json")
    assert "seed file is exhausted" in summary["stopReason"]
    assert summary["totals"]["matches"] == 2
    assert read(folder, "seeds.json") == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--handz", "5"],
        ["--hands", "many"],
        ["--games-at-once", "0"],
        ["--confidence", "95"],
        ["--confidence", "-0.1"],
        ["rum"],
        ["resume"],
        ["--participants"],
        ["run", "bench.yaml", "surplus"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2_without_a_traceback(here, arguments):
    done = quick(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_near_miss_flag_gets_a_suggestion(here):
    assert "--hands" in quick("--handz", "5").stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--participants", "random,tihgt"],
        ["--participants", "random,bots.py:make_trouble"],
        ["--seeds-file", "nowhere.txt"],
        ["--hands", "-1"],
    ],
    ids=" ".join,
)
def test_a_run_that_cannot_start_leaves_nothing_behind(here, arguments):
    quick(*arguments, "--output-dir", "out")
    assert not [*here.glob("out/*")]


def test_an_unknown_type_is_found_by_validate(here):
    (here / "config.yaml").write_text("participants: [{id: a, type: randm}, {id: b, type: tight}]")
    one_clear_line(quick("doctor", "config.yaml"), "'randm'", "did you mean 'random'?")


def test_flags_win_over_a_file_that_is_written_in_snake_case(here):
    (here / "config.yaml").write_text("seeds: {per_match: 3}\ngame: {hands_per_game: 4}\n")
    folder = quick_run("out", "--config", "config.yaml", "--seeds", "2", "--max-matches", "1")
    config = read(folder, "config.json")
    assert config["seeds"]["perMatch"] == 2
    assert config["game"]["handsPerGame"] == 4


def test_debug_is_taken_before_the_flags_of_a_run(here):
    done = quick("--debug", *SMALL, "--output-dir", "out")
    assert done.returncode == 0, done.stderr


def test_debug_shows_the_traceback(here):
    done = quick("--debug", "run", "--hands", "0")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_an_empty_file_is_valid(here):
    (here / "empty.yaml").write_text("")
    assert "valid" in quick("doctor", "empty.yaml").stdout


def test_a_saved_config_is_valid(here):
    folder = quick_run("out", *SMALL)
    assert quick("doctor", folder / "config.json").returncode == 0
    assert json.loads((folder / "config.json").read_text())["game"]["handsPerGame"] == 5
