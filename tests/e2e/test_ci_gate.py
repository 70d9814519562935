"""The gate for continuous integration: the steps of the workflow in the docs, run in a repository with an agent."""

import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.e2e.shell import MOLT_BENCH

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "ci"
WORKFLOW = yaml.safe_load((EXAMPLES / "molt-bench.yml").read_text("utf-8"))
JOB = WORKFLOW["jobs"]["gate"]
STEPS = {step["name"]: step for step in JOB["steps"] if "name" in step}

AGENT = """
from molt_bench import Action


class Agent:
    name = "agent"

    def act(self, observation):
        if not observation.to_call:
            return Action("check")
        return Action({answer!r})


def make():
    return Agent()
"""
#: A stand-in for GitHub's program, which notes what it was asked to do.
GH = '#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT/gh.txt"\n'


def git(*arguments, cwd):
    name = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *name, *arguments], check=True, capture_output=True, cwd=cwd)


@pytest.fixture
def repository(tmp_path):
    """Return a function that makes a checkout of a branch in which the agent answers differently than in main."""

    def make(answer):
        origin = tmp_path / "origin"
        origin.mkdir()
        git("init", cwd=origin)
        # Half of the hands are enough for a change as gross as this one.
        bench = (EXAMPLES / "bench.yaml").read_text("utf-8")
        (origin / "bench.yaml").write_text(bench.replace("perMatch: 200", "perMatch: 100"), "utf-8")
        (origin / "agent.py").write_text(AGENT.format(answer="fold"))
        git("add", ".", cwd=origin)
        git("commit", "-m", "An agent that folds", cwd=origin)
        git("clone", str(origin), str(tmp_path / "checkout"), cwd=tmp_path)
        checkout = tmp_path / "checkout"
        git("checkout", "-b", "change", cwd=checkout)
        (checkout / "agent.py").write_text(AGENT.format(answer=answer) + "# changed\n")
        git("commit", "-a", "-m", "A change", cwd=checkout)
        return checkout

    return make


def filled_in(text, checkout):
    known = {"github.base_ref": "main", "github.workspace": str(checkout), "github.token": "t"}
    known["github.event.pull_request.number"] = "7"
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: known[found[1]], text)


def run_steps(checkout, *names):
    """Run steps as GitHub does, with one environment; return the last one, whose status is its own."""
    (checkout.parent / "bin").mkdir()
    (checkout.parent / "bin" / "gh").write_text(GH)
    (checkout.parent / "bin" / "gh").chmod(0o755)
    given = {name: filled_in(value, checkout) for name, value in JOB["env"].items()}
    path = f"{checkout.parent / 'bin'}:{Path(MOLT_BENCH).parent}:{os.environ['PATH']}"
    environment = {**os.environ, **given, "PATH": path, "GITHUB_ACTIONS": "true"}
    environment["GITHUB_STEP_SUMMARY"] = str(checkout.parent / "summary.md")
    for name in names:
        own = {key: filled_in(value, checkout) for key, value in STEPS[name].get("env", {}).items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=checkout,
            env={**environment, **own},
            timeout=300,
        )
        if name != names[-1]:
            assert done.returncode == 0, done.stderr
    return done


ALL = [name for name in STEPS if name != "Install"]


@pytest.mark.slow
def test_a_change_that_makes_the_agent_worse_fails_and_says_so_everywhere(repository):
    checkout = repository("call")
    done = run_steps(checkout, *ALL)
    out = checkout / "molt-bench-out"
    assert ALL[-1] == "Gate"
    assert done.returncode == 1
    assert re.search(r"^ *mine .* worse *$", done.stdout, re.MULTILINE)
    assert "molt-bench: mine: " in done.stderr
    assert (checkout.parent / "summary.md").read_text().startswith("### molt-bench: worse\n")
    assert re.search(
        r"^\| <code>mine</code> \| 3 \| \d+ \|.*\| worse \|$", (out / "comment.md").read_text(), re.MULTILINE
    )
    assert (out / "gh.txt").read_text().split()[:4] == ["pr", "comment", "7", "--body-file"]
    suite = ElementTree.parse(out / "junit.xml").getroot()[0]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("1", "1")


@pytest.mark.slow
def test_a_change_that_changes_nothing_passes(repository):
    checkout = repository("fold")
    done = run_steps(checkout, *ALL)
    assert (done.returncode, done.stderr) == (0, "")
    suite = ElementTree.parse(checkout / "molt-bench-out" / "junit.xml").getroot()[0]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("1", "0")
    assert re.search(r"^ *mine .* within 25 *$", done.stdout, re.MULTILINE)


def test_the_workflow_uses_expressions_in_its_settings_alone():
    """Never in a script, where the name of a branch could become a command."""
    assert all("${{" not in step["run"] for step in STEPS.values())
    assert WORKFLOW["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert json.dumps(WORKFLOW[True]) == '"pull_request"'  # YAML reads `on` as true
