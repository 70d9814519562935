"""`molt-bench gate` as a user runs it, and the workflow in the docs that gates a change of an agent."""

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.e2e.shell import FILES, good, in_bash, one_clear_line, quick, run_of, start, until, verified
from tests.llm.provider import Provider

BOT = """
import time
from molt_bench import Action


class Bot:
    name = "bot"

    def __init__(self, folds=0, broken=0, pause=0.0):
        self.folds, self.broken, self.pause = folds, broken, pause

    def act(self, observation):
        time.sleep(self.pause)
        if self.broken and observation.hand_number % self.broken == 0:
            raise ValueError("broken")
        if not observation.to_call:
            return Action("check")
        return Action("fold") if self.folds and observation.hand_number % self.folds == 0 else Action("call")
"""
QUICK = ("--opponents", "tight,maniac", "--set", "game.handsPerGame=10", "--output-dir", "runs", "--slower", "0")
#: So wide a margin and so few hands that the first look tells.
SHORT = ("--margin", "50000", "--set", "game.handsPerGame=2", "--set", "scheduler.minSeedPairs=5")


@pytest.fixture
def home(tmp_path):
    for version in ("old", "new"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "bot.py").write_text(BOT)
    return tmp_path


def gate(home, *more, new="new/bot.py:Bot", against="old/bot.py:Bot", **options):
    return quick("gate", new, "--against", against, *QUICK, *more, cwd=home, **options)


def test_a_copy_is_not_worse_in_every_form_and_its_run_is_verified(home):
    done = good(gate(home, "--save", "a.md", "--save", "a.xml", "--save", "a.json"))
    assert done.stdout.startswith("The new version is not worse by more than 50 bb/100. The change is 0.0 ±")
    folder = run_of(home / "runs")
    assert {path.name for path in folder.iterdir()} <= FILES
    assert json.loads((folder / "summary.json").read_text())["gate"]["verdict"] == "not worse"
    verified(folder)
    assert "The new version is not worse" in quick("report", folder).stdout
    assert "not worse" in (home / "a.md").read_text()
    assert ElementTree.parse(home / "a.xml").find("testsuite").get("failures") == "0"
    assert json.loads((home / "a.json").read_text())["verdict"] == "not worse"


@pytest.mark.parametrize(
    ("param", "flags", "against", "said"),
    [
        ("folds=1", (), "tag", "surely lost more than 50 bb/100"),
        ("broken=1", (), "tag", "it made faults in"),
        ("broken=7", ("--margin", "5000"), "old/bot.py:Bot", "it made faults in"),  # though they cost little
        ("pause=0.002", (*SHORT, "--slower", "3"), "old/bot.py:Bot", "a decision takes "),
    ],
)
def test_a_version_that_folds_raises_or_is_slow_is_status_4_and_it_is_said_why(home, param, flags, against, said):
    done = gate(home, "--new-param", param, *flags, against=against)
    assert done.returncode == 4, done.stderr
    assert said in done.stdout


def test_a_spent_budget_is_status_6_with_what_it_would_take_and_the_run_goes_on(home):
    done = gate(home, *SHORT, "--margin", "100", "--max-hands", "300", new="tag", against="callstation")
    assert done.returncode == 6, done.stdout
    assert "An answer takes about" in done.stdout
    folder = run_of(home / "runs")
    before = (folder / "journal.jsonl").read_text().count('"line":"game"')
    more = quick("resume", folder, "--set", "stop.budget.maxHands=400", cwd=home)
    assert more.returncode in (0, 4, 6), more.stderr
    assert (folder / "journal.jsonl").read_text().count('"line":"game"') > before


PROGRAM = """
import json, sys
print(json.dumps({"type": "hello", "protocol": 1, "name": sys.argv[1]}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observation":
        kind = sys.argv[1] if message["toCall"] else "check"
        print(json.dumps({"type": "action", "id": message["id"], "kind": kind}), flush=True)
"""


@pytest.mark.slow
def test_programs_are_compared_as_files_are(home):
    (home / "prog.py").write_text(PROGRAM)
    old, new = (f"exec:python3 -I -S prog.py {word}" for word in ("call", "fold"))
    assert json.loads(good(gate(home, *SHORT, "--json", new=new, against=old)).stdout)["changeBbPer100"] != 0


@pytest.mark.slow
def test_two_prompts_of_a_model_are_compared_within_a_limit_of_dollars(home):
    for name, text in (("old", "Play well."), ("new", "Fold.")):
        (home / f"{name}.md").write_text(text)

    def policy(prompt, body):
        return {"kind": "fold"} if "Fold." in json.dumps(body) else {"kind": "call"}

    model = "llm:openai:some-model"
    with Provider(policy=policy, keep_requests=False) as provider:
        more = ("--param", "apiKeyEnv=KEY", "--param", f"baseUrl={provider.url}", "--new-param", "skillDoc=new.md")
        prices = ("--set", 'llm.prices={"openai:some-model": {"input": 1, "output": 1}}', "--max-cost", "3")
        done = good(gate(home, *more, *prices, *SHORT, "--json", new=model, against=model, env={"KEY": "a-key"}))
    assert 0 < json.loads(done.stdout)["costUsd"] <= 3


@pytest.mark.slow
def test_the_same_command_goes_on_with_a_gate_that_was_interrupted(home):
    slow = ("--param", "pause=0.002")
    playing = start("gate", "new/bot.py:Bot", "--against", "old/bot.py:Bot", *QUICK, *SHORT, *slow, cwd=home)
    journals = until(lambda: [path for path in home.glob("runs/*/journal.jsonl") if path.read_text().count("game") > 9])
    playing.kill()
    playing.communicate()
    begun = journals[0].read_text()
    good(gate(home, *SHORT, *slow, "--resume"))
    assert journals[0].read_text().startswith(begun[: begun.rindex("\n") + 1])
    assert len([*(home / "runs").iterdir()]) == 1


def test_versions_that_import_different_modules_of_one_name_are_refused(home):
    for version in ("old", "new"):
        (home / version / "helpers.py").write_text(f"NAME = '{version}'\n")
        (home / version / "bot.py").write_text(f"import helpers\n{BOT}")
    one_clear_line(gate(home), "NEW", "same helpers.py beside it")
    (home / "new" / "helpers.py").write_text("NAME = 'old'\n")
    good(gate(home, *SHORT))


# The steps of the workflow in the docs, run in a repository with an agent.

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


make = Agent
"""
#: A stand-in for GitHub's program, which notes what it was asked to do.
GH = '#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT/gh.txt"\n'


def git(*arguments, cwd):
    name = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *name, *arguments], check=True, capture_output=True, cwd=cwd)


@pytest.fixture
def checkout(tmp_path):
    """Return a function that makes a checkout of a branch in which the agent answers differently than in main."""

    def make(answer):
        origin, checkout = tmp_path / "origin", tmp_path / "checkout"
        origin.mkdir()
        git("init", cwd=origin)
        (origin / "agent.py").write_text(AGENT.format(answer="fold"))
        git("add", ".", cwd=origin)
        git("commit", "-m", "An agent that folds", cwd=origin)
        git("clone", str(origin), str(checkout), cwd=tmp_path)
        git("checkout", "-b", "change", cwd=checkout)
        (checkout / "agent.py").write_text(AGENT.format(answer=answer) + "# changed\n")
        git("commit", "-a", "-m", "A change", cwd=checkout)
        return checkout

    return make


def run_steps(checkout):
    """Run the gate and the comment as GitHub does, and return how the gate ended."""
    bin_folder = checkout.parent / "bin"
    bin_folder.mkdir()
    (bin_folder / "gh").write_text(GH)
    (bin_folder / "gh").chmod(0o755)
    known = {"github.base_ref": "main", "github.workspace": str(checkout), "github.token": "t"}
    known["github.event.pull_request.number"] = "7"

    def filled_in(variables):
        return {
            key: re.sub(r"\$\{\{ (.+?) \}\}", lambda found: known[found[1]], text) for key, text in variables.items()
        }

    shared = {
        **filled_in(JOB["env"]),
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(checkout.parent / "summary"),
    }
    done = {}
    for name in ("Gate", "Comment"):
        env = {**shared, **filled_in(STEPS[name].get("env", {}))}
        script = f'set -o pipefail; PATH="{bin_folder}:$PATH"\n{STEPS[name]["run"]}'
        done[name] = in_bash(script, cwd=checkout, env=env)
    good(done["Comment"])
    return done["Gate"]


@pytest.mark.slow
def test_a_change_that_makes_the_agent_worse_fails_and_says_so_everywhere(checkout):
    here = checkout("call")
    done = run_steps(here)
    assert done.returncode == 4, done.stderr
    assert "surely lost more than" in done.stdout
    assert "surely lost more than" in comment_of(here)
    suite = ElementTree.parse(here / "molt-bench-out" / "junit.xml").find("testsuite")
    assert int(suite.attrib["failures"]) > 0


def comment_of(checkout):
    """Return the text of the comment that was asked for."""
    asked = (checkout / "molt-bench-out" / "gh.txt").read_text().split()
    assert asked[:4] == ["pr", "comment", "7", "--body-file"]
    return Path(asked[4]).read_text()


@pytest.mark.slow
def test_a_change_that_changes_nothing_passes(checkout):
    here = checkout("fold")
    assert "not worse by more than" in good(run_steps(here)).stdout
    assert "not worse by more than" in comment_of(here)
    suite = ElementTree.parse(here / "molt-bench-out" / "junit.xml").find("testsuite")
    assert suite.attrib["failures"] == "0"


def test_the_workflow_uses_expressions_in_its_settings_alone():
    """Never in a script, where the name of a branch could become a command."""
    assert all("${{" not in step["run"] for step in STEPS.values())
    assert WORKFLOW["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert json.dumps(WORKFLOW[True]) == '"pull_request"'  # YAML reads `on` as true
