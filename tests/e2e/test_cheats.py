"""Nobody wins by looking: agents that search for the seed, or remember the other side of a deal, gain nothing by it."""

import json
import os
import shutil
import sys
from math import sqrt
from statistics import fmean, variance

import pytest

from tests.e2e.cheats import SEED_SEARCH, MillionSeeds, Rememberer
from tests.e2e.live import Poller, Served, live_config
from tests.e2e.llm import until
from tests.e2e.shell import Fork, quick, read, run_of

#: What nobody at the table knows; fixed, so that the tests are the same in every run.
SECRET = "b1946ac92492d2347c6235b4d2611184"
#: Seed pairs of a match: far more than it takes where cheating pays, as the tests of that show.
FEW, MANY = 4, 40


def margins(folder, participant, opponent="callstation", *, pairs, seed=SECRET, **settings):
    """Play a match and return what the first won in every seed pair, in mbb a hand."""
    folder.mkdir(parents=True)
    (folder / "seed").write_text(seed)
    config = {
        "participants": [{"id": "cheat", **participant}, opponent],
        "seeds": {"perMatch": pairs},
        "game": {"handsPerGame": 6, **settings},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
    }
    (folder / "c.json").write_text(json.dumps(config))
    flags = ("--config", folder / "c.json", "--master-seed-file", folder / "seed")
    done = quick(*flags, "--executor", "inline", "--output-dir", folder / "out", "--quiet")
    assert done.returncode == 0, done.stderr
    run = run_of(folder / "out")
    (match,) = read(run, "matches.json")["matches"]
    assert not read(run, "leaderboard.json")["participants"][0]["faults"]
    return [pair["marginsMbb"]["raw"] for pair in match["result"]["perSeed"]]


def gain(cheating, honest):
    """Return by how many standard errors the one wins more than the other."""
    error = sqrt(variance(cheating) / len(cheating) + variance(honest) / len(honest))
    return (fmean(cheating) - fmean(honest)) / error


def searcher(tmp_path, *arguments):
    """Return the program that searches for the seed."""
    path = tmp_path / "search.py"
    path.write_text(SEED_SEARCH)
    return {"type": "exec", "command": [shutil.which("python3") or sys.executable, str(path), *arguments]}


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [FEW, MANY])
def test_a_program_that_searches_for_the_seed_wins_no_more_than_one_that_does_not(tmp_path, pairs):
    cheating = margins(tmp_path / "cheat", searcher(tmp_path), pairs=pairs)
    honest = margins(tmp_path / "honest", searcher(tmp_path, "honest"), pairs=pairs)
    assert abs(gain(cheating, honest)) < 3


@pytest.mark.slow
def test_the_same_program_wins_everything_where_the_seed_is_public(tmp_path):
    cheating = margins(tmp_path / "cheat", searcher(tmp_path), pairs=8, seed="molt-bench")
    honest = margins(tmp_path / "honest", searcher(tmp_path, "honest"), pairs=8, seed="molt-bench")
    assert gain(cheating, honest) > 3


def remembering(tmp_path, link, *, pairs, **settings):
    """Return what a server that remembers in this way wins, and how many games it has seen through."""
    with Rememberer(link) as server:
        won = margins(tmp_path / f"{link}", {"type": server.url, **settings}, pairs=pairs)
    return won, server.linked


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [FEW, MANY])
def test_a_server_that_remembers_wins_no_more_than_one_that_does_not(tmp_path, pairs):
    honest, _ = remembering(tmp_path, None, pairs=pairs)
    cheating, _ = remembering(tmp_path, "cards", pairs=pairs)
    assert abs(gain(cheating, honest)) < 3


@pytest.mark.slow
def test_the_same_server_wins_everything_if_it_is_wrongly_declared_isolated(tmp_path):
    cheating, linked = remembering(tmp_path, "cards", pairs=20, isolated=True)
    honest, _ = remembering(tmp_path, None, pairs=20, isolated=True)
    assert linked >= 20
    assert gain(cheating, honest) > 3


def live_margins(folder, decide, *, pairs, isolated=False):
    """Play a match of a live agent and return what it won in every seed pair, in mbb a hand."""
    folder.mkdir(parents=True)
    config = live_config(
        folder,
        {"id": "cheat", "type": "live", "isolated": isolated},
        {"id": "callstation", "type": "callstation"},
        seeds={"perMatch": pairs},
    )
    served = Served(config, env={"MOLT_BENCH_MASTER_SEED": SECRET})
    for url in served.invitations(2 if isolated else 1):
        guest = Poller(url, decide)
    guest.done()
    assert served.ended() == 0, served.err
    (match,) = read(run_of(folder / "runs"), "matches.json")["matches"]
    return [pair["marginsMbb"]["raw"] for pair in match["result"]["perSeed"]]


@pytest.mark.slow
def test_a_live_agent_that_remembers_wins_no_more_than_one_that_does_not(tmp_path):
    cheating = live_margins(tmp_path / "cheat", Rememberer("cards").decide, pairs=MANY)
    honest = live_margins(tmp_path / "honest", Rememberer(None).decide, pairs=MANY)
    assert abs(gain(cheating, honest)) < 3


@pytest.mark.slow
def test_the_same_live_agent_wins_everything_if_its_copies_share_a_memory(tmp_path):
    """So the tests above can fail: this is what `isolated` must not be declared for."""
    cheat = Rememberer("cards")
    cheating = live_margins(tmp_path / "cheat", cheat.decide, pairs=MANY, isolated=True)
    honest = live_margins(tmp_path / "honest", Rememberer(None).decide, pairs=MANY, isolated=True)
    assert gain(cheating, honest) > 3


@pytest.mark.slow
def test_the_same_search_finds_every_card_where_the_seed_is_public(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.e2e.test_cheats.SECRET", "molt-bench")
    searching = MillionSeeds()
    cheating = live_margins(tmp_path / "cheat", searching.decide, pairs=MANY)
    honest = live_margins(tmp_path / "honest", Rememberer(None).decide, pairs=MANY)
    assert searching.linked
    assert gain(cheating, honest) > 3


@pytest.mark.slow
def test_a_live_agent_that_tries_a_million_seeds_wins_no_more_than_one_that_does_not(tmp_path):
    searching = MillionSeeds()
    cheating = live_margins(tmp_path / "cheat", searching.decide, pairs=MANY)
    honest = live_margins(tmp_path / "honest", Rememberer(None).decide, pairs=MANY)
    assert searching.tried >= 1_000_000
    assert abs(gain(cheating, honest)) < 3


@pytest.mark.slow
def test_check_notes_a_server_that_knows_the_other_side_and_never_says_that_one_forgets():
    for link, differs in (("cards", True), (None, False)):
        with Rememberer(link) as server:
            done = quick("check", server.url, "--hands", 6)
        assert done.returncode == 0, done.stdout
        lines = done.stdout.splitlines()
        (same,) = [line for line in lines if "it plays the same cards the same way" in line]
        assert same.split()[0] == ("note" if differs else "ok")
        (forgets,) = [line for line in lines if "it carries nothing from one game to the next" in line]
        assert forgets.split()[0] == "note"
        assert "no memory" not in done.stdout


@pytest.mark.slow
def test_the_report_says_who_may_remember_and_who_is_declared_to_forget(tmp_path):
    for isolated, said in (
        (False, "Games of cheat, which may remember"),
        (True, "declared by the operator to forget (isolated)"),
    ):
        with Rememberer(None) as server:
            config = {
                "participants": [{"id": "cheat", "type": server.url, "isolated": isolated}, "tight", "callstation"],
                "seeds": {"perMatch": 2},
                "game": {"handsPerGame": 3},
                "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3}},
            }
            (tmp_path / "c.json").write_text(json.dumps(config))
            done = quick("--config", tmp_path / "c.json", "--output-dir", tmp_path / str(isolated))
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
        run = run_of(tmp_path / str(isolated))
        own = [match.get("ownDecks", False) for match in read(run, "matches.json")["matches"]]
        assert own.count(True) == (0 if isolated else 2)
        assert quick("report", run).stdout.count(said) == 1


@pytest.mark.slow
def test_a_game_that_had_begun_is_dealt_other_cards_when_the_run_goes_on(tmp_path, bots):
    """Code in our process plays against the server, and might play those cards differently; see test_recorded.py."""
    with Rememberer(None) as server:
        config = {
            "participants": [{"id": "cheat", "type": server.url}, {"id": "own", "type": f"{bots}:make_caller"}],
            "seeds": {"perMatch": 4},
            "game": {"handsPerGame": 40},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
        }
        (tmp_path / "c.json").write_text(json.dumps(config))
        flags = ("--config", tmp_path / "c.json", "--output-dir", tmp_path / "out", "--quiet")
        for asked in (90, 400, 700):
            resumed = ("resume", "--run-agents", run_of(tmp_path / "out"), "--quiet") if asked > 90 else flags
            process = Fork(*resumed)
            until(lambda asked=asked, process=process: len(server.seen) > asked or process_ended(process))
            process.kill()
            process.communicate()
        run = run_of(tmp_path / "out")
        assert quick("verify", run).returncode == 0
        done = quick("resume", "--run-agents", run, "--quiet")
        assert done.returncode == 0, done.stderr
    games = {}
    for game, hand, cards, decision in server.seen:
        games.setdefault((hand, cards, decision), set()).add(game)
    assert len({game for game, *_ in server.seen}) > 8
    assert [place for place, seen in games.items() if len(seen) > 1] == []
    assert quick("report", run).returncode == 0


def process_ended(process):
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
