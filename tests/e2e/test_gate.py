"""`molt-bench gate` as a user runs it: files, programs and prompts, its forms, a budget, an interruption."""

import json
import subprocess
import time
from xml.etree import ElementTree

import pytest

from tests.e2e.shell import FILES, MOLT_BENCH, one_clear_line, quick, run_of
from tests.llm.provider import Provider

BOT = """
from molt_bench import Action


class Bot:
    name = "bot"

    def __init__(self, folds=0, broken=0):
        self.folds, self.broken = folds, broken

    def act(self, observation):
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


def gate(home, *more, new="new/bot.py:Bot", against="old/bot.py:Bot"):
    return quick("gate", new, "--against", against, *QUICK, *more, cwd=home)


def test_a_copy_is_not_worse_and_its_run_is_verified(home):
    done = gate(home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The new version is not worse by more than 50 bb/100. The change is 0.0 ±")
    folder = run_of(home / "runs")
    assert {path.name for path in folder.iterdir()} <= FILES
    assert json.loads((folder / "summary.json").read_text())["gate"]["verdict"] == "kept"
    assert quick("verify", folder, cwd=home).returncode == 0
    assert "The new version is not worse" in quick("report", folder, cwd=home).stdout


@pytest.mark.parametrize(
    ("param", "said"), [("folds=1", "surely lost more than 50 bb/100"), ("broken=1", "it made faults in")]
)
def test_a_version_that_folds_or_raises_is_status_4(home, param, said):
    done = gate(home, "--new-param", param, against="tag")
    assert done.returncode == 4, done.stderr
    assert said in done.stdout


def test_faults_in_few_hands_fail_even_where_they_cost_little(home):
    done = gate(home, "--new-param", "broken=7", "--margin", "5000", "--json")
    assert done.returncode == 4
    assert any("faults" in reason for reason in json.loads(done.stdout)["reasons"])


def test_a_slow_version_is_status_4_and_says_so(home):
    slow = BOT.replace(
        "    def act(self, observation):\n", "    def act(self, observation):\n        time.sleep(0.005)\n"
    )
    (home / "new" / "bot.py").write_text(f"import time\n{slow}")
    done = gate(home, *SHORT, "--slower", "3")
    assert done.returncode == 4, done.stderr
    assert "a decision takes " in done.stdout


def test_a_spent_budget_is_status_6_with_what_it_would_take_and_the_run_goes_on(home):
    done = gate(home, *SHORT, "--margin", "100", "--max-hands", "300", new="tag", against="callstation")
    assert done.returncode == 6, done.stdout
    assert "An answer takes about" in done.stdout
    folder = run_of(home / "runs")
    before = (folder / "journal.jsonl").read_text().count('"line":"game"')
    more = quick("resume", folder, "--set", "stop.budget.maxHands=400", cwd=home)
    assert more.returncode in (0, 4, 6), more.stderr
    assert (folder / "journal.jsonl").read_text().count('"line":"game"') > before


def test_every_form_says_the_same(home):
    done = gate(home, *SHORT, "--save", "a.md", "--save", "a.xml", "--save", "a.json")
    assert done.returncode == 0, done.stderr
    assert "not worse" in done.stdout
    assert "not worse" in (home / "a.md").read_text()
    assert ElementTree.parse(home / "a.xml").find("testsuite").get("failures") == "0"
    assert json.loads((home / "a.json").read_text())["verdict"] == "kept"


def test_programs_are_compared_as_files_are(home):
    (home / "prog.py").write_text(PROGRAM)
    old, new = (f"exec:python3 prog.py {word}" for word in ("call", "fold"))
    done = gate(home, *SHORT, "--json", new=new, against=old)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["changeBbPer100"] != 0


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
def test_two_prompts_of_a_model_are_compared_within_a_limit_of_dollars(home):
    for name, text in (("old", "Play well."), ("new", "Fold.")):
        (home / f"{name}.md").write_text(text)

    def policy(prompt, body):
        return {"kind": "fold"} if "Fold." in json.dumps(body) else {"kind": "call"}

    with Provider(policy=policy, keep_requests=False) as provider:
        more = ("--param", "apiKeyEnv=KEY", "--param", f"baseUrl={provider.url}", "--new-param", "skillDoc=new.md")
        prices = ("--set", 'llm.prices={"openai:some-model": {"input": 1, "output": 1}}', "--max-cost", "3")
        model = "llm:openai:some-model"
        done = quick(
            *("gate", model, "--against", model, *QUICK, *more, *prices, *SHORT, "--json"),
            cwd=home,
            env={"KEY": "a-key"},
        )
    assert done.returncode == 0, done.stderr
    assert 0 < json.loads(done.stdout)["costUsd"] <= 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gate", "nobody", "--against", "tag"), "nobody"),
        (("gate", "tag", "--against", "tag", "--opponents", "tag,,maniac"), "names with commas between"),
        (("gate", "tag", "--against", "tag", "--set", "stop.adjacentConfidence.tieMarginMbb=0"), "tieMarginMbb"),
    ],
)
def test_what_cannot_play_is_one_clear_line(arguments, said, tmp_path):
    one_clear_line(quick(*arguments, cwd=tmp_path), said)


@pytest.mark.slow
def test_the_same_command_goes_on_with_a_gate_that_was_interrupted(home):
    slow = BOT.replace(
        "    def act(self, observation):\n", "    def act(self, observation):\n        time.sleep(0.002)\n"
    )
    for version in ("old", "new"):
        (home / version / "bot.py").write_text(f"import time\n{slow}")
    command = [MOLT_BENCH, "gate", "new/bot.py:Bot", "--against", "old/bot.py:Bot", *QUICK, *SHORT]
    with subprocess.Popen(command, cwd=home, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as playing:
        for _ in range(600):
            journals = [*(home / "runs").glob("*/journal.jsonl")]
            if journals and journals[0].read_text().count('"line":"game"') > 3:
                break
            time.sleep(0.1)
        playing.kill()
    begun = journals[0].read_text()
    done = gate(home, *SHORT, "--resume")
    assert done.returncode == 0, done.stderr
    assert journals[0].read_text().startswith(begun[: begun.rindex("\n") + 1])
    assert len([*(home / "runs").iterdir()]) == 1


def test_versions_that_import_different_modules_of_one_name_are_refused(home):
    for version in ("old", "new"):
        (home / version / "helpers.py").write_text(f"NAME = '{version}'\n")
        (home / version / "bot.py").write_text(f"import helpers\n{BOT}")
    one_clear_line(gate(home), "NEW", "same helpers.py beside it")
    (home / "new" / "helpers.py").write_text("NAME = 'old'\n")
    assert gate(home, *SHORT).returncode == 0
