"""Sandboxes from the command line: who gets one, by every command that makes agents, and where there is none."""

import json
import sys
from pathlib import Path

import pytest

from molt_bench.agents.external import box
from tests.agents.external.boxes import needs_bubblewrap
from tests.e2e.live import Poller, Served, live_config
from tests.e2e.shell import (
    SEEDED,
    SMALL,
    configured_run,
    cut_back,
    faults_in,
    first_lines,
    gone_on,
    good,
    one_clear_line,
    quick,
    quick_run,
    read,
    records_in,
    results,
    run_of,
    verified,
)

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
BOT = ("--participants", f"exec:{sys.executable} {EXAMPLES / 'bots' / 'bot.py'},tight")
FILE = ("--participants", f"{EXAMPLES / 'cautious.py'}:Cautious,tight")
MISSING = "bubblewrap is not installed (Debian: apt install bubblewrap)"


@pytest.fixture
def without_boxes(monkeypatch):
    """Be on a machine without bubblewrap."""
    monkeypatch.setattr(box, "bubblewrap", lambda: MISSING)


def boxes(run):
    return {row["id"]: row["sandbox"] for row in read(run, "leaderboard.json")["participants"] if "sandbox" in row}


def test_without_bubblewrap_a_program_plays_and_one_line_says_what_is_missing(tmp_path, without_boxes):
    done = good(quick(*SMALL, *BOT, "--output-dir", tmp_path, "--quiet"))
    assert f"bot without a sandbox, since {MISSING}: can read your files, and so the cards" in done.stderr
    assert boxes(run_of(tmp_path)) == {"bot": "none"}


@pytest.mark.parametrize("who", [BOT, FILE])
def test_who_asks_for_a_sandbox_gets_one_or_no_game(tmp_path, without_boxes, who):
    done = quick(*SMALL, *who, "--sandbox", "--output-dir", tmp_path / "out")
    one_clear_line(done, f"sandbox = 'required': expected a machine that can make one: {MISSING}")


@needs_bubblewrap
@pytest.mark.slow
def test_whoever_began_in_a_sandbox_does_not_go_on_without(tmp_path, monkeypatch):
    run = quick_run(tmp_path / "out", *SMALL, *SEEDED, *BOT, "--quiet")
    cut_back(run, first_lines(4))
    monkeypatch.setattr(box, "bubblewrap", lambda: MISSING)
    one_clear_line(quick("resume", run, "--run-agents"), f"a machine that can make one: {MISSING}")
    again = quick("run", *SMALL, *SEEDED, *BOT, "--output-dir", tmp_path / "out", "--resume")
    one_clear_line(again, "'bot' began in a sandbox (bubblewrap ")


@needs_bubblewrap
@pytest.mark.slow
def test_an_untrusted_file_plays_the_same_games_in_a_sandbox(tmp_path):
    run, other = (
        quick_run(tmp_path / str(len(more)), *SMALL, *SEEDED, *FILE, "--quiet", *more) for more in (["--sandbox"], [])
    )
    assert boxes(run)["cautious"].startswith("bubblewrap ")
    games = [{str(each["spec"]): each for each in records_in(folder)} for folder in (run, other)]
    assert games[0] == games[1]
    before = results(run)
    verified(run, "--run-agents")
    assert results(run) == before


@needs_bubblewrap
@pytest.mark.slow
def test_the_flag_is_for_all_whatever_the_config_says(tmp_path):
    config = {"participants": [{"id": "bot", "type": BOT[1].split(",")[0], "sandbox": "off"}, "tight"]}
    for flags, label in (((), "none"), (("--sandbox",), "bubblewrap")):
        assert boxes(configured_run(tmp_path / label, config, *SMALL, *flags))["bot"].startswith(label)


#: Ends, with a line that says why, wherever it can see a file of the user that is not its own.
WARY = """
import os, runpy, sys

def look():
    if os.path.exists({outside!r}):
        raise RuntimeError("not in a sandbox")

if __name__ == "__main__":
    look()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
"""
WARY_FILE = """
from molt_bench import make_agent
from wary import look

def make():
    look()
    return make_agent("callstation")
"""


@needs_bubblewrap
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["exec", "file"])
class TestEveryCommandThatMakesAgents:
    """It plays bots of each kind in a sandbox: these play in no other place."""

    @pytest.fixture
    def bot(self, kind, tmp_path):
        folder, outside = tmp_path / "bots", tmp_path / "outside"
        folder.mkdir()
        outside.write_text("of the user")
        (folder / "wary.py").write_text(WARY.format(outside=str(outside)))
        (folder / "bot.py").write_text(WARY_FILE)
        program = f"{sys.executable} {folder / 'wary.py'} {EXAMPLES / 'bots'}"
        return {"exec": f"exec:{program}/bot.py", "file": f"{folder}/bot.py:make"}[kind]

    @pytest.fixture
    def boxed(self, kind):
        """Return the flag that is needed for it to play in a sandbox: none for a program."""
        return ["--sandbox"] if kind == "file" else []

    @pytest.fixture
    def mine(self, bot, boxed):
        """Return the participant of a config, with the same as a setting."""
        return {"id": "bot", "type": bot, **({"sandbox": "required"} if boxed else {})}

    def test_without_one_it_cannot_play(self, bot):
        """So that the other tests show something."""
        for command in (["run", *SMALL, "--participants", f"{bot},tight"], ["check", bot, "--hands", "1"]):
            done = quick(*command, "--no-sandbox")
            assert "not in a sandbox" in done.stdout + done.stderr, (done.stdout, done.stderr)

    def test_run_in_workers_verify_and_resume_and_check(self, bot, boxed, tmp_path):
        flags = ("run", *SMALL, *SEEDED, "--participants", f"{bot},tight", *boxed)
        for workers in (1, 2):
            run = quick_run(tmp_path / str(workers), *flags, "--workers", workers)
            assert faults_in(run) == []
        verified(run, "--run-agents")
        cut_back(run, first_lines(4))
        assert faults_in(gone_on(run)) == []
        good(quick("check", bot, "--hands", "2", *boxed))

    def test_serve_and_join(self, bot, boxed, mine, tmp_path):
        """The server plays it against a live agent, and so does whoever joins another server with it."""
        for name, opponent in (("ours", mine), ("theirs", {"id": "tight", "type": "tight"})):
            (tmp_path / name).mkdir()
            served = Served(live_config(tmp_path / name, "live", opponent, game={"handsPerGame": 2}), "--port", "0")
            (url,) = served.invitations(1)
            if name == "ours":
                Poller(url).done()
            else:
                good(quick("join", url, "--agent", bot, *boxed))
            assert served.ended() == 0, served.err
            assert faults_in(run_of(tmp_path / name / "runs")) == []

    def test_the_two_runs_of_a_comparison(self, mine, tmp_path):
        (tmp_path / "bench.json").write_text(json.dumps({"participants": [mine, "tight"]}))
        flags = ("run", tmp_path / "bench.json", *SMALL, *SEEDED)
        runs = [quick_run(tmp_path / name, *flags) for name in ("base", "head")]
        assert [faults_in(run) for run in runs] == [[], []]
        good(quick("compare", *runs))
