"""Mistakes: one clear line that says what would have worked, the right status, and nothing is left behind."""

import ctypes
import json
import os
import shutil
import sys
from itertools import product

import pytest

from molt_bench.cli import main
from tests.cases import one_in
from tests.e2e.shell import BOTS, SMALL, good, one_clear_line, quick, quick_run, read

LINEUP = "tag,maniac,tight"
CONFIG = {"participants": [{"id": "a", "type": "random"}, {"id": "b", "type": "tight"}]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in a folder with agents and configs that will not do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots.py").write_text(BOTS)
    (tmp_path / "broken.yaml").write_text("game: {stack: 5\nseeds: 3\n")
    (tmp_path / "tab.yaml").write_text("game:\n\tstack: 5\n")
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "text.yaml").write_text("hello")
    (tmp_path / "photo.yaml").write_bytes(b"\xff\xd8\xff\xe0")
    (tmp_path / "gamee.json").write_text(json.dumps({**CONFIG, "gamee": {}}))
    (tmp_path / "params.json").write_text(
        json.dumps({"participants": [{"id": "a", "type": "random", "params": {"x": 1}}, "tight"]})
    )
    (tmp_path / "picky.json").write_text(
        json.dumps({"participants": [{"id": "mine", "type": "bots.py:make_picky", "params": {"sise": 3}}, "tight"]})
    )
    return tmp_path


#: Who plays against `random`, and what is said.
PLAYERS = {
    "": ["participants", "commas"],
    "tihgt": ["'tihgt'", "did you mean 'tight'?"],
    "bots.py:make_trouble": ["'bots'", "ValueError: no licence"],
    "bots.py:make_long_trouble": ["'bots'", "no licence"],
    "bots.py:make_nothing": ["'bots'", "not an agent"],
    "bots.py:make_class": ["'bots'", "not an agent"],
    "bots.py:not_callable": ["bots.py:not_callable", "a factory"],
    "bots.py:nobody": ["bots.py:nobody", "nobody"],
    "nowhere.py:make": ["nowhere.py:make", "No such file"],
    "no_such_module:make": ["no_such_module:make", "No module named"],
    "exec:./nothing": ["participants.nothing.command = './nothing': expected a program that is there"],
    "human": ["participants.human.type = 'human': expected a terminal"],
    "human,human": ["participants = 'human-2': expected one human at most, since there is one terminal"],
}
#: What is typed, and what is said.
MISTAKES = {
    "--set game.stack": ["--set", "field=value"],
    "--set game.stack=[1": ["--set", "YAML"],
    "--set game.stakc=300": ["game.stakc", "did you mean 'stack'?"],
    "--set game.stack=lots": ["game.stack = 'lots'", "integer"],
    "--set game.smallBlind=500": ["smallBlind"],
    "--hands 0": ["game.handsPerGame = 0", "greater than or equal to 1"],
    "--max-matches -1": ["stop.budget.maxMatches = -1"],
    "--seeds-file nowhere.txt": ["seeds.file", "No such file"],
    "--output-dir bots.py/deeper/still": ["outputDir", "a folder that can be written"],
    "--output-dir /proc/nowhere": ["outputDir", "a folder that can be written"],
    "--workers 2 --executor inline": ["workers = 2: expected none, since inline has no processes"],
    "--scheduler gauntlet --set stop.adjacentConfidence.method=openskill": ["method = 'openskill'", "margin"],
    "--set stop.budget=null --set stop.adjacentConfidence=null": ["stop", "never end"],
    "broken.yaml": ["broken.yaml", "YAML", "line 2"],
    "tab.yaml": ["tab.yaml", "YAML", "line 2"],
    "empty.json": ["empty.json", "JSON"],
    "text.yaml": ["text.yaml", "str"],
    "photo.yaml": ["photo.yaml", "UTF-8"],
    "gamee.json": ["gamee", "did you mean 'game'?"],
    "params.json": ["params", "x"],
    "picky.json": ["'mine'", "sise"],
    "doctor nowhere.yaml": ["nowhere.yaml", "No such file"],
    "doctor gamee.json": ["gamee", "did you mean 'game'?"],
    "plan none.yaml": ["none.yaml"],
    "plan gamee.json --pilot .": ["gamee"],
    "gate nobody --against tag": ["nobody"],
    "gate tag --against tag --opponents tag,,maniac": ["names with commas between"],
    "gate tag --against tag --set stop.adjacentConfidence.tieMarginMbb=0": ["tieMarginMbb"],
    "check tigt": ["did you mean 'tight'?"],
    "check bots.py:make_trouble": ["its factory raised ValueError: no licence"],
    "check bots.py:make_nothing": ["which is not an agent"],
    "check missing.py:make": ["missing.py:make"],
    "check exec:./no-such-program": ["no-such-program"],
    "check http:nowhere": ["a URL such as"],
    "check human": ["AGENT = 'human': expected an agent that answers by itself"],
    "check random --param sed=3": ["expected what 'random' takes: name"],
    "\udcff.yaml": ["\\udcff"],
    "report \udcff": ["\\udcff"],
}


CASES = {f"--participants random,{player}": said for player, said in PLAYERS.items()} | MISTAKES


@pytest.mark.parametrize("typed", CASES)
def test_a_mistake_is_one_clear_line_and_leaves_no_file_behind(here, typed):
    before = {*here.rglob("*")}
    one_clear_line(quick(*typed.split(), *(["--quiet"] if typed.startswith("-") else [])), *CASES[typed])
    left = [path for path in here.rglob("*") if path not in before and path.suffix != ".pyc"]
    assert [path for path in left if path.is_file()] == []


@pytest.mark.parametrize("flags", [(), ("--games-at-once", "8")])
def test_a_factory_that_fails_in_the_middle_of_a_run_is_one_clear_line(here, flags):
    one_clear_line(quick("--participants", "random,bots.py:make_a_few", "--quiet", *flags), "'bots'", "out of agents")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--handz", "5"],
        ["--games-at-once", "0"],
        ["--confidence", "-0.1"],
        ["--executor", "threads"],
        ["--participants"],
        ["--master-seed", "a", "--master-seed-file", "seed"],
        *(["--participants", "tight,random", "--fail-on-faults", share] for share in ("1.1", "-0.1", "nan", "many")),
        ["rum"],
        ["resume"],
        ["compare", "run"],
        *(["compare", "run", "run", "--margin", margin] for margin in ("nan", "-1", "many")),
        *(["compare", "run", "run", "--confidence", share] for share in ("1", "95")),
        ["plan", "--participants", LINEUP, "--confidence", "2"],
        ["export", "run"],
        ["export", "run", "--format", "xml"],
        ["export", "run", "--format", "csv", "--deals", "-1"],
        ["check"],
        ["check", "tight", "--hands", "0"],
        ["check", "tight", "--param", "x"],
        ["check", "tight", "--no"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2_without_a_traceback(here, arguments):
    done = quick(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n\n", "at least one seed"),
        ("a\nb\na\nc", "seed 3, 'a', was there before"),
        ("a", "at least 2 seeds for one match, and it has 1"),
        ("[1, 2", "a JSON list (line 1"),
    ],
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


def test_debug_shows_the_traceback_before_and_after_the_command(here):
    for words in (["--debug", "run", "--hands", "0"], ["--debug", "--hands", "0"]):
        done = quick(*words)
        assert (done.returncode, "Traceback" in done.stderr) == (1, True)


def test_an_empty_and_a_saved_config_are_valid(here, finished):
    (here / "empty.yaml").write_text("")
    assert "valid" in good(quick("doctor", "empty.yaml")).stdout
    good(quick("doctor", finished / "config.json"))


# What is no run, or cannot be read, from every command that takes a run.

READERS = {
    "resume": ("resume", "RUN"),
    "report": ("report", "RUN"),
    "verify": ("verify", "RUN"),
    "grade": ("grade", "RUN"),
    "export": ("export", "RUN", "--format", "csv"),
    "export html": ("export", "RUN", "--format", "html", "--output", "page.html"),
    "compare": ("compare", "RUN", "RUN"),
    "plan": ("plan", "gamee.json", "--pilot", "RUN"),
}
#: The version of Linux' call that sets capabilities.
_CAPABILITIES = 0x20080522


def asked(command, run):
    return quick(*[run if word == "RUN" else word for word in READERS[command]])


@pytest.mark.parametrize(
    ("command", "name"), one_in(3, product(READERS, ["nowhere", "bots.py", "empty", "odd", "n" * 300]))
)
def test_what_is_no_run_is_one_clear_line(here, command, name):
    (here / "gamee.json").write_text(json.dumps(CONFIG))
    (here / "empty").mkdir()
    (here / "odd" / "journal.jsonl").mkdir(parents=True)
    one_clear_line(asked(command, here / name), "RUN = ", "the folder of a run")


def powerless():
    """Be the program without the powers of root, who may read everything."""
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    assert os.geteuid() or not ctypes.CDLL(None).capset(header, none)
    main()


@pytest.mark.skipif(os.geteuid() == 0 and sys.platform != "linux", reason="root may read everything")
@pytest.mark.parametrize(("command", "what"), one_in(3, product(READERS, ["", "journal.jsonl"])))
def test_a_run_that_may_not_be_read_is_one_clear_line(here, finished, monkeypatch, command, what):
    (here / "gamee.json").write_text(json.dumps(CONFIG))
    run = shutil.copytree(finished, here / "run")
    monkeypatch.setattr("tests.e2e.shell.main", powerless)
    (run / what).chmod(0)
    done = asked(command, run)
    (run / what).chmod(0o755)
    one_clear_line(done, "run", "Permission denied")
