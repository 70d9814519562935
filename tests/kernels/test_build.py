"""Building the package compiles the kernels where that is possible, and goes on without where it is not."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import molt_bench.kernels

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path, hook):
    """A checkout of the C files, with a kernel that an older version left behind."""
    folder = tmp_path / hook.FOLDER
    shutil.copytree(ROOT / hook.FOLDER, folder)
    (folder / hook.COMPILED).write_bytes(b"old")
    return tmp_path


@pytest.mark.parametrize("compiler", ["no-such-compiler", "false"])
def test_without_a_compiler_the_package_is_pure_python(monkeypatch, capsys, hook, copy, compiler):
    monkeypatch.setenv("CC", compiler)
    monkeypatch.delenv("MOLT_BENCH_PURE", raising=False)
    assert not hook.compiled(str(copy))
    assert "molt-bench stays pure Python" in capsys.readouterr().err
    assert not list((copy / hook.FOLDER).glob("*.so"))


def test_whoever_wants_pure_python_gets_it(monkeypatch, hook, copy):
    monkeypatch.setenv("MOLT_BENCH_PURE", "1")
    assert not hook.compiled(str(copy))
    assert not list((copy / hook.FOLDER).glob("*.so"))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_c_files_compile_without_a_warning(monkeypatch, capsys, hook, copy):
    monkeypatch.setenv("CC", "cc -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers")
    monkeypatch.delenv("MOLT_BENCH_PURE", raising=False)
    assert hook.compiled(str(copy)), capsys.readouterr().err
    assert (copy / hook.FOLDER / hook.COMPILED).stat().st_size > 10_000


def test_python_and_c_files_have_one_version(hook):
    header = (ROOT / hook.FOLDER / "kernels.h").read_text()
    assert f"#define KERNELS_VERSION {molt_bench.kernels.VERSION}\n" in header


def test_a_variable_turns_the_kernels_off():
    code = "from molt_bench.kernels import compiled; print(compiled)"
    given = {**os.environ, molt_bench.kernels.PURE_VARIABLE: "1"}
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"
