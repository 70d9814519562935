"""A run that was played on another machine is verified here, with its files in another place."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from molt_bench.runs.moved_files import moved_path
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
    (folder / "bots").mkdir(parents=True)
    (folder / "mine.py").write_text(BOTS)
    (folder / "beside.py").write_text(BOTS)
    shutil.copy(EXAMPLES / "bot.py", folder / "bots" / "bot.py")
    (folder / "seeds.txt").write_text("".join(f"seed {number}\n" for number in range(20)))
    return folder


class Moved:
    """A run whose start folder is gone, and a folder with its files elsewhere."""

    def __init__(self, tmp_path, participants, seeds="seeds.txt", **more):
        home = fill(tmp_path / "home" / "me")
        here = str(home)
        config = {
            **SHAPE,
            "participants": [json.loads(json.dumps(each).replace("HOME", here)) for each in participants],
            "seeds": {"perMatch": 2, "file": seeds.replace("HOME", here)},
            **more,
        }
        (home / "bench.json").write_text(json.dumps(config))
        done = quick("--config", "bench.json", "--output-dir", "out", "--quiet", cwd=home)
        assert done.returncode == 0, done.stderr
        self.run = tmp_path / "there" / "run"
        shutil.copytree(run_of(home / "out"), self.run)
        shutil.rmtree(home)
        self.files = fill(tmp_path / "there" / "files")
        self.here = tmp_path / "nowhere"
        self.here.mkdir()

    def forgets_answers(self):
        """Make it a run of a version that did not record the answers of programs: they have to play again."""
        (self.run / "answers.jsonl").unlink(missing_ok=True)
        lines = lines_of(self.run, "journal.jsonl")
        lines[-1]["vouched"].pop("answers.jsonl", None)
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
def test_a_run_is_verified_with_its_files_elsewhere(tmp_path, participants, seeds):
    moved = Moved(tmp_path, participants, seeds)
    before = everything(moved.run)
    done = moved.does("verify", "--root", "../there/files", "--run-agents")
    assert done.returncode == 0, done.stderr
    assert "games are identical" in done.stdout
    assert everything(moved.run) == before


@pytest.mark.slow
def test_other_absolute_paths_are_found_by_their_names(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "mine.py").write_text(BOTS)
    moved = Moved(tmp_path, ("tight", f"{tmp_path}/lib/mine.py:make_caller"))
    shutil.rmtree(tmp_path / "lib")
    one_clear_line(moved.does("verify", "--run-agents"), f"{tmp_path}/lib/mine.py", "--root DIR")
    assert moved.does("verify", "--run-agents", "--root", "../there/files").returncode == 0


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
def test_a_file_that_is_missing_is_named_and_so_is_the_way_out(tmp_path, participant, gone):
    moved = Moved(tmp_path / "somewhere far away" / ("deep" * 20), ("tight", participant))
    moved.forgets_answers()
    name = f"{gone} is not there" if "beside" not in gone else "beside:make_picky is not there"
    one_clear_line(moved.does("verify", "--run-agents"), name, "--root DIR")
    (moved.files / gone).unlink()
    one_clear_line(moved.does("verify", "--run-agents", "--root", "../there/files"), name, "--root DIR")
    assert moved.does("verify").returncode == 0, "without it, nothing is needed"


def test_other_code_is_never_run(tmp_path):
    one = {"adjacentConfidence": None, "budget": {"maxMatches": 1}}
    moved = Moved(tmp_path, ("./mine.py:make_caller", "exec:python3 bots/bot.py"), stop=one)
    moved.forgets_answers()
    again = ("--root", moved.files, "--run-agents")
    mine, bot = moved.files / "mine.py", moved.files / "bots" / "bot.py"
    mine.write_text(f"{BOTS}\nopen('ran', 'w')\n")
    one_clear_line(moved.does("verify", *again), "the code of 'mine' has been changed", "not run", "is recorded")
    mine.write_text(BOTS)
    bot.write_text(f"open('ran', 'w')\n{bot.read_text()}")
    one_clear_line(moved.does("verify", *again), "the code of 'bot' has been changed", "not run")
    assert not [*tmp_path.rglob("ran")]
    done = moved.does("verify", "--root", moved.files)
    assert (done.returncode, done.stderr) == (0, ""), "the record is enough"


def test_the_file_of_seeds_is_not_needed(tmp_path):
    moved = Moved(tmp_path, ("tight", "random"), "HOME/seeds.txt")
    seeds = moved.files / "seeds.txt"
    seeds.write_text("a\nb\nc\nd\n")
    assert moved.does("verify", "--root", moved.files).returncode == 0
    seeds.unlink()
    assert moved.does("verify", "--root", moved.files).returncode == 0


def test_a_root_that_is_no_folder_is_one_clear_line(tmp_path):
    moved = Moved(tmp_path, ("tight", "random"))
    for root in ("nowhere", "../there/files/mine.py"):
        one_clear_line(moved.does("verify", "--root", root), "--root", "a folder that is there")


def test_where_a_path_leads(tmp_path):
    root, old = tmp_path / "new", tmp_path / "old"
    (root / "deep").mkdir(parents=True)
    old.mkdir()
    (root / "deep" / "bot").touch()
    (old / "kept").touch()
    elsewhere = tmp_path / "elsewhere"
    for path, found in (
        ("deep/bot", "deep/bot"),
        (f"{old}/deep/bot", f"{root}/deep/bot"),
        (f"{old}/deep/../deep/bot", f"{root}/deep/bot"),
        (f"{old}/kept", f"{old}/kept"),
        (f"{old}/gone", f"{root}/gone"),
        (f"{elsewhere}/bot", f"{root}/bot"),
        (sys.executable, sys.executable),
    ):
        assert moved_path(path, str(old), root) == found


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
