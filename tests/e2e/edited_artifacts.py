"""Edits of the files that a run writes beside its journal, and what every command that reads a run makes of them."""

import json
import re
import shutil
from pathlib import Path

from molt_bench.errors import MoltBenchError
from molt_bench.plugins.adapters.data_frames import RunFrames
from molt_bench.plugins.reference.grades import GRADES
from molt_bench.report.artifacts import ARTIFACTS, CONFIG
from molt_bench.report.exports import FILES
from molt_bench.view.library import Library
from tests.e2e.shell import quick

#: The files that the commands of this run write.
EDITED = (*ARTIFACTS, GRADES)

#: What a page says where the config beside the journal is missing, or another one.
SAVE = "ave the config below as config.yaml"


def negated(path):
    """Negate every number."""
    path.write_text(_texts(path, _negated))


def swapped(path):
    """Give the names of the best and the worst to each other."""
    text = path.read_text()
    path.write_text(text.replace('"tag"', '"\0"').replace('"random"', '"tag"').replace('"\0"', '"random"'))


def dropped(path):
    """Drop the first key, or the first value, of what is outermost."""
    path.write_text(_texts(path, _dropped))


def truncated(path):
    """Cut the file in half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path):
    """Leave nothing in the file."""
    path.write_bytes(b"")


def deleted(path):
    """Remove the file."""
    path.unlink()


def folder_instead(path):
    """Put a folder in place of the file."""
    path.unlink()
    path.mkdir()


def link_instead(path):
    """Put a link to a forged file elsewhere in place of the file."""
    negated(path)
    path.symlink_to(path.rename(path.parent.parent / f"elsewhere-{path.name}"))


EDITS = (negated, swapped, dropped, truncated, emptied, deleted, folder_instead, link_instead)


def _texts(path, change):
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    return "\n".join(json.dumps(change(json.loads(line))) for line in lines) + "\n"


def _negated(value):
    if isinstance(value, dict):
        return {key: _negated(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_negated(each) for each in value]
    return -value if isinstance(value, int | float) and not isinstance(value, bool) else value


def _dropped(value):
    return dict([*value.items()][1:]) if isinstance(value, dict) else value[1:]


def _command(*flags, output=None):
    """Return a reader that runs a command in the folder above the run and returns what it gives."""

    def read(home):
        done = quick(flags[0], "run", *flags[1:], cwd=home)
        assert "Traceback" not in done.stderr, done.stderr
        written = (home / output).read_bytes() if output and done.returncode == 0 else b""
        written = re.sub(rb'"version":\d+', b"", written)  # of the page: it counts what was derived
        note = SAVE if SAVE.encode() in written else ""
        return (done.returncode, done.stdout, written), done.stdout + done.stderr + note

    return read


def _published(home):
    done = quick("export", "run", "--format", "site", "--output", "site", cwd=home)
    assert "Traceback" not in done.stderr, done.stderr
    api = home / "site" / "api"
    pages = {str(path.relative_to(api)): json.loads(path.read_text()) for path in sorted(api.rglob("*.json"))}
    for path in (home / "site" / "files" / "run").glob("*.json*"):
        assert path.read_bytes() == (home / "other" / path.name).read_bytes(), f"a forged {path.name} was published"
    for name in ("files", "version"):
        pages.get("runs/run.json", {}).pop(name, None)
    note = str(pages.get("runs/run.json", {}).get("reproduce", {}).pop("note", ""))
    return (done.returncode, pages), done.stderr + note


def _viewed(home):
    library = Library(home / "run")
    page = library.run_page("run")
    del page["version"]
    note = str(page["reproduce"].get("note"))
    return (page, library.hand_columns("run"), library.match_page("run", 1)), note


def _frames(home):
    frames = RunFrames.open(home / "run", library="rows")
    return (frames.leaderboard(), frames.margins(), frames.hands()), ""


#: Every command that reads a run, with what it gives and what it says.
READERS = {
    "report": _command("report", "--json"),
    "export html": _command("export", "--format", "html", "--output", "page.html", output="page.html"),
    "view": _viewed,
    "export site": _published,
    "verify": _command("verify"),
    "compare": _command("compare", "other", "--json"),
    "grade": _command("grade", "--json"),
    "plan": lambda home: _planned(home),
    **{f"export {form}": _command("export", "--format", form, "--output", "out", output="out") for form in FILES},
    "frames": _frames,
}


def _planned(home):
    (home / "bench.json").write_text(json.dumps({"participants": ["tag", "maniac"]}))
    done = quick("plan", "bench.json", "--pilot", "run", "--json", cwd=home)
    assert "Traceback" not in done.stderr, done.stderr
    return (done.returncode, done.stdout), done.stderr


def outcome(reader, home, artifact, expected, without_grades):
    """Return what a command made of an edit: "derived again", "noticed" or "left out"; None if it was fooled."""
    try:
        got, said = READERS[reader](home)
    except MoltBenchError as error:  # of those that are called in this process
        got, said = None, str(error)
    if got == expected:
        return "derived again"
    if artifact == GRADES and got == without_grades:
        return "left out"
    return "noticed" if artifact in said or (artifact == CONFIG and SAVE in said) else None


def fresh(run: Path, home: Path) -> Path:
    """Copy a run, and another to compare it with, into an empty folder; return the run."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(run, home / "other")
    return Path(shutil.copytree(run, home / "run"))
