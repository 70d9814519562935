import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.e2e.shell import MOLT_BENCH

from molt_bench.cli.app import program
from molt_bench.cli.doctor import EXTRAS

ROOT = Path(__file__).parents[2]


def answer(env):
    done = subprocess.run([MOLT_BENCH, "doctor", "--json"], capture_output=True, text=True, check=True, env=env)
    return json.loads(done.stdout), done.stdout + done.stderr


def test_every_extra_is_looked_for():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {*EXTRAS} == {*declared} - {"dev"}


def test_no_key_is_shown():
    content, everything = answer({"PATH": "", "OPENAI_API_KEY": "sk-very-secret", "HOME": "/"})
    states = {each["name"]: each["state"] for each in content["found"]}
    assert (states["OPENAI_API_KEY"], states["ANTHROPIC_API_KEY"]) == ("ok", "not set")
    assert "secret" not in everything


def test_what_is_missing_comes_with_a_remedy():
    content, _ = answer({"PATH": "", "HOME": "/", "MOLT_BENCH_PURE": "1"})
    found = {each["name"]: each for each in content["found"]}
    assert found["kernels"]["remedy"] == "unset MOLT_BENCH_PURE"
    assert found["sandbox"]["state"] == found["chromium"]["state"] == "missing"
    assert "bubblewrap" in found["sandbox"]["remedy"]
    assert "kernels not compiled" in content["about"]


def test_an_extra_that_is_not_there_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit):
        program.main(["doctor"])
    line = next(each for each in capsys.readouterr().out.splitlines() if " figures " in each)
    assert re.match(r"  missing figures .*: pip install '\.\[figures\]' in a clone of molt-bench$", line)


@pytest.mark.skipif(not shutil.which("bwrap"), reason="no bubblewrap")
def test_a_machine_with_bubblewrap_says_so_or_why_not():
    content, _ = answer(None)
    sandbox = next(each for each in content["found"] if each["name"] == "sandbox")
    assert (sandbox["state"] == "ok") == (sandbox["remedy"] == "")
