"""A model with tools and several samples: its run is verified, resumed and shown like any other."""

import json
import shutil
from hashlib import sha256

import pytest

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.talk.prompt import prompt_hash
from molt_bench.view.library import Library
from tests.agents.llm import wire
from tests.e2e.llm import config_for, cut, exchanges_in, gone_on, killed_and_resumed, played, same_files
from tests.e2e.shell import quick, read
from tests.view.test_hand_page import every_side

SETTINGS = {"tools": ["equity", "pot_odds"], "samples": 2}

#: The label of the harness.
STRICT = LLMSettings(model="openai:m").harness_label


def asks_first(prompt, body):
    """Ask a tool before about half of the decisions, and fail to decide at a few."""
    roll = int(sha256(prompt.encode()).hexdigest(), 16)
    told = wire.answers_of("openai", body)
    if roll % 2 and not told:
        return wire.Asks([("equity", {"range": "random" if roll % 3 else "what?"}), ("pot_odds", {})])
    return "I will not say." if roll % 11 == 0 else wire.default_policy(prompt, body)


def config(server):
    made = config_for(server.url, **SETTINGS)
    return {**made, "game": {"handsPerGame": 3}, "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 2}}}


@pytest.fixture(scope="module")
def run(one_server, tmp_path_factory):
    """Return a run of such a model."""
    with one_server.saying(asks_first):
        return played(tmp_path_factory.mktemp("tools"), config(one_server), "--games-at-once", "1")


@pytest.mark.slow
def test_everything_is_recorded_and_the_agent_is_named_for_what_it_is(run):
    exchanges = exchanges_in(run)
    asking = [each for each in exchanges if "calls" in each]
    told = [each for each in exchanges if "answers" in each]
    assert len(asking) == len(told) > 10
    assert {each.get("sample", 0) for each in exchanges} == {0, 1}
    assert all(each["costUsd"] > 0 for each in exchanges)
    (usage,) = read(run, "usage.json")["models"]
    assert (usage["samples"], usage["tools"]) == (2, ["equity", "pot_odds"])
    assert usage["exchanges"] == len(exchanges)
    assert usage["costUsd"] == pytest.approx(sum(each["costUsd"] for each in exchanges), rel=0.05)
    shown = quick("report", run)
    assert "2 samples, tools equity and pot_odds" in shown.stdout


@pytest.mark.parametrize("command", ["verify", "report"])
@pytest.mark.slow
def test_verify_and_report_ask_nobody(run, server, tmp_path, command):
    folder, before = shutil.copytree(run, tmp_path / "run"), server.received
    done = quick(command, folder)
    assert done.returncode == 0, done.stderr
    assert same_files(folder) == same_files(run)
    assert server.received == before


@pytest.mark.slow
def test_cut_it_is_resumed_to_the_same_bytes(run, server, tmp_path):
    folder = shutil.copytree(run, tmp_path / "run")
    server.say = asks_first
    cut(folder, games=4)
    before = server.received
    gone_on(folder)
    assert server.received == before, "something was paid for twice"
    assert same_files(folder) == same_files(run)


@pytest.mark.slow
def test_a_journal_ahead_of_the_last_step_is_played_again_from_there(run, server, tmp_path):
    folder = shutil.copytree(run, tmp_path / "run")
    server.say = asks_first
    exchanges = exchanges_in(folder)
    last = next(place for place in range(len(exchanges) - 1, 0, -1) if exchanges[place].get("step"))
    games = [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()[1:]]
    cut(folder, games=len(games) - 1, exchanges=last)
    gone_on(folder)
    assert same_files(folder) == same_files(run)


@pytest.mark.slow
def test_killed_between_a_call_and_its_answer_nothing_is_paid_twice(run, server, tmp_path):
    server.say = asks_first
    begin = server.received
    folder = killed_and_resumed(server, tmp_path, config(server), (6, 3, 11), "--games-at-once", "1")
    assert same_files(folder) == same_files(run)
    found = exchanges_in(folder)
    assert len({each["key"] for each in found}) == len(found) == len(exchanges_in(run))
    answered = sum(request.answered for request in server.since(begin))
    assert answered - len(found) <= 3 * 2  # two samples were under way at each kill


def test_the_viewer_shows_what_was_asked_with_all_calls_and_answers(run, tmp_path):
    shutil.copytree(run, tmp_path / "runs" / "2026-01-01T10-00-00-tools")
    library = Library(tmp_path / "runs")
    steps = 0
    for page in every_side(library, "2026-01-01T10-00-00-tools"):
        for side in page["sides"]:
            for decision in side["decisions"]:
                exchange = decision["exchange"]
                for attempt in exchange["attempts"] if exchange else ():
                    assert prompt_hash(STRICT, exchange["system"], attempt["prompt"]) == attempt["promptHash"]
                    assert ("You asked equity" in attempt["prompt"]) == (attempt["step"] > 0)
                    steps += attempt["step"]
    assert steps > 10
