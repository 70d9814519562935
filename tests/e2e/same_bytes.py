"""What the tests of the same bytes share: every file of a run, without what the docs do not promise."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from molt_bench.kernels import PURE_VARIABLE
from tests.e2e import golden_runs

ROOT = Path(__file__).parents[2]
_TABLE = re.search(
    r"^\| file \| what may differ \|\n.*?\n\n", (ROOT / "docs" / "reference" / "run-folder.md").read_text(), re.M | re.S
)
#: The files that may differ between runs of one config: the names of the fields that do; none if anything may.
NOT_PROMISED = {
    name: frozenset(re.findall("`(.+?)`", fields))
    for names, fields in re.findall(r"^\| (`.+?) \| (.+?) \|$", _TABLE[0], re.M)
    for name in re.findall("`(.+?)`", names)
}


def compared(folder):
    """Return every file of a run that has to be the same, as far as it has to."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        fields = NOT_PROMISED.get(name)
        if path.is_dir() or fields == frozenset():
            continue
        content = path.read_bytes()
        if fields:
            content = {key: value for key, value in json.loads(content).items() if key not in fields}
        found[name] = content
    return found


def run(*command, cwd, pure=False):
    """Run a command that has to succeed, and return what it prints."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**os.environ, PURE_VARIABLE: "1" if pure else ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def with_wheel(python, folder):
    """Build a wheel, install it into a new environment of a Python, and return the Python of that."""
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    run(python, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    found = folder / "venv" / "bin" / "python"
    run(*pip, "--python", found, "install", *folder.glob("*.whl"), cwd=folder)
    return found


def golden(folder, *names, python=sys.executable, pure=False, flags=()):
    """Play golden runs in a process of its own, and return what has to be the same of each."""
    names = names or tuple(golden_runs.RUNS)
    run(python, golden_runs.__file__, *flags, folder, *names, cwd=ROOT, pure=pure)
    return {name: compared(Path(folder, name)) for name in names}


def differing(one, other):
    """Return the files that are not the same, as `run/file`."""
    assert one.keys() == other.keys()
    return [
        f"{run}/{name}"
        for run in one
        for name in sorted(one[run].keys() | other[run].keys())
        if one[run].get(name) != other[run].get(name)
    ]
