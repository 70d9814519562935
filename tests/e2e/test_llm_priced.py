"""Three priced models: what each has cost decides who plays next, and whoever reads the run again decides the same."""

import shutil

import pytest

from tests.e2e.llm import cut, gone_on, played, same_files
from tests.e2e.shell import quick, read

pytestmark = pytest.mark.slow

#: Dollars for a million tokens: so far apart that the schedule is another one with every exchange that counts.
PRICES = {"openai:cheap": 1.0, "openai:dear": 100.0, "openai:dearest": 900.0}


@pytest.fixture(scope="module")
def run(one_server, tmp_path_factory):
    """Return a run of three priced models and a bot, longer than what opens it."""
    one_server.calm()
    config = {
        "participants": [
            *[{"id": name[7:], "type": f"llm:{name}", "baseUrl": one_server.url} for name in PRICES],
            "tight",
        ],
        "seeds": {"perMatch": 2, "masterSeed": "the master seed of these tests"},
        "game": {"handsPerGame": 3},
        "scheduler": {"minSeedPairs": 2, "matchesPerRound": 1, "rematchWindow": 0},
        "stop": {
            "adjacentConfidence": {"threshold": 0.999, "tieMarginMbb": 1},
            "budget": {"maxMatches": 18},
        },
        "llm": {"backoffS": 0.01, "prices": {name: {"input": usd, "output": usd} for name, usd in PRICES.items()}},
        "outputDir": "out",
    }
    return played(tmp_path_factory.mktemp("priced"), config)


def test_the_schedule_looks_at_what_a_match_costs(run):
    met = [(match["participantA"], match["participantB"]) for match in read(run, "matches.json")["matches"]]
    later = met[6:]
    assert len(later) == 12
    assert later.count(("dear", "dearest")) < later.count(("cheap", "tight"))


@pytest.mark.parametrize("command", ["verify", "report"])
def test_it_is_verified_and_reported_to_the_same_bytes(run, tmp_path, command):
    folder = shutil.copytree(run, tmp_path / "run")
    done = quick(command, folder)
    assert done.returncode == 0, done.stderr
    assert same_files(folder) == same_files(run)


@pytest.mark.parametrize("games", [5, 30, 47, 63])
def test_cut_anywhere_it_is_resumed_to_the_same_bytes(run, tmp_path, server, games):
    folder = shutil.copytree(run, tmp_path / "run")
    cut(folder, games=games)
    before = len(server.requests)
    gone_on(folder)
    assert len(server.requests) == before, "something was paid for twice"
    assert same_files(folder) == same_files(run)
