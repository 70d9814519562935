"""Without the folder of plug-ins the core plays, reports, exports and verifies."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import molt_bench


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """Return a folder with the package as it is without its plug-ins, and what metadata of it remain."""
    folder = tmp_path_factory.mktemp("core")
    left_out = shutil.ignore_patterns("plugins", "__pycache__")
    shutil.copytree(Path(molt_bench.__file__).parent, folder / "molt_bench", ignore=left_out)
    return folder


def run(core, *words):
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from molt_bench.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(core), *map(str, words)],
        capture_output=True,
        text=True,
        cwd=core,
        timeout=300,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_the_core_plays_reports_exports_and_verifies_without_the_folder_of_plug_ins(core):
    where = run(core, "doctor")
    assert "tag" in where.stdout
    few = ("--seeds", "2", "--hands", "5", "--max-matches", "3", "--set", "stop.adjacentConfidence=null")
    played = run(core, "--participants", "tag,tight,random", *few, "--output-dir", "out")
    assert "lookahead" in played.stderr  # it is registered, and not there
    (folder,) = (core / "out").iterdir()
    assert "identical when replayed" in run(core, "verify", folder).stdout
    run(core, "report", folder)
    run(core, "export", folder, "--format", "csv")
    assert "Read results" in run(core, "--help").stdout


@pytest.mark.slow
def test_the_same_with_no_plugins_says_nothing_of_them(core):
    few = ("--seeds", "2", "--hands", "5", "--max-matches", "3", "--set", "stop.adjacentConfidence=null")
    played = run(core, "--no-plugins", "--participants", "tag,tight", *few, "--output-dir", "quiet")
    assert "plug-in" not in played.stderr
    assert "grade" not in run(core, "--no-plugins", "--help").stdout
