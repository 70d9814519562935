"""Whoever edits what a run wrote beside its journal fools no command: it is derived again, or the edit is named."""

import gzip
import json
import shutil
from base64 import b64decode
from pathlib import Path

import pytest

from molt_bench.errors import MoltBenchError
from molt_bench.plugins.adapters.data_frames import RunFrames
from molt_bench.plugins.reference.grades import GRADES
from molt_bench.report.artifacts import ARTIFACTS, CONFIG, indented
from molt_bench.report.exports import FILES
from tests.e2e.shell import good, one_clear_line, quick, quick_run, read, verified
from tests.viewing import told

#: The files that the commands of this run write.
EDITED = (*ARTIFACTS, GRADES)
#: What a page says where the config beside the journal is missing, or another one.
SAVE = "ave the config below as config.yaml"


def with_values(path, change):
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    path.write_text("\n".join(json.dumps(change(json.loads(line))) for line in lines) + "\n")


def minus(value):
    if isinstance(value, dict | list):
        return {key: minus(each) for key, each in value.items()} if isinstance(value, dict) else [*map(minus, value)]
    return -value if isinstance(value, int | float) and not isinstance(value, bool) else value


def negated(path):
    """Negate every number."""
    with_values(path, minus)


def swapped(path):
    """Give the names of the best and the worst to each other."""
    text = path.read_text()
    path.write_text(text.replace('"tag"', '"\0"').replace('"random"', '"tag"').replace('"\0"', '"random"'))


def dropped(path):
    """Drop the first key, or the first value, of what is outermost."""
    with_values(path, lambda value: dict([*value.items()][1:]) if isinstance(value, dict) else value[1:])


def truncated(path):
    """Cut the file in half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def folder_instead(path):
    """Put a folder in place of the file."""
    path.unlink()
    path.mkdir()


def link_instead(path):
    """Put a link to a forged file elsewhere in place of the file."""
    negated(path)
    path.symlink_to(path.rename(path.parent.parent / f"elsewhere-{path.name}"))


EDITS = (negated, swapped, dropped, truncated, lambda path: path.write_bytes(b""), Path.unlink, folder_instead)


def command(*words, output=None):
    """Return a reader that runs a command in the folder above the run and returns what it gives, and what it says."""

    def reader(home):
        done = quick(*words, cwd=home)
        assert "Traceback" not in done.stderr, done.stderr
        written = (home / output).read_bytes() if output and done.returncode == 0 else b""
        if words[0] == "export" and b'id="packed">' in written:
            written = gzip.decompress(b64decode(written.partition(b'id="packed">')[2].partition(b"<")[0]))
        note = SAVE if SAVE.encode() in written else ""
        return (done.returncode, done.stdout, written), done.stdout + done.stderr + note

    return reader


def _lines(path):
    """Return the JSON texts of a file."""
    return path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]


def site(home):
    done = quick("export", "run", "--format", "site", "--output", "site", cwd=home)
    assert "Traceback" not in done.stderr, done.stderr
    api = home / "site" / "api"
    pages = {str(path.relative_to(api)): json.loads(path.read_text()) for path in sorted(api.rglob("*.json"))}
    for path in (home / "site" / "files" / "run").glob("*.json*"):
        # With other spaces, it says the same.
        published, own = ([json.loads(line) for line in _lines(each)] for each in (path, home / "other" / path.name))
        assert published == own, f"a forged {path.name} was published"
    pages.get("runs/run.json", {}).pop("files", None)
    note = str(pages.get("runs/run.json", {}).get("reproduce", {}).pop("note", ""))
    return (done.returncode, pages), done.stderr + note


def viewer(home):
    page, hands = told(home / "run", "run"), told(home / "run", "run", "/hands")
    del page["version"]
    note = str(page["reproduce"].get("note")) + str((page["grades"] or {}).get("note"))
    return (page, hands, told(home / "run", "run", "/match/1")), note


def frames(home):
    found = RunFrames.open(home / "run", library="rows")
    return (found.leaderboard(), found.margins(), found.hands()), ""


#: Every command that reads a run, with what it gives and what it says.
READERS = {
    "report": command("report", "run", "--json"),
    "export html": command("export", "run", "--format", "html", "--output", "page.html", output="page.html"),
    "view": viewer,
    "export site": site,
    "verify": command("verify", "run"),
    "compare": command("compare", "run", "other", "--json"),
    "grade": command("grade", "run", "--json"),
    "plan": command("plan", "--participants", "tag,maniac", "--pilot", "run", "--json"),
    **{f"export {form}": command("export", "run", "--format", form, "--output", "out", output="out") for form in FILES},
    "frames": frames,
}


class Readers:
    """What every command gives of an untouched run, and what it makes of an edit of it."""

    def __init__(self, run, home):
        self._run, self._home, self._known = run, home, {}

    def fresh(self):
        """Copy the run, and another to compare it with, into an empty folder; return the run."""
        shutil.rmtree(self._home, ignore_errors=True)
        shutil.copytree(self._run, self._home / "other")
        return Path(shutil.copytree(self._run, self._home / "run"))

    def expected(self, reader):
        """Return what a command gives of the run, and of the run without its grades; it is worked out once."""
        if reader not in self._known:
            self.fresh()
            whole = ungraded = READERS[reader](self._home)[0]
            assert not isinstance(whole[0], int) or whole[0] == 0, whole
            if (self._run / GRADES).exists():
                (self.fresh() / GRADES).unlink()
                ungraded = READERS[reader](self._home)[0]
            self._known[reader] = whole, ungraded
        return self._known[reader]

    def found(self, reader, artifact, edit):
        """Return what a command makes of an edit: "derived again", "noticed" or "left out"; None if it was fooled."""
        whole, ungraded = self.expected(reader)
        edit(self.fresh() / artifact)
        try:
            got, said = READERS[reader](self._home)
        except MoltBenchError as error:  # of those that are called in this process
            got, said = None, str(error)
        if got == whole:
            return "derived again"
        if artifact == GRADES and got == ungraded:
            return "left out"
        return "noticed" if artifact in said or (artifact == CONFIG and SAVE in said) else None


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return a finished run."""
    flags = ("--participants", "tag,maniac,random", "--seeds", "2", "--hands", "4", "--max-matches", "3")
    rule = ("--set", "stop.adjacentConfidence=null", "--master-seed", "edited", "--quiet")
    return quick_run(tmp_path_factory.mktemp("runs"), *flags, *rule)


@pytest.fixture(scope="module")
def readers(played, tmp_path_factory):
    """Return what reads it."""
    return Readers(played, tmp_path_factory.mktemp("readers") / "home")


@pytest.fixture(scope="module")
def graded(played, tmp_path_factory):
    """Return what reads it once it has been graded."""
    folder = shutil.copytree(played, tmp_path_factory.mktemp("graded") / "run")
    good(quick("grade", folder, "--quiet"))
    return Readers(folder, tmp_path_factory.mktemp("readers") / "home")


@pytest.mark.parametrize("artifact", ["matches.json", "leaderboard.json"])
@pytest.mark.parametrize(("reader", "outcome"), [("view", "derived again"), ("verify", "noticed")])
def test_pages_do_not_believe_edited_numbers_and_verify_names_them(readers, reader, artifact, outcome):
    assert readers.found(reader, artifact, negated) == outcome


def test_verify_says_which_file_is_missing_and_which_are_not_checked(run):
    (run / "leaderboard.json").unlink()
    (run / "my\x1b[31mnotes.txt").write_text("mine")
    said = verified(run)
    assert "missing: leaderboard.json\n" in said
    assert "not checked: my\\u001b[31mnotes.txt\n" in said


@pytest.mark.parametrize(("share", "status"), [(1e-12, 0), (1e-7, 1)])
def test_verify_forgives_the_last_digits_of_a_number(run, share, status):
    board = read(run, "leaderboard.json")
    board["participants"][0]["bbPer100"] *= 1 + share
    (run / "leaderboard.json").write_text(indented(board))
    assert quick("verify", run).returncode == status


def test_a_summary_names_what_does_not_follow_from_the_journal_and_that_may_differ(run):
    summary = read(run, "summary.json")
    assert {"seconds", "handsPerSecond"} <= {*summary["notFromJournal"]}
    (run / "summary.json").write_text(indented({**summary, "seconds": 1.0, "handsPerSecond": 2}))
    verified(run)


def test_verify_tells_files_from_before_the_run_went_on_from_edited_ones(run, finished):
    good(quick("resume", run, "--max-matches", 7, "--quiet"))
    for name in ARTIFACTS:  # as after a kill before they were written again
        shutil.copy(finished / name, run / name)
    files = json.loads(verified(run, "--json"))["files"]
    assert {"leaderboard.json", "matches.json", "log.jsonl", "summary.json"} <= {*files["stale"]}
    board = read(run, "leaderboard.json")
    board["participants"][0]["wins"] += 1
    (run / "leaderboard.json").write_text(indented(board))
    one_clear_line(quick("verify", run), "leaderboard.json differs from what the journal gives")


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_no_edit_of_any_file_fools_a_command(graded, reader):
    for artifact in EDITED:
        fooled = [edit.__name__ for edit in EDITS if graded.found(reader, artifact, edit) is None]
        assert fooled == [], (reader, artifact)
        assert graded.found(reader, artifact, link_instead) == "noticed"
