"""`molt-bench check`: is a participant fit to play?"""

import json
import re
import sys
from functools import partial
from pathlib import Path

import pytest

from molt_bench.poker.notation import hand_from_text
from tests.agents.external.boxes import needs_bubblewrap
from tests.agents.external.playing import CHAOS, PYTHON, left_of, log_of
from tests.e2e.shell import good, one_clear_line, quick, strict_json
from tests.llm.provider import Provider

ROOT = Path(__file__).parents[2]


@pytest.fixture
def check(tmp_path):
    """Return a function that checks a participant in a fork of this process."""
    return partial(quick, "check", cwd=tmp_path)


def test_a_good_agent_is_fit_and_everything_is_ok(check):
    done = good(check("tight", "--hands", 5))
    first, *lines, speed = done.stdout.splitlines()
    assert (first, len(lines), done.stderr) == ("tight: fit to play", 7, "")
    assert all(line.startswith("  ok    ") for line in lines)
    assert re.fullmatch(
        r"  asked [\d,]+ times; an answer takes \S+ ms \(median\), \S+ ms \(95%\), \S+ ms \(slowest\).*", speed
    )
    found = strict_json(check("callstation", "--hands", 2, "--json").stdout)
    assert (found["fit"], found["repeats"], found["faults"]) == (True, True, [])
    assert {"claim", "ok", "required", "problems"} == found["checks"][0].keys()


def test_a_bad_agent_gets_its_faults_with_a_hand_and_a_traceback_and_status_1(check, bots):
    done = check(f"{bots}:make_thrower", "--hands", 3)
    assert (done.returncode, "Traceback" in done.stderr, "agent_check" in done.stdout) == (1, False, False)
    assert done.stdout.startswith("thrower: NOT fit to play\n")
    for said in (
        "3 x exception, first in hand 1: RuntimeError: this agent always throws",
        "fault exception, 3 times; the first in hand 1 against callstation, in seat 0: deep stacks",
        "          Traceback (most recent call last):\n",
        'raise RuntimeError("this agent always throws")',
    ):
        assert said in done.stdout
    done = check(f"{bots}:make_thrower", "--hands", 3, "--json")
    content = strict_json(done.stdout)
    assert (done.returncode, content["fit"], content["repeats"]) == (1, False, None)
    (fault,) = content["faults"]
    assert (fault["kind"], fault["count"], fault["opponent"]) == ("exception", 3, "callstation")
    assert hand_from_text(fault["hand"]).number == fault["handNumber"] == 1
    assert fault["traceback"].endswith("RuntimeError: this agent always throws\n")
    assert content["latencyMs"]["median"] <= content["latencyMs"]["p95"] <= content["latencyMs"]["slowest"]


@needs_bubblewrap
@pytest.mark.parametrize(
    ("participant", "why"), [("bots.py:make_trouble", "no licence"), ("broken.py:make", "no_such")]
)
def test_what_cannot_be_made_in_a_sandbox_is_one_clear_line(check, bots, tmp_path, participant, why):
    (tmp_path / "broken.py").write_text("import no_such_module\n\ndef make():\n    return None\n")
    one_clear_line(check(participant, "--sandbox"), "cannot play", why)


@pytest.mark.slow
def test_a_program_is_checked_and_none_of_its_processes_is_left(check, tmp_path):
    log = tmp_path / "log"
    done = good(check(f"exec:{' '.join(PYTHON)} {CHAOS} well {log}", "--hands", 1, "--no-sandbox"))
    assert done.stdout.startswith("chaos: fit to play\n")
    assert sum(words[0] == "start" for words in log_of(log)) == 44
    assert left_of(log) == []


def test_a_program_that_crashes_is_found_out_soon(check):
    done = check(f"exec:{sys.executable} -S -c 1/0", "--hands", 2)
    assert done.returncode == 1
    assert "crash, first in hand 1" in done.stdout
    assert "ZeroDivisionError" in done.stdout


@pytest.mark.slow
def test_for_a_language_model_the_calls_are_told_first_and_are_few(check):
    with Provider() as provider:
        env = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url}
        done = good(check("llm:openai:gpt-4.1", "--json", env=env))
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
    return re.sub(r"\S+ ms", "* ms", text).strip()
