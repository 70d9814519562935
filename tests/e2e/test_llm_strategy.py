"""Replies that state a strategy in whole runs: the same bytes from every command, whatever cut the run."""

import json
import shutil

import pytest

from molt_bench.poker.notation import hand_from_text
from tests.e2e.llm import SAME, config_for, cut, exchanges_in, gone_on, played, same_files
from tests.e2e.shell import lines_of, quick, unvouched
from tests.llm.mixing import mixing
from tests.viewing import told

FILES = SAME


def careless(prompt, body):
    """State a strategy, of which every fifth does not add up."""
    answer = mixing(prompt)
    if len(prompt) % 5 == 0:
        answer["strategy"][0]["percent"] += 1
    return answer


def config_of(url, **settings):
    """Return the config of a model that mixes, with a memory, and one that is asked for actions."""
    config = config_for(url, reply="strategy", **settings)
    config["game"] = {"handsPerGame": 3}
    return config


@pytest.fixture(scope="module")
def whole(one_server, tmp_path_factory):
    """Return the folder of a finished run."""
    with one_server.saying(careless):
        return played(tmp_path_factory.mktemp("whole"), config_of(one_server.url))


def test_strategies_are_on_record(whole):
    journal = lines_of(whole, "journal.jsonl")
    stated = sum(text.count(":") for line in journal if line["line"] == "game" for text in line["record"]["mixes"])
    assert stated > len(exchanges_in(whole)) / 2
    assert journal[0]["agents"]["model"]["reply"] == "strategy/1"


@pytest.mark.parametrize(("games", "exchanges"), [(1, 7), (5, None)])
def test_a_run_that_was_cut_goes_on_to_the_same_bytes(whole, server, tmp_path, games, exchanges):
    folder = shutil.copytree(whole, tmp_path / "run")
    cut(folder, games=games, exchanges=exchanges)
    server.say = careless
    gone_on(folder)
    assert same_files(folder, FILES) == same_files(whole, FILES)


def test_odds_that_are_not_those_of_the_reply_are_noticed(whole, tmp_path):
    folder = shutil.copytree(whole, tmp_path / "run")
    path = folder / "replies.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    edited = next(line for line in lines if line["line"] == "exchange" and '"percent"' in line["text"])
    reply = json.loads(edited["text"])
    reply["strategy"] = [{"kind": "fold", "amount": None, "percent": 100}]
    edited["text"] = json.dumps(reply)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    unvouched(folder)
    done = quick("verify", folder)
    assert done.returncode == 1
    assert "differs" in done.stderr or "no exchange is recorded for model" in done.stderr
    assert "Traceback" not in done.stderr


def hand(run, match, seed, number):
    return told(run.parent, run.name, f"/hand/{match}/{seed}/{number}")


def test_the_viewer_shows_what_was_stated_and_what_was_asked(whole):
    """What was done is one of the stated actions, and prompts come out as they were, with memory."""
    places = [(match, seed, hand) for match in (1, 2, 3) for seed in (0, 1) for hand in (1, 2, 3)]
    shown = 0
    for side in [side for place in places for side in hand(whole, *place)["sides"]]:
        log = hand_from_text(side["notation"]).hand.log
        for decision, done in zip(side["decisions"], log, strict=True):
            for attempt in decision["exchange"]["attempts"] if decision["exchange"] else ():
                assert attempt["prompt"]
                assert (attempt["strategy"] is None) == (attempt["error"] is not None)
                if attempt["error"] is None:
                    stated = [(each["kind"], each["amount"]) for each in attempt["strategy"]]
                    assert (done.kind, done.amount if done.kind == "raiseTo" else 0) in stated
                    shown += 1
    assert shown
