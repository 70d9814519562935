"""Sandboxes from the command line: who gets one, and what is said on a machine that has none."""

import sys
from pathlib import Path

import pytest

from molt_bench.agents.external import box
from tests.agents.external.boxes import needs_bubblewrap
from tests.e2e.shell import (
    SEEDED,
    SMALL,
    cut_back,
    first_lines,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    results,
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
    done = quick(*SMALL, *BOT, "--output-dir", tmp_path / "out", "--quiet")
    (run,) = (tmp_path / "out").iterdir()
    assert done.returncode == 0, done.stderr
    assert f"bot without a sandbox, since {MISSING}: can read your files, and so the cards" in done.stderr
    assert "Not in a sandbox: bot." in done.stdout
    assert boxes(run) == {"bot": "none"}


def test_who_asks_for_a_sandbox_gets_one_or_no_game(tmp_path, without_boxes):
    for who in (BOT, FILE):
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
    run = quick_run(tmp_path / "in", *SMALL, *SEEDED, *FILE, "--quiet", "--sandbox")
    assert boxes(run)["cautious"].startswith("bubblewrap ")
    other = quick_run(tmp_path / "out", *SMALL, *SEEDED, *FILE, "--quiet")
    games = [
        {str(line["record"]["spec"]): line["record"] for line in lines_of(each, "journal.jsonl") if "record" in line}
        for each in (run, other)
    ]
    assert games[0] == games[1]
    before = results(run)
    verified = quick("verify", run, "--run-agents")
    assert verified.returncode == 0, verified.stderr
    assert "played again: cautious, tight" in verified.stdout or "identical" in verified.stdout
    assert results(run) == before


@needs_bubblewrap
@pytest.mark.slow
def test_the_flag_is_for_all_whatever_the_config_says(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(f"participants:\n  - {{id: bot, type: '{BOT[1].split(',')[0]}', sandbox: 'off'}}\n  - tight\n")
    for flags, label in (((), "none"), (("--sandbox",), "bubblewrap")):
        run = quick_run(tmp_path / label, "--config", config, *SMALL, *flags, "--quiet")
        assert boxes(run)["bot"].startswith(label)
