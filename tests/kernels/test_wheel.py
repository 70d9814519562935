"""A wheel of this platform has the compiled kernels, and plays as pure Python does."""

import shutil
import sys

import pytest

from tests.e2e.same_bytes import differing, golden, run, with_wheel


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_wheel_plays_the_same_with_its_kernels_and_without(tmp_path):
    python = with_wheel(sys.executable, tmp_path)
    code = "from molt_bench.kernels import compiled; print(compiled is not None)"
    assert run(python, "-c", code, cwd=tmp_path).strip() == "True"
    one, other = (golden(tmp_path / str(pure), "five", "cap", python=python, pure=pure) for pure in (False, True))
    assert differing(one, other) == []
