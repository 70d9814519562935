"""Form of reply, protocol, memory, track and stacks, all combined: runs of models that differ in them.

Each run is killed and resumed, verified, reported, written as one page, and exported.
"""

import importlib
from itertools import product

import pytest

from tests.e2e.llm import PRICE, exchanges_in, killed_and_resumed, played, same_files
from tests.e2e.shell import quick, read
from tests.llm.playing import MODELS
from tests.llm.talking import Talker
from tests.viewing import told

APIS = {**MODELS, "responses": "openai-responses:gpt-4.1"}
OPTIONS = {
    "reply": ("action", "strategy"),
    "api": tuple(APIS),
    "memory": ("none", "session"),
    "track": ("standard", "bare"),
}
#: Every combination, in parts of which each has a run of its own.
EVERY = [dict(zip(OPTIONS, values, strict=True)) for values in product(*OPTIONS.values())]
PARTS = 4
FORMATS = ("phh", "csv")
#: What the first requests import, so that no fork of this process takes the time.
LIBRARIES = [f"pydantic_ai.{kind}.{name}" for kind in ("models", "providers") for name in ("anthropic", "google")]


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    for library in LIBRARIES:
        importlib.import_module(library)


def player(server, *, api, **settings):
    """Return a participant with these settings."""
    name = f"{api} {' '.join(settings.values())}"
    url = server.url if api in ("openai", "responses") else server.url.removesuffix("/v1")
    limit = {"maxTokens": 2000} if api == "anthropic" else {}
    return {"id": name, "type": "llm", "model": APIS[api], "baseUrl": url, **limit, **settings}


def config_of(server, combinations, stacks):
    """Return a run in which models with these settings play two hands from both seats against the next one."""
    players = [player(server, **each) for each in combinations]
    return {
        "participants": players,
        "seeds": {"perMatch": 1, "masterSeed": "the master seed of these tests"},
        "game": {"handsPerGame": 2, "stacks": stacks},
        "scheduler": {"minSeedPairs": 1},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": (len(players) + 1) // 2}},
        "llm": {"backoffS": 0.01, "prices": dict.fromkeys(APIS.values(), PRICE)},
        "outputDir": "out",
    }


def check_all_views(folder):
    """Check that a run is verified, reported, shown, written as one page, and exported."""
    done = quick("verify", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert quick("export", folder, "--format", "html", "--output", folder.parent / "run.html").returncode == 0
    assert (folder.parent / "run.html").stat().st_size > 10_000
    for kind in FORMATS:
        done = quick("export", folder, "--format", kind, "--output", "-")
        assert done.returncode == 0, done.stderr
        assert done.stdout, kind
    found = exchanges_in(folder)
    assert len({each["key"] for each in found}) == len(found)
    players = {row["id"] for row in read(folder, "leaderboard.json")["participants"]}
    assert {each["participant"] for each in found} == players
    matches = len(read(folder, "matches.json")["matches"])
    attempts = [
        attempt
        for match, hand in product(range(1, matches + 1), (1, 2))
        for side in told(folder.parent, folder.name, f"/hand/{match}/0/{hand}")["sides"]
        for decision in side["decisions"]
        if decision["exchange"]
        for attempt in decision["exchange"]["attempts"]
    ]
    assert all(attempt["prompt"] for attempt in attempts), "every prompt comes out as it was"
    assert attempts


def check(server, tmp_path, combinations, stacks, *, varies, places=(17, 40)):
    """Check everything about a run with these combinations."""
    config = config_of(server, combinations, stacks)
    server.say = Talker(varies=varies)
    folder = killed_and_resumed(server, tmp_path / "killed", config, places)
    before = server.received
    check_all_views(folder)
    assert server.received == before, "somebody was asked again"
    if not varies:
        whole = played(tmp_path / "whole", config)
        assert same_files(folder) == same_files(whole)
        hashes = [sorted(line["promptHash"] for line in exchanges_in(each)) for each in (whole, folder)]
        assert hashes[0] == hashes[1]
    assert all(each["asked"] for each in exchanges_in(folder))


@pytest.mark.slow
def test_a_model_that_states_strategies_is_killed_resumed_and_shown_in_every_protocol(server, tmp_path):
    every_option = [{**EVERY[-1], "api": api} for api in APIS]
    check(server, tmp_path, every_option, "carry", varies=False, places=(17,))


@pytest.mark.slow
@pytest.mark.parametrize(("stacks", "varies"), [("reset", True), ("carry", False)])
@pytest.mark.parametrize("part", range(PARTS))
def test_every_combination_is_killed_resumed_and_shown(server, tmp_path, part, stacks, varies):
    check(server, tmp_path, EVERY[part::PARTS], stacks, varies=varies)
