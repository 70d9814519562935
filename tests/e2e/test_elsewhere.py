"""A run whose folder was moved, as to another machine, is verified there."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.e2e.shell import (
    BOTS,
    SEEDED,
    SMALL,
    everything,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    rechained,
    run_of,
)

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "bots"
SHAPE = {"stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3}}, "game": {"handsPerGame": 4}}


def fill(folder):
    """Put the files that a run names into a folder."""
    (folder / "bots").mkdir(parents=True, exist_ok=True)
    (folder / "mine.py").write_text(BOTS)
    (folder / "beside.py").write_text(BOTS)
    shutil.copy(EXAMPLES / "bot.py", folder / "bots" / "bot.py")
    (folder / "seeds.txt").write_text("".join(f"seed {number}\n" for number in range(20)))
    return folder


class Moved:
    """A run whose folder is elsewhere now, and whose start folder is gone."""

    def __init__(self, tmp_path, participants, seeds="seeds.txt", **more):
        self.home = fill(tmp_path / "home" / "me")
        here = str(self.home)
        config = {
            **SHAPE,
            "participants": [json.loads(json.dumps(each).replace("HOME", here)) for each in participants],
            "seeds": {"perMatch": 2, "file": seeds.replace("HOME", here)},
            **more,
        }
        (self.home / "bench.json").write_text(json.dumps(config))
        done = quick("--config", "bench.json", "--output-dir", "out", "--quiet", cwd=self.home)
        assert done.returncode == 0, done.stderr
        self.run = tmp_path / "there" / "run"
        shutil.copytree(run_of(self.home / "out"), self.run)
        shutil.rmtree(self.home)
        self.here = tmp_path / "nowhere"
        self.here.mkdir()

    def forgets_answers(self):
        """Take away the answers of programs: they have to play again."""
        (self.run / "replies.jsonl").unlink(missing_ok=True)
        lines = lines_of(self.run, "journal.jsonl")
        lines[-1].pop("repliesHash", None)
        (self.run / "journal.jsonl").write_bytes(rechained(lines))
        (self.run / "summary.json").unlink()
        assert quick("report", self.run, "--quiet").returncode == 0

    def does(self, command, *more):
        return quick(command, "../there/run", *more, cwd=self.here)


RELATIVE = ("tight", "./mine.py:make_caller", "beside:make_picky", "exec:python3 bots/bot.py")
ABSOLUTE = (
    "tight",
    "HOME/mine.py:make_caller",
    {"id": "bot", "type": "exec", "command": [sys.executable, "HOME/bots/bot.py", "--home=HOME/bots"]},
)


@pytest.mark.parametrize(
    ("participants", "seeds"),
    [(RELATIVE, "seeds.txt"), (ABSOLUTE, "HOME/seeds.txt")],
    ids=["relative paths", "absolute paths"],
)
@pytest.mark.slow
def test_a_run_is_verified_without_its_files_and_its_agents_play_again_where_they_are(tmp_path, participants, seeds):
    moved = Moved(tmp_path, participants, seeds)
    before = everything(moved.run)
    done = moved.does("verify")
    assert (done.returncode, done.stderr) == (0, ""), "the record is enough"
    fill(moved.home)
    done = moved.does("verify", "--run-agents")
    assert done.returncode == 0, done.stderr
    assert "games are identical" in done.stdout
    assert everything(moved.run) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("participant", "gone"),
    [
        ("./mine.py:make_caller", "mine.py"),
        ("HOME/mine.py:make_caller", "mine.py"),
        ("beside:make_picky", "beside.py"),
        ("exec:python3 bots/bot.py", "bots/bot.py"),
        ({"id": "bot", "type": "exec", "command": [sys.executable, "HOME/bots/bot.py"]}, "bots/bot.py"),
    ],
    ids=["file", "absolute file", "module", "program", "absolute program"],
)
def test_a_file_that_is_missing_is_named(tmp_path, participant, gone):
    moved = Moved(tmp_path / "somewhere far away" / ("deep" * 20), ("tight", participant))
    moved.forgets_answers()
    fill(moved.home)
    (moved.home / gone).unlink()
    said = [gone, "its code is not there"] if gone == "mine.py" else ["beside:make_picky", "its code is not there"]
    said = ["the code of 'bot' has been changed since the run began"] if "bot" in gone else said
    one_clear_line(moved.does("verify", "--run-agents"), *said)
    assert moved.does("verify").returncode == 0, "without it, nothing is needed"


def test_other_code_is_never_run(tmp_path):
    one = {"adjacentConfidence": None, "budget": {"maxMatches": 1}}
    moved = Moved(tmp_path, ("./mine.py:make_caller", "exec:python3 bots/bot.py"), stop=one)
    moved.forgets_answers()
    fill(moved.home)
    mine, bot = moved.home / "mine.py", moved.home / "bots" / "bot.py"
    mine.write_text(f"{BOTS}\nopen('ran', 'w')\n")
    changed = "the code of 'mine' has been changed"
    one_clear_line(moved.does("verify", "--run-agents"), changed, "not run", "is recorded")
    mine.write_text(BOTS)
    bot.write_text(f"open('ran', 'w')\n{bot.read_text()}")
    one_clear_line(moved.does("verify", "--run-agents"), "the code of 'bot' has been changed", "not run")
    assert not [*tmp_path.rglob("ran")]
    done = moved.does("verify")
    assert (done.returncode, done.stderr) == (0, ""), "the record is enough"


def test_the_file_of_seeds_is_not_needed(tmp_path):
    moved = Moved(tmp_path, ("tight", "random"), "HOME/seeds.txt")
    assert moved.does("verify").returncode == 0
    fill(moved.home)
    (moved.home / "seeds.txt").write_text("a\nb\nc\nd\n")
    assert moved.does("verify").returncode == 0


READER = """
from molt_bench import Action

class Reader:
    name = "reader"
    def act(self, observation):
        import helper
        kind = open("kind.txt").read().strip() if helper.READS else "fold"
        legal = observation.legal
        return Action("fold") if kind == "fold" else Action("call") if legal.to_call else Action("check")
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", [("verify",), ("resume", "--max-matches", "4")])
def test_an_agent_that_reads_files_beside_it_plays_the_same_from_another_folder(tmp_path, command):
    home, other = tmp_path / "home", tmp_path / "other"
    for folder, reads in ((home, True), (other, False)):
        folder.mkdir()
        (folder / "helper.py").write_text(f"READS = {reads}\n")
    (home / "reader.py").write_text(READER)
    (home / "kind.txt").write_text("call\n")
    flags = (*SMALL, *SEEDED, "--participants", "reader.py:Reader,tight", "--executor", "inline")
    run = quick_run(home / "out", *flags, cwd=home)
    done = quick(command[0], run, "--run-agents", "--quiet", *command[1:], cwd=other)
    assert done.returncode == 0, done.stderr
    assert not any(line.get("record", {}).get("faults") for line in lines_of(run, "journal.jsonl"))
    assert quick("verify", run, cwd=home).returncode == 0
