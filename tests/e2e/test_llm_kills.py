"""Priced runs of three models, killed again and again at any moment: the same bytes, paid once."""

import signal
import threading
from collections import Counter
from contextlib import suppress
from hashlib import sha256

import pytest

from tests.e2e.llm import exchanges_in, forked, pick, played, same_files, until
from tests.e2e.shell import Fork, quick, run_of
from tests.llm import wire
from tests.llm.mixing import mixing

#: How often runs are killed, over both kinds of stacks; the last run is killed to its end.
KILLS = 100
#: Dollars for a million tokens: so far apart that the schedule depends on every exchange that counts.
PRICES = {"openai:cheap": 1.0, "openai:dear": 100.0, "openai:dearest": 900.0}
GAMES_AT_ONCE = 4
#: No more requests than this can be under way at once: each game waits for one decision.
IN_FLIGHT = GAMES_AT_ONCE


def says(prompt, body):
    """Decide by the whole request, in the form that it asks for, and fail to decide at times."""
    roll = int(sha256(repr(body["messages"]).encode()).hexdigest(), 16)
    if roll % 17 == 0:
        return "I will not say."
    return mixing(prompt) if '"strategy"' in prompt else wire.default_policy(prompt, body)


def config(url, stacks):
    """Return a config of three priced models and a bot, long enough for its schedule to depend on prices."""
    ways = (
        {"memory": "session"},
        {"track": "bare"},
        {"reply": "strategy"},
    )
    models = [
        {"id": name[7:], "type": f"llm:{name}", "baseUrl": url, **way} for name, way in zip(PRICES, ways, strict=True)
    ]
    return {
        "participants": [*models, "tight"],
        "seeds": {"perMatch": 2, "masterSeed": f"the master seed of these {stacks} tests"},
        "game": {"handsPerGame": 2, "stacks": stacks},
        "scheduler": {"minSeedPairs": 2, "rematchWindow": 0},
        "stop": {"adjacentConfidence": {"threshold": 0.999, "tieMarginMbb": 1}, "budget": {"maxMatches": 8}},
        "llm": {"backoffS": 0.01, "prices": {name: {"input": usd, "output": usd} for name, usd in PRICES.items()}},
        "outputDir": "out",
    }


def sitting(server, home, made, *labels):
    """Begin a run or go on with it, until it is killed or done; return whether it was killed, and what it asked."""
    before, process = server.received, None
    after, delay_s = pick(40, "place", *labels), 0.0005 * pick(60, "moment", *labels)

    def kill():
        until(lambda: process)
        with suppress(ProcessLookupError):
            process.kill()

    timer = threading.Timer(delay_s, kill)
    server.hook = lambda request: request.number == before + after and timer.start()
    flags = ("--no-preflight", "--games-at-once", str(GAMES_AT_ONCE))  # which gives up within seconds on a busy machine
    if (home / "out").exists():
        process = Fork("resume", "--run-agents", run_of(home / "out"), "--quiet", *flags)
    else:
        process = forked(home, made, *flags)
    _, err = process.communicate()
    server.hook = None
    timer.cancel()
    assert process.returncode in (0, -signal.SIGKILL), err
    until(lambda: server.in_flight == 0)
    return process.returncode != 0, asked_of(server.since(before))


def asked_of(requests):
    """Return how often each body was sent."""
    return Counter(repr(request.body) for request in requests)


def timeless(folder):
    """Return the exchanges of a run without what differs from sitting to sitting."""
    return sorted((line["key"], line["promptHash"], line["text"], line["costUsd"]) for line in exchanges_in(folder))


@pytest.mark.slow
@pytest.mark.parametrize("stacks", ["carry", "reset"])
def test_killed_at_any_moment_a_run_of_three_priced_models_pays_once_and_ends_the_same(tmp_path, server, stacks):
    server.say = says
    server.delay = lambda number: 0.001 * pick(8, "delay", number)
    made = config(server.url, stacks)
    before = server.received
    whole = played(tmp_path / "whole", made, "--no-preflight")
    bodies = asked_of(server.since(before))
    files, exchanges = same_files(whole), timeless(whole)
    assert len(exchanges) == bodies.total() > 150

    kills = runs = again = 0
    while kills < KILLS // 2:
        runs += 1
        home, sent, known, killed = tmp_path / f"killed{runs}", Counter(), 0, True
        while killed:
            killed, now = sitting(server, home, made, stacks, kills)
            kills += killed
            sent += now
            folder = run_of(home / "out")
            recorded = len(exchanges_in(folder))
            assert 0 <= now.total() - (recorded - known) <= IN_FLIGHT, "more was lost than was under way"
            known = recorded
        assert set(sent) == set(bodies), "something was asked that an undisturbed run does not ask"
        assert not bodies - sent
        again += (sent - bodies).total()
        assert same_files(folder) == files
        assert timeless(folder) == exchanges
        assert quick("verify", folder).returncode == 0
    print(f"{kills} kills of {runs} runs, {bodies.total()} requests each: {again} were sent again")
