"""A kill hides no cost: what was under way counts as spent afterwards, and is shown."""

import json
import signal

import pytest

from tests.e2e.llm import (  # noqa: F401 - fixtures
    MODEL,
    PRICE,
    calm_server,
    config_for,
    exchanges_in,
    forked,
    module_server,
    no_keys,
    pick,
    preflights_in,
    until,
)
from tests.e2e.shell import Fork, quick, read, run_of

KILLS = 10
#: Dollars of the limit: enough that a run survives that many kills, and too few for all games.
LIMIT = 8.0
AT_ONCE = 4


def bill(request):
    """Return what the server charges for a request that it has seen, answered or not, in dollars."""
    said = json.loads(request.reply) if False else None
    return said


def limited(server, **more):
    """Return a config with a limit, and a limit of tokens for replies."""
    config = config_for(server.url, memory="none", maxTokens=200, **more)
    config["seeds"]["perMatch"] = 10
    config["stop"] = {"adjacentConfidence": None, "budget": {"maxMatches": 3, "maxCostUsd": LIMIT}}
    return config


def reported(folder):
    """Return the dollars that a run's exchanges cost, those before its first game included."""
    return sum(line["costUsd"] or 0.0 for line in [*exchanges_in(folder), *preflights_in(folder)])


def billed(server, before):
    """Return what the server bills for all requests since, at most: it answers with at most as many tokens as here."""
    dearest = (400 * PRICE["input"] + 60 * PRICE["output"]) / 1e6
    return dearest * (server.received - before)


def killed(server, home, config, sitting):
    """Begin a run or go on with it, and kill it in the middle of its requests; return whether it was killed."""
    before, process = server.received, None
    place = pick(8, "place", sitting) + AT_ONCE

    def kill(request):
        if request.number == before + place:
            until(lambda: process)
            process.kill()

    server.hook = kill
    flags = ("--no-preflight", "--quiet", "--games-at-once", str(AT_ONCE))
    there = (home / "out").exists()
    process = Fork("resume", run_of(home / "out"), *flags) if there else forked(home, config, *flags[::2])
    _, err = process.communicate()
    server.hook = None
    until(lambda: server.in_flight == 0)
    assert process.returncode in (0, 5, -signal.SIGKILL), err
    return process.returncode == -signal.SIGKILL
