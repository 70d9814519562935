"""A run says which kinds of decisions cost the user's own agent most, by the reference, if that is installed."""

import re

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game, run_benchmark
from molt_bench.plugins.reference.losing import costly_kinds, why_they_lose
from molt_bench.report.dealt_hands import hands_of
from molt_bench.report.rows import Rows
from molt_bench.runs.journal import Journal
from molt_bench.runs.journal_lines import Game
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from tests.e2e.shell import SMALL, quick

CALLS_ALL = """
from molt_bench import Action

class Bot:
    name = "bot"
    def act(self, seen):
        return Action("{way}") if seen.to_call else Action("check")
"""


def hands_with(bot, hands=60):
    record = play_game((bot, make_agent("maniac")), seed="losing", hands=hands)
    return [*hands_of(Game(1, record))]


def test_whoever_always_calls_calls_too_much_and_whoever_always_folds_folds_too_much():
    for name, said in (("callstation", "calls too much"), ("folder", "folds too much")):
        found = costly_kinds(hands_with(make_agent(ParticipantSpec(id="bot", type=name))), "bot")
        assert next(iter(found)).startswith(said)
        assert all(lost > 0 for lost in found.values())


@pytest.fixture
def lost(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(CALLS_ALL.format(way="fold"))
    quiet = {"seeds": {"perMatch": 2}, "game": {"handsPerGame": 10}, "stop": {"budget": {"maxMatches": 1}}}
    journal = Journal("journal.jsonl")
    result = run_benchmark({"participants": ["bot.py:Bot", "maniac"], **quiet}, files=RunFiles(journal))
    journal.close()
    return Rows(result), Run.open(".").games


def test_only_the_own_agent_that_loses_is_told_of(lost):
    (line,) = why_they_lose(*lost)
    said = r"What cost bot most, in bb/100 by the values of blueprint in \d+ of its hands: folds too much \(.*\) [\d.]+"
    assert re.match(said, line)


def test_run_says_it_unless_it_is_quiet(tmp_path):
    (tmp_path / "bot.py").write_text(CALLS_ALL.format(way="fold"))
    run = ("--participants", "bot.py:Bot,maniac", *SMALL)
    assert "What cost bot most" in quick(*run, cwd=tmp_path).stdout
    assert "What cost" not in quick(*run, "--quiet", cwd=tmp_path).stdout
