"""The tables of a run agree with its result, whatever library they are made with."""

import asyncio
from importlib.util import find_spec

import pytest

from molt_bench import ConfigError, MoltBenchError, run_benchmark, run_benchmark_async
from molt_bench.plugins.adapters.data_frames import RunFrames
from molt_bench.runs.run_files import RunFiles

CONFIG = {
    "participants": [{"id": "tight", "type": "tight"}, {"id": "wild", "type": "maniac"}],
    "seeds": {"perMatch": 2, "masterSeed": 7},
    "game": {"handsPerGame": 5, "warmupHands": 1},
    "stop": {"budget": {"maxMatches": 2}},
}


@pytest.fixture(scope="module")
def result():
    return run_benchmark(CONFIG)


@pytest.fixture
def rows(result):
    return RunFrames(result, library="rows")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from molt_bench.config.loader import load_config

    folder = tmp_path_factory.mktemp("run")
    files = RunFiles.new(folder, load_config(CONFIG))
    run_benchmark(CONFIG, files=files)
    files.close()
    return folder


def test_the_leaderboard_has_a_row_for_each_best_first(rows, result):
    found = rows.leaderboard()
    assert {row["id"] for row in found} == {"tight", "wild"}
    assert [row["bbPer100"] for row in found] == sorted([row["bbPer100"] for row in found], reverse=True)


def test_hands_that_count_add_up_to_the_chips_of_every_match(rows, result):
    won = {match.number: 0 for match in result.matches}
    for hand in rows.hands():
        won[hand["match"]] += hand["net_a"] * hand["counts"]
    assert won == {match.number: match.score_a for match in result.matches}


def test_decisions_are_the_actions_of_all_games(rows, result):
    games = [game for match in result.matches for game in match.games]
    found = rows.decisions()
    assert len(found) == sum(game.actions for game in games)
    assert all(row["action"] in ("fold", "check", "call", "raiseTo") for row in found)
    assert {row["id"] for row in found} == {"tight", "wild"}


def test_margins_have_a_row_for_each_seed_pair_by_all_estimators(rows, result):
    found = rows.margins()
    assert [row["raw"] for row in found] == [each for match in result.matches for each in match.margins["raw"]]


def test_a_run_in_a_folder_has_the_same_tables(rows, folder):
    stored = RunFrames.open(folder, library="rows")
    assert stored.margins() == rows.margins()
    assert [{**row, "run": ""} for row in stored.decisions()] == rows.decisions()
    assert stored.leaderboard() == rows.leaderboard()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_have_the_same_rows(result, rows, library):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed: make slow SUITE=adapters")
    frames = RunFrames(result, library=library)
    for name in ("leaderboard", "hands", "decisions", "margins"):
        plain = getattr(rows, name)()
        table = getattr(frames, name)()
        assert len(table) == len(plain)
        assert [*table.columns] == [*plain[0]]


def test_a_library_that_is_not_known_is_refused(result):
    with pytest.raises(ConfigError, match="library = 'excel': expected None or one of pandas, polars, rows"):
        RunFrames(result, library="excel")


def test_a_result_without_hands_says_so():
    with pytest.raises(MoltBenchError, match="keep_hands=True"):
        RunFrames(run_benchmark(CONFIG, keep_hands=False)).hands()


def test_a_run_can_be_awaited_and_gives_the_same_result(result):
    async def both():
        return await asyncio.gather(run_benchmark_async(CONFIG), asyncio.sleep(0, "meanwhile"))

    awaited, said = asyncio.run(both())
    assert awaited.matches == result.matches
    assert said == "meanwhile"
