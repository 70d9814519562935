"""Nobody wins by looking: whoever searches for the seed, or remembers, gains nothing, and who knows cards is named."""

import os
from functools import cache
from hashlib import sha256
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, variance

import pytest

from molt_bench.arena.benchmark import run_benchmark
from tests.e2e.cheats import Honest, MillionSeeds, Rememberer
from tests.e2e.live import Poller, Served, live_config
from tests.e2e.shell import (
    Fork,
    configured_run,
    gone_on,
    good,
    quick,
    quick_run,
    read,
    run_of,
    until,
    verified,
)

pytestmark = pytest.mark.slow
#: What nobody at the table knows; fixed, so that the tests are the same in every run.
SECRET = "b1946ac92492d2347c6235b4d2611184"
#: Seed pairs of a match: far more than it takes where cheating pays, as the tests of that show.
PAIRS = 40
SUSPECTS = Path(__file__).with_name("suspects.py")


def config_of(*participants, pairs=PAIRS, hands=6, matches=1):
    return {
        "participants": list(participants),
        "seeds": {"perMatch": pairs},
        "game": {"handsPerGame": hands},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": matches}},
    }


def from_a_server(home, cheat, *, seed):
    """Play a match of a web server, and return the folder of the run."""
    home.mkdir()
    (home / "seed").write_text(seed)
    with cheat:
        config = config_of({"id": "cheat", "type": cheat.url}, "callstation")
        return configured_run(home, config, "--master-seed-file", home / "seed", "--executor", "inline")


def from_a_live_agent(home, cheat, *, seed):
    """Play a match of a live agent, and return the folder of the run."""
    home.mkdir()
    people = {"id": "cheat", "type": "live"}, {"id": "callstation", "type": "callstation"}
    config = live_config(home, *people, seeds={"perMatch": PAIRS})
    served = Served(config, env={"MOLT_BENCH_MASTER_SEED": seed})
    (url,) = served.invitations(1)
    Poller(url, cheat.decide).done()
    assert served.ended() == 0, served.err
    return run_of(home / "runs")


WAYS = {"server": from_a_server, "live": from_a_live_agent}
#: A seed that can be guessed makes this cheat pay.
GUESSED = "molt-bench"
searching = cache(MillionSeeds)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "pays"), [(MillionSeeds, True), (MillionSeeds, False), (Rememberer, False)])
def test_a_cheat_wins_no_more_than_an_honest_one_but_where_the_rules_are_broken(tmp_path, kind, way, pays):
    """Where it pays, the same cheat wins everything: so these tests can fail."""
    cheat = searching() if kind is MillionSeeds else kind()
    before, won = cheat.linked, []
    for name, agent in (("cheat", cheat), ("honest", Honest())):
        run = WAYS[way](tmp_path / name, agent, seed=GUESSED if pays else SECRET)
        (match,) = read(run, "matches.json")["matches"]
        assert not read(run, "leaderboard.json")["participants"][0]["faults"]
        won.append([pair["marginsMbb"]["raw"] for pair in match["result"]["perSeed"]])
    error = sqrt(sum(variance(each) / len(each) for each in won))
    gain = (fmean(won[0]) - fmean(won[1])) / error
    if pays:
        assert cheat.linked - before >= 20
        assert gain > 3
    else:
        assert kind is Rememberer or cheat.tried >= 1_000_000
        assert abs(gain) < 3


def test_check_notes_a_server_that_knows_the_other_side():
    for kind, told in ((Rememberer, "note"), (Honest, "ok")):
        with kind() as server:
            said = good(quick("check", server.url, "--hands", 6)).stdout
        same = next(line.split()[0] for line in said.splitlines() if "it plays the same cards the same way" in line)
        assert same == told


def test_the_report_says_who_may_remember(tmp_path):
    with Honest() as server:
        people = {"id": "cheat", "type": server.url}, "tight", "callstation"
        run = configured_run(tmp_path, config_of(*people, pairs=2, hands=3, matches=3))
    own = [match.get("ownDecks", False) for match in read(run, "matches.json")["matches"]]
    assert own.count(True) == 2
    assert quick("report", run).stdout.count("Games of cheat, which may remember") == 1


def test_a_game_that_had_begun_is_dealt_other_cards_when_the_run_goes_on(tmp_path, bots):
    """Code in our process plays against the server, and might play those cards differently; see test_recorded.py."""
    with Honest() as server:
        people = {"id": "cheat", "type": server.url}, {"id": "own", "type": f"{bots}:make_caller"}
        config = live_config(tmp_path, *people, seeds={"perMatch": 4}, game={"handsPerGame": 40})
        for asked in (90, 400, 700):
            begun = ("resume", "--run-agents", run_of(tmp_path / "runs")) if asked > 90 else ("run", config)
            process = Fork(*begun, "--quiet")
            until(lambda asked=asked, process=process: len(server.seen) > asked or has_ended(process))
            process.kill()
            process.communicate()
        run = run_of(tmp_path / "runs")
        verified(run)
        gone_on(run)
    games = {}
    for game, *place in server.seen:
        games.setdefault(tuple(place), set()).add(game)
    assert len({game for game, *_ in server.seen}) > 8
    assert [place for place, seen in games.items() if len(seen) > 1] == []
    good(quick("report", run))


def has_ended(process):
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


# Agents that know cards which they may not know are named in a warning, honest ones are not.


@pytest.mark.parametrize(
    ("participants", "named"),
    [
        *(
            (({"id": "cheat", "type": f"{SUSPECTS}:{kind}"}, "tag", "callstation"), True)
            for kind in ("CardReader", "Rememberer")
        ),
        *((pair, False) for pair in combinations(("tag", "tight", "callstation", "maniac", "random"), 2)),
    ],
)
def test_a_cheat_is_named_and_honest_agents_are_not(participants, named):
    """On cards of its own, in this process: what a rememberer knows depends on that."""
    config = {
        "participants": list(participants),
        "seeds": {"masterSeed": sha256(str(participants).encode()).hexdigest()},
        "stop": {"budget": {"maxMatches": 40}, "adjacentConfidence": None},
    }
    found = run_benchmark(config, executor="inline").warnings
    said = [each for each in found if "more in chips than without luck" in each]
    assert [each[: len("cheat won +")] for each in said] == ["cheat won +"] * named


def test_every_command_says_so(tmp_path):
    flags = ("--seeds", "10", "--hands", "10", "--max-matches", "12", "--set", "stop.adjacentConfidence=null")
    run = quick_run(tmp_path / "out", "--participants", f"{SUSPECTS}:CardReader,tag,callstation", *flags)
    said = good(quick("report", run))
    assert "more in chips than without luck" in " ".join((said.stdout + said.stderr).split())
