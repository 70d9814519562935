import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.e2e.shell import MOLT_BENCH, quick

from molt_bench import BUILTIN_AGENTS
from molt_bench.cli.app import program
from molt_bench.cli.doctor import EXTRAS

ROOT = Path(__file__).parents[2]


def answer(env, program):
    """Return what a program answers in an environment: its JSON."""
    done = subprocess.run([*program, "doctor", "--json"], capture_output=True, text=True, check=True, env=env)
    return json.loads(done.stdout)


def quick_answer(env):
    """Return the same of the program as it is here, and all that it printed."""
    done = quick("doctor", "--json", env=env, bare=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stdout + done.stderr


def test_every_extra_is_looked_for():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {*EXTRAS} == {*declared} - {"dev"}


def test_no_key_is_shown():
    content, everything = quick_answer({"PATH": "", "OPENAI_API_KEY": "sk-very-secret", "HOME": "/"})
    states = {each["name"]: each["state"] for each in content["found"]}
    assert (states["OPENAI_API_KEY"], states["ANTHROPIC_API_KEY"]) == ("ok", "not set")
    assert "secret" not in everything


def test_what_is_missing_comes_with_a_remedy():
    content = answer({"PATH": "", "HOME": "/", "MOLT_BENCH_PURE": "1"}, [MOLT_BENCH])
    found = {each["name"]: each for each in content["found"]}
    assert found["kernels"]["remedy"] == "unset MOLT_BENCH_PURE"
    assert found["sandbox"]["state"] == "missing"
    assert "apt install bubblewrap" in found["sandbox"]["remedy"]
    assert "kernels not compiled" in content["about"]


def test_an_extra_that_is_not_there_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(SystemExit):
        program.main(["doctor"])
    line = next(each for each in capsys.readouterr().out.splitlines() if " envs " in each)
    assert re.match(r"  missing envs .*: pip install 'molt-bench\[envs\]'$", line)


def test_kernels_that_were_not_compiled_come_with_the_command_that_compiles_them(tmp_path):
    """A copy of the package without what was compiled, as after an installation on a machine without a compiler."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.so"))
    program = (sys.executable, "-m", "molt_bench")
    content = answer({**os.environ, "PYTHONPATH": str(tmp_path / "src"), "MOLT_BENCH_PURE": ""}, program)
    assert "kernels not compiled" in content["about"]
    assert content["found"][0] == {
        "name": "kernels",
        "state": "missing",
        "about": "the same results, slower",
        "remedy": "install a C compiler and Python.h (Debian: apt install gcc python3-dev), then pip install "
        "--force-reinstall --no-deps . in a clone of molt-bench",
    }


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory):
    """Return the environment of a machine that has what molt-bench needs, and no extra."""
    folder, wanted, seen = tmp_path_factory.mktemp("packages"), ["molt-bench"], set()
    while wanted:
        found = importlib.metadata.distribution(wanted.pop())
        for requirement in map(Requirement, found.requires or ()):
            if requirement.name not in seen and (
                requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            ):
                seen.add(requirement.name)
                wanted.append(requirement.name)
        for top in {path.parts[0] for path in found.files or () if path.parts[0] not in ("..", "__pycache__")}:
            link = folder / top
            if not link.exists():
                link.symlink_to(found.locate_file(top))
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")])}


def test_without_extras_each_is_named_with_the_command_that_installs_it(without_extras):
    content = answer(without_extras, (sys.executable, "-S", "-m", "molt_bench"))
    found = {each["name"]: (each["state"], each["remedy"]) for each in content["found"]}
    for extra in EXTRAS:
        assert found[extra] == ("missing", f"pip install 'molt-bench[{extra}]'")


@pytest.mark.skipif(not shutil.which("bwrap"), reason="no bubblewrap")
def test_a_machine_with_bubblewrap_says_so_or_why_not():
    content, _ = quick_answer(os.environ)
    sandbox = next(each for each in content["found"] if each["name"] == "sandbox")
    assert (sandbox["state"] == "ok") == (sandbox["remedy"] == "")


def test_the_agents_are_listed_as_the_guide_shows_them():
    content, _ = quick_answer(os.environ)
    names = [each["name"] for each in content["agents"]]
    assert names[:9] == sorted(BUILTIN_AGENTS)
    assert {"llm:MODEL", "exec:COMMAND", "http:URL", "live", "human"} <= {*names}
    page = (ROOT / "docs" / "reference" / "agents.md").read_text("utf-8")
    shown = re.search(r"## Built-in agents.*?^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    assert shown.splitlines() == [f"{each['name']:12} {each['about']}" for each in content["agents"]]
    assert all(f"  {line}" in quick("doctor").stdout.splitlines() for line in shown.splitlines())


def test_the_keys_that_a_config_needs_are_listed_and_never_shown(tmp_path):
    (tmp_path / "bench.yaml").write_text("participants: [llm:openai:gpt-4.1, 'llm:openrouter:some/model', tag]\n")
    env = {"OPENAI_API_KEY": "sk-very-secret", "OPENROUTER_API_KEY": ""}
    done = quick("doctor", "bench.yaml", "--json", cwd=tmp_path, env=env)
    content = json.loads(done.stdout)
    assert [(each["name"], each["state"]) for each in content["found"]] == [
        ("OPENAI_API_KEY", "ok"),
        ("OPENROUTER_API_KEY", "not set"),
    ]
    assert (done.returncode, content["valid"], content["notAsked"]) == (0, True, content["participants"][:2])
    assert "secret" not in done.stdout + done.stderr
