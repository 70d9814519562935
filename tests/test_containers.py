"""The Dockerfile does what it says, as far as that can be seen without a daemon: its steps are real ones.

The slow test runs its steps by hand: what is copied, every RUN of the packages, and the live server with an agent.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from fnmatch import fnmatch
from pathlib import Path

import pytest

from docs_site import command_of

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Dockerfile").read_text("utf-8")
GUIDE = (ROOT / "docs" / "how-to" / "use-all-cores.md").read_text("utf-8")
TARGETS = ("worker", "live")


def instructions():
    """Return every instruction with its arguments, in order; continued lines are one."""
    lines = re.sub(r"\\\n\s*", "", TEXT).splitlines()
    return [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]


def stages():
    """Return what each stage is made from, and its instructions."""
    found = {}
    for name, arguments in instructions():
        if name == "FROM":
            base, _, stage = arguments.split()
            found[stage] = (base, [])
        elif found:
            found[[*found][-1]][1].append((name, arguments))
    return found


def chain(stage):
    """Return all instructions of a stage, those that it is made from first."""
    base, own = stages()[stage]
    return (chain(base) if base in stages() else []) + own


def last(stage, name):
    return [arguments for each, arguments in chain(stage) if each == name][-1]


def copied():
    """Return what is copied from the repository, and where to."""
    for stage in stages():
        for name, arguments in stages()[stage][1]:
            if name == "COPY" and "--from" not in arguments:
                *sources, target = arguments.split()
                for source in sources:
                    there = [path.name for path in ROOT.glob(source)] if "[" in source else [source]
                    yield from ((each, target) for each in there)


def test_what_is_copied_is_there_and_not_ignored():
    rules = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line and line[0] != "#"]
    for source, _ in copied():
        assert (ROOT / source).exists()
        verdict = [not rule.startswith("!") for rule in rules if fnmatch(source, rule.removeprefix("!"))]
        assert verdict[-1:] == [False], f"{source} is ignored"
    for private in (".git", ".venv", "benchmark-results", "docs", "tests"):
        assert [not rule.startswith("!") for rule in rules if fnmatch(private, rule.removeprefix("!"))][-1]


def test_what_the_build_reads_is_copied():
    """The licence and the version, as pyproject.toml names them; the hooks, and all that they import or read."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    sources = [source for source, _ in copied()]
    hatch = project["tool"]["hatch"]
    needed = ["pyproject.toml", "README.md", *project["project"]["license-files"]]
    needed += [hatch["version"]["path"], *hatch["build"]["targets"]["wheel"]["packages"]]
    hooks = (hatch["metadata"]["hooks"]["custom"], hatch["build"]["targets"]["wheel"]["hooks"]["custom"])
    needed += [hook["path"] for hook in hooks]
    imported = re.findall(r"^\s+from (\w+) import", (ROOT / "hatch_build.py").read_text("utf-8"), re.MULTILINE)
    needed += [f"scripts/{name}.py" for name in imported]
    assert "scripts/page_bundle.py" in needed
    for file in needed:
        assert any(file == source or file.startswith(f"{source}/") for source in sources), f"{file} is not copied"


@pytest.mark.parametrize("target", TARGETS)
def test_an_image_runs_without_root_and_without_a_shell(target):
    user = last(target, "USER")
    assert user.isdigit()
    assert int(user) > 0
    assert isinstance(json.loads(last(target, "ENTRYPOINT")), list)
    assert isinstance(json.loads(last(target, "CMD")), list)


def test_no_image_holds_a_key():
    assert not re.search(r"(KEY|TOKEN|SECRET|PASSWORD)", TEXT)


def test_the_live_server_is_started_by_flags_that_exist_at_the_port_that_is_exposed():
    called, command, *arguments = json.loads(last("live", "ENTRYPOINT"))
    assert (called, command) == ("molt-bench", "serve")
    flags = {flag for each in command_of("serve").params for flag in each.opts}
    assert {each for each in arguments if each.startswith("--")} <= flags
    assert arguments[arguments.index("--port") + 1] == last("live", "EXPOSE")
    assert f"--publish {last('live', 'EXPOSE')}:{last('live', 'EXPOSE')}" in GUIDE


@pytest.mark.parametrize("command", re.findall(r"docker build (.*)", GUIDE))
def test_the_guide_builds_targets_that_exist(command):
    assert re.search(r"--target (\S+)", command)[1] in TARGETS


# The steps themselves.


def by_hand(stage, folder):
    """Run the steps of a stage in a folder: its `/build` and its `/opt` are there; return the environment."""
    home = folder / "opt" / "molt-bench"
    (folder / "opt").mkdir()
    for source, target in copied():
        to = folder / "build" / target / (Path(source).name if target.endswith("/") else "")
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, to)
    python = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(getattr(sys, "_base_executable", sys.executable))
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    for name, arguments in chain(stage):
        if name == "RUN":
            step = arguments.replace("/opt/molt-bench", str(home))
            done = subprocess.run(
                ["sh", "-c", step],
                cwd=folder / "build",
                env=clean | python,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
    return home


@pytest.mark.slow
def test_the_steps_of_the_live_image_give_a_server_that_an_agent_plays_at(tmp_path):
    home = by_hand("live-packages", tmp_path)
    assert not [*home.glob("bin/pip*")]
    assert not [*home.glob("lib/*/site-packages/*/tests")]
    runs = tmp_path / "runs"
    runs.mkdir()
    shutil.copy(ROOT / "src" / "molt_bench" / "plugins" / "live" / "examples" / "live.yaml", runs)
    name, *arguments = json.loads(last("live", "ENTRYPOINT"))
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    clean |= {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    help_text = subprocess.run(
        [home / "bin" / name, *arguments, *json.loads(last("live", "CMD"))],
        cwd=runs, env=clean, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "--join-timeout" in help_text.stdout
    with subprocess.Popen(
        [home / "bin" / name, *arguments, "--port", "0", "live.yaml"],
        cwd=runs, env=clean, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        printed = []
        while not (found := re.search(r"http://localhost:\d+/j/\w+", "".join(printed))):
            printed.append(server.stdout.readline())
            assert printed[-1], "the server ended"
        with urllib.request.urlopen(f"{found[0]}/v1/run") as reply:
            assert json.load(reply)["name"] == "guest"
        join = [home / "bin" / name, "join", found[0], "--agent", "tight"]
        assert subprocess.run(join, cwd=runs, env=clean, capture_output=True, check=False).returncode == 0
        server.stdout.read()
        assert server.wait() == 0
    assert [*runs.glob("benchmark-results/*/leaderboard.json")]
    assert not [*home.rglob("__pycache__")]
