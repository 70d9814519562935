"""Whoever edits what a run wrote beside its journal fools no command: it is derived again, or the edit is named."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from molt_bench.plugins.reference.grades import GRADES
from molt_bench.report.artifacts import ARTIFACTS, indented
from tests.e2e.edited_artifacts import EDITED, EDITS, READERS, fresh, link_instead, negated, outcome
from tests.e2e.shell import one_clear_line, quick, quick_run, read

DOC = Path(__file__).parents[2] / "docs" / "why" / "fairness.md"
MARKED = re.compile(r"(<!-- edited artifacts -->\n).*?(<!-- end -->)", re.DOTALL)
FLAGS = ("--participants", "tag,maniac,random", "--seeds", "2", "--hands", "4", "--max-matches", "3")
RULE = ("--set", "stop.adjacentConfidence=null", "--master-seed", "edited")


class Readers:
    """What every command gives of an untouched run, and what it makes of an edit of it."""

    def __init__(self, run, home):
        self._run, self._home, self._known = run, home, {}

    def expected(self, reader):
        """Return what a command gives of the run, and of the run without its grades; it is worked out once."""
        if reader not in self._known:
            fresh(self._run, self._home)
            whole = ungraded = READERS[reader](self._home)[0]
            assert not isinstance(whole[0], int) or whole[0] == 0, whole
            if (self._run / GRADES).exists():
                (fresh(self._run, self._home) / GRADES).unlink()
                ungraded = READERS[reader](self._home)[0]
            self._known[reader] = whole, ungraded
        return self._known[reader]

    def found(self, reader, artifact, edit):
        """Return what a command makes of an edit; the folder has the same path as that of the untouched run."""
        whole, ungraded = self.expected(reader)
        edit(fresh(self._run, self._home) / artifact)
        return outcome(reader, self._home, artifact, whole, ungraded)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a finished run."""
    return quick_run(tmp_path_factory.mktemp("runs"), *FLAGS, *RULE, "--quiet")


@pytest.fixture(scope="module")
def readers(run, tmp_path_factory):
    """Return what reads it."""
    return Readers(run, tmp_path_factory.mktemp("readers") / "home")


@pytest.fixture(scope="module")
def graded(run, tmp_path_factory):
    """Return what reads it once it has been graded."""
    folder = shutil.copytree(run, tmp_path_factory.mktemp("graded") / "run")
    assert quick("grade", folder, "--quiet").returncode == 0
    return Readers(folder, tmp_path_factory.mktemp("readers") / "home")


@pytest.mark.parametrize("artifact", ["matches.json", "leaderboard.json"])
def test_pages_do_not_believe_edited_numbers(readers, artifact):
    assert readers.found("view", artifact, negated) == "derived again"


@pytest.mark.parametrize("artifact", ["leaderboard.json", "matches.json"])
def test_verify_names_a_forged_file(readers, artifact):
    assert readers.found("verify", artifact, negated) == "noticed"


def test_verify_says_which_file_is_missing_and_which_are_not_checked(run, tmp_path):
    copy = shutil.copytree(run, tmp_path / "run")
    (copy / "leaderboard.json").unlink()
    (copy / "my\x1b[31mnotes.txt").write_text("mine")
    done = quick("verify", copy)
    assert done.returncode == 0, done.stderr
    assert "missing: leaderboard.json\n" in done.stdout
    assert "not checked: my\\u001b[31mnotes.txt\n" in done.stdout


@pytest.mark.parametrize(
    ("field", "forged"),
    [("headline", "nobody leads"), ("headline", None), ("stopReason", "it won"), ("notFromJournal", ["headline"])],
)
def test_verify_compares_every_word_of_a_summary(run, tmp_path, field, forged):
    folder = shutil.copytree(run, tmp_path / "run")
    summary = read(folder, "summary.json")
    (folder / "summary.json").write_text(indented({**summary, field: forged}))
    one_clear_line(quick("verify", folder), "summary.json differs from what the journal gives")


@pytest.mark.parametrize(("share", "status"), [(1e-12, 0), (1e-7, 1)])
def test_verify_forgives_the_last_digits_of_a_number(run, tmp_path, share, status):
    folder = shutil.copytree(run, tmp_path / "run")
    board = read(folder, "leaderboard.json")
    board["participants"][0]["bbPer100"] *= 1 + share
    (folder / "leaderboard.json").write_text(indented(board))
    assert quick("verify", folder).returncode == status


def test_a_summary_names_what_does_not_follow_from_the_journal_and_that_may_differ(run, tmp_path):
    folder = shutil.copytree(run, tmp_path / "run")
    summary = read(folder, "summary.json")
    assert {"seconds", "handsPerSecond"} <= {*summary["notFromJournal"]}
    (folder / "summary.json").write_text(indented({**summary, "seconds": 1.0, "handsPerSecond": 2}))
    assert quick("verify", folder).returncode == 0


def test_verify_tells_files_from_before_the_run_went_on_from_edited_ones(run, tmp_path):
    folder, old = shutil.copytree(run, tmp_path / "run"), tmp_path / "old"
    shutil.copytree(run, old)
    assert quick("resume", folder, "--max-matches", 5, "--quiet").returncode == 0
    for name in ARTIFACTS:  # as after a kill before they were written again
        shutil.copy(old / name, folder / name)
    done = quick("verify", folder, "--json")
    assert done.returncode == 0, done.stderr
    files = json.loads(done.stdout)["files"]
    assert {"leaderboard.json", "matches.json", "log.jsonl", "summary.json"} <= {*files["stale"]}
    board = read(folder, "leaderboard.json")
    board["participants"][0]["wins"] += 1
    (folder / "leaderboard.json").write_text(indented(board))
    one_clear_line(quick("verify", folder), "leaderboard.json differs from what the journal gives")


def rows():
    """Return the rows of the table in the docs."""
    return [
        line.removeprefix("|").removesuffix(" |").split(" | ")
        for line in MARKED.search(DOC.read_text())[0].splitlines()
        if line[0] == "|"
    ]


def test_the_table_in_the_docs_has_every_file_and_every_command():
    heading, _, *lines = rows()
    assert [each.strip() for each in heading[1:]] == [f"`{name}`" for name in EDITED]
    assert [line[0].strip() for line in lines] == [f"`{name}`" for name in READERS]


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_no_edit_of_any_file_fools_a_command_and_the_table_in_the_docs_says_so(graded, reader):
    cells = []
    for artifact in EDITED:
        outcomes = {edit.__name__: graded.found(reader, artifact, edit) for edit in EDITS}
        assert None not in outcomes.values(), (reader, artifact, outcomes)
        assert outcomes.pop(link_instead.__name__) == "noticed"
        kinds = {*outcomes.values()}
        cells.append(next(kind for kind in ("noticed", "left out", "derived again") if kind in kinds))
    line = f"| `{reader}` | {' | '.join(cells)} |"
    if os.environ.get("MOLT_BENCH_WRITE_DOCS"):
        DOC.write_text(re.sub(rf"^\| `{re.escape(reader)}` \|.*$", line, DOC.read_text(), flags=re.MULTILINE))
    assert line in DOC.read_text()
