"""A wheel of this platform has the compiled kernels, and plays as pure Python does."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from molt_bench.kernels import PURE_VARIABLE
from tests.kernels import golden_runs

ROOT = Path(__file__).parents[2]


def run(*command, cwd, **variables):
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_wheel_plays_the_same_with_its_kernels_and_without(tmp_path):
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, ROOT, cwd=tmp_path, **{PURE_VARIABLE: ""})
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(*pip, "--python", python, "install", wheel, cwd=tmp_path)
    code = "from molt_bench.kernels import compiled; print(compiled is not None)"
    assert run(python, "-c", code, cwd=tmp_path, **{PURE_VARIABLE: ""}).strip() == "True"
    compiled, pure = (
        run(python, golden_runs.__file__, "five", "cap", cwd=tmp_path, **{PURE_VARIABLE: value}) for value in ("", "1")
    )
    assert compiled == pure
    assert compiled.startswith("five: ")
