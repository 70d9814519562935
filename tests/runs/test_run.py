"""A run on disk, opened from anywhere."""

import os

import pytest
from tests.e2e.shell import SEEDED, SMALL, quick_run

from molt_bench.agents.permission import BUILT_IN, OWN
from molt_bench.errors import ConfigError, JournalError
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles

AGENT = """
from molt_bench import Action

class Caller:
    name = "caller"
    def act(self, observation):
        return Action("check" if observation.legal.can_check else "call")
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return the folder of a run with an agent from a file that the config names by a relative path."""
    home = tmp_path_factory.mktemp("home")
    (home / "caller.py").write_text(AGENT)
    before = os.getcwd()
    os.chdir(home)
    try:
        return quick_run(home / "out", *SMALL, *SEEDED, "--participants", "caller.py:Caller,tight")
    finally:
        os.chdir(before)


def test_it_has_the_config_the_games_and_the_result(run):
    stored = Run.open(run)
    result = stored.result()
    assert [each.id for each in stored.config.participants] == ["caller", "tight"]
    assert len(stored.games) == sum(2 * len(match.seed_results) for match in result.matches)
    assert result.ending == stored.ending is not None


def test_the_folder_of_the_process_is_the_same_before_and_after(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stored = Run.open(run)
    assert os.getcwd() == str(tmp_path)
    stored.result()
    with stored.at_home(BUILT_IN):
        assert os.getcwd() == str(tmp_path)
    with stored.at_home(OWN):
        assert os.getcwd() == str(run.parents[1])
    assert os.getcwd() == str(tmp_path)


def test_a_run_of_built_in_bots_never_changes_the_folder(tmp_path, monkeypatch):
    stored = Run.open(quick_run(tmp_path / "out", *SMALL, "--participants", "tight,random"))
    monkeypatch.chdir(tmp_path / "out")
    with stored.at_home(OWN):
        assert os.getcwd() == str(tmp_path / "out")


def test_the_result_names_files_as_the_user_did(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Run.open(run).result().config.participants[0].type == "caller.py:Caller"


def test_what_is_written_later_is_read_later(run, tmp_path):
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    growing = tmp_path / "growing"
    growing.mkdir()
    journal = growing / "journal.jsonl"
    journal.write_bytes(b"".join(lines[:5]))
    (growing / "master-seed").write_text("unused")
    stored = Run.open(growing)
    assert not stored.follow()
    with journal.open("ab") as file:
        file.write(b"".join(lines[5:7]) + lines[7][:10])
    assert stored.follow()
    assert stored.content.line_count == 7
    with journal.open("ab") as file:
        file.write(lines[7][10:] + b"".join(lines[8:]))
    stored.follow()
    assert stored.ending == Run.open(run).ending


def test_a_journal_that_was_replaced_is_noticed(run, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (other / "journal.jsonl").write_bytes(b"".join(lines[:6]))
    stored = Run.open(other)
    (other / "journal.jsonl").write_bytes(b"".join(lines[:3]))
    with pytest.raises(JournalError, match="replaced"):
        stored.follow()


def test_a_folder_without_a_run_is_one_clear_error(tmp_path):
    with pytest.raises(ConfigError, match="the folder of a run"):
        Run.open(tmp_path)


def test_only_one_can_continue_a_run(run):
    files, _ = RunFiles.reopen(run)
    try:
        with pytest.raises(JournalError, match="another process"):
            RunFiles.reopen(run)
    finally:
        files.close()
