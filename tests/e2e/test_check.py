"""`molt-bench check`: is a participant fit to play?"""

import json
import re
import sys
from functools import partial
from pathlib import Path

import pytest

from molt_bench.poker.notation import hand_from_text
from tests.agents.external.boxes import needs_bubblewrap
from tests.e2e.shell import one_clear_line, quick, strict_json
from tests.llm.provider import Provider

ROOT = Path(__file__).parents[2]

#: A program that plays, and leaves a note of every process.
PROGRAM = """
import json, os, sys, time
open(os.path.join(os.path.dirname(__file__), "pids"), "a").write(f"{os.getpid()}\\n")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "protocol": 1}
    elif message["type"] == "observation":
        action = {"kind": "call" if message["toCall"] else "check"}
        answer = {"type": "action", "id": message["id"], **action}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def check(tmp_path):
    """Return a function that checks a participant in a fork of this process."""
    return partial(quick, "check", cwd=tmp_path)


def test_a_good_agent_is_fit_and_everything_is_ok(check):
    done = check("tight", "--hands", 5)
    assert done.returncode == 0, done.stderr
    first, *lines, speed = done.stdout.splitlines()
    assert first == "tight: fit to play"
    assert len(lines) == 7
    assert all(line.startswith("  ok    ") for line in lines)
    assert re.fullmatch(
        r"  asked [\d,]+ times; an answer takes \S+ ms \(median\), \S+ ms \(95%\), \S+ ms \(slowest\).*", speed
    )
    assert done.stderr == ""


def test_a_bad_agent_gets_its_faults_and_status_1(check, bots):
    done = check(f"{bots}:make_thrower", "--hands", 3)
    assert done.returncode == 1
    assert done.stdout.startswith("thrower: NOT fit to play\n")
    assert "3 x exception, first in hand 1: RuntimeError: this agent always throws" in done.stdout
    assert "fault exception, 3 times; the first in hand 1 against callstation, in seat 0: deep stacks" in done.stdout
    assert "Traceback" not in done.stderr


def test_params_are_passed_on(check, bots):
    done = check(f"{bots}:make_picky", "--param", "size=4", "--hands", 3)
    assert done.stdout.startswith("picky-4: fit to play\n"), done.stderr


def test_json_is_one_object(check, bots):
    done = check(f"{bots}:make_thrower", "--hands", 3, "--json")
    content = strict_json(done.stdout)
    assert done.returncode == 1
    assert content["fit"] is False
    assert content["repeats"] is None
    (fault,) = content["faults"]
    assert (fault["kind"], fault["count"], fault["opponent"]) == ("exception", 3, "callstation")
    assert hand_from_text(fault["hand"]).number == fault["handNumber"] == 1
    assert content["latencyMs"]["median"] <= content["latencyMs"]["p95"] <= content["latencyMs"]["slowest"]
    good = strict_json(check("callstation", "--hands", 2, "--json").stdout)
    assert good["fit"]
    assert good["repeats"]
    assert good["faults"] == []
    assert {"claim", "ok", "required", "problems"} == good["checks"][0].keys()


def test_whether_it_repeats_itself_is_worth_a_note(check, tmp_path):
    (tmp_path / "moody.py").write_text(
        "from molt_bench import Action\n"
        "class Moody:\n"
        "    name, games = 'moody', 0\n"
        "    def reset(self):\n"
        "        Moody.games += 1\n"
        "    def act(self, observation):\n"
        "        return Action('fold' if Moody.games % 2 else 'call' if observation.to_call else 'check')\n"
    )
    done = check("moody.py:Moody", "--hands", 10)
    assert done.returncode == 0
    assert "  note  it plays the same cards the same way" in done.stdout
    assert re.search(r"\d+ of 10 hands were played differently the second time", done.stdout)


@pytest.mark.parametrize(
    ("participant", "said"),
    [
        ("tigt", "did you mean 'tight'?"),
        ("bots.py:make_trouble", "its factory raised ValueError: no licence"),
        ("bots.py:make_nothing", "which is not an agent"),
        ("missing.py:make", "missing.py:make"),
        ("exec:./no-such-program", "no-such-program"),
        ("http:nowhere", "a URL such as"),
        ("", "an agent, such as tight"),
    ],
)
def test_what_cannot_be_made_is_one_clear_line(check, bots, participant, said):
    one_clear_line(check(participant), said)


@needs_bubblewrap
@pytest.mark.parametrize("participant", ["bots.py:make_trouble", "broken.py:make"])
def test_what_cannot_be_made_in_a_sandbox_is_one_clear_line_as_well(check, bots, tmp_path, participant):
    (tmp_path / "broken.py").write_text("import no_such_module\n\ndef make():\n    return None\n")
    why = "no_such_module" if "broken" in participant else "no licence"
    one_clear_line(check(participant, "--sandbox"), "cannot play", why)


def test_a_params_typo_is_one_clear_line(check):
    one_clear_line(check("random", "--param", "sed=3"), "expected what 'random' takes: name")


@pytest.mark.parametrize("arguments", [(), ("tight", "--hands", "0"), ("tight", "--param", "x"), ("tight", "--no")])
def test_wrong_usage_is_status_2(check, arguments):
    assert check(*arguments).returncode == 2


@pytest.mark.slow
def test_a_program_is_checked_and_none_of_its_processes_is_left(check, tmp_path):
    (tmp_path / "bot.py").write_text(PROGRAM)
    done = check(f"exec:{sys.executable} -S bot.py", "--hands", 1, "--no-sandbox")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("bot: fit to play\n")
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == len({*pids}) == 44
    assert [pid for pid in pids if "bot.py" in command_line(pid)] == []


def test_a_program_that_crashes_is_found_out_soon(check):
    done = check(f"exec:{sys.executable} -S -c 1/0", "--hands", 2)
    assert done.returncode == 1
    assert "crash, first in hand 1" in done.stdout
    assert "ZeroDivisionError" in done.stdout


def test_for_a_language_model_the_calls_are_told_first_and_are_few(check):
    with Provider() as provider:
        env = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url}
        done = check("llm:openai:gpt-4.1", "--json", env=env)
    assert done.returncode == 0, done.stderr
    warning, told = done.stderr.splitlines()
    assert "OPENAI_BASE_URL sends the requests and the key of gpt-4.1 to http://127.0.0.1" in warning
    assert told == "molt-bench: gpt-4.1 will be called about 96 times; --hands changes that"
    assert json.loads(done.stdout)["decisions"] == provider.answered < 160


def test_the_screen_in_the_guide_is_what_is_printed(check):
    guide = (ROOT / "docs" / "how-to" / "write-a-bot.md").read_text("utf-8")
    shown = re.search(r"```console\n\$ molt-bench check (\S+)\n```\n\n```text\n(.*?)```", guide, re.DOTALL)
    done = quick("check", shown[1], cwd=ROOT)
    assert _timeless(done.stdout) == _timeless(shown[2])


def _timeless(text):
    return re.sub(r"\S+ ms", "* ms", text).partition("; the first of a game")[0].strip()


def command_line(pid):
    """Return how a process was started; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
