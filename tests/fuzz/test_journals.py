"""Damaged journals: every command that reads a run reads it, or refuses it in one line."""

import shutil

import pytest

from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.publish import html_file
from tests.e2e.shell import quick_run
from tests.fuzz.mutations import odd_lines
from tests.fuzz.oracle import ended_well, raises_ours_alone
from tests.viewing import told

ALL = 200
BATCH = 2
SETS = [
    ("--participants", "random,tight"),
    ("--participants", "random,maniac,tag", "--set", "game.stacks=carry", "--set", "game.warmupHands=2"),
    ("--participants", "shover,callstation", "--set", "rating.updatePer=seedPair", "--set", "game.stack=2000"),
]
SMALL = ("--quiet", "--executor", "inline", "--seeds", "2", "--hands", "5", "--max-matches", "3")
FORMATS = ("phh", "csv")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs that came to their end, the same ones cut off in the middle, and a config to plan with."""
    folder = tmp_path_factory.mktemp("runs")
    found = []
    for number, settings in enumerate(SETS):
        run = quick_run(folder / f"whole-{number}", *SMALL, *settings)
        cut = folder / f"cut-{number}"
        shutil.copytree(run, cut)
        lines = (cut / "journal.jsonl").read_bytes().splitlines(keepends=True)
        (cut / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) * 2 // 3]))
        found += [run, cut]
    (folder / "config.yaml").write_text("participants: [random, tight]\n")
    return found, folder / "config.yaml"


def commands(run, good, config, folder):
    """Return every command that reads a run."""
    return [
        ["report", run],
        ["report", run, "--json"],
        ["export", run, "--format", "html", "--output", folder / "page.html"],
        ["verify", run],
        ["grade", run],
        ["compare", run, good],
        ["compare", good, run, "--json"],
        ["plan", config, "--pilot", run],
        *(["export", run, "--format", form, "--output", folder / "out"] for form in FORMATS),
        ["export", run, "--format", "csv", "--output", "-"],
        None,  # the viewer
        ["resume", run, "--quiet", "--executor", "inline"],  # the last, since it writes
    ]


def looked_at(run):
    """Ask the viewer for every page of a run."""
    told(run)
    html_file(OpenRun.open(run))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, ALL, BATCH))
def test_no_journal_breaks_any_command(runs, tmp_path, first):
    for number in range(first, first + BATCH):
        check(runs, tmp_path, number)


def check(runs, folder, number):
    good_ones, config = runs
    good = good_ones[number % len(good_ones)]
    run = folder / f"run-{number}"
    shutil.copytree(good, run)
    journal = run / "journal.jsonl"
    journal.write_bytes(odd_lines(journal.read_bytes(), number))
    about = f"journal {number} of {good.name}"
    for command in commands(run, good, config, folder):
        if command is None:
            raises_ours_alone(lambda: looked_at(run), about)
        else:
            ended_well(*command, about=about)
