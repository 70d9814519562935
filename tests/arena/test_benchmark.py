"""The loop: rounds, decks, results."""

from time import monotonic

import pytest

from molt_bench import run_benchmark
from molt_bench.arena.cast import Cast
from molt_bench.arena.status import Observer
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError
from molt_bench.runs.journal import Journal
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameLabel

SMALL = {"seeds": {"perMatch": 2}, "game": {"handsPerGame": 10}}


def people(*types):
    return [{"id": f"{kind}{number}", "type": kind} for number, kind in enumerate(types)]


def test_every_meeting_has_decks_of_its_own():
    config = {
        **SMALL,
        "participants": people("random", "random", "random"),
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 9}},
        "scheduler": {"policy": "round_robin"},
    }
    result = run_benchmark(config)
    by_meeting = {}
    for match in result.matches:
        seeds = tuple(pair.seed for pair in match.seed_results)
        by_meeting.setdefault(match.meeting, set()).add(seeds)
    assert {meeting: len(seeds) for meeting, seeds in by_meeting.items()} == dict.fromkeys((1, 2, 3), 3)
    used = {seed for found in by_meeting.values() for block in found for seed in block}
    assert len(used) == len(result.seeds) == 3 * 3 * 2
    assert used == {*result.seeds}


def test_how_many_games_run_at_once_never_changes_a_result():
    config = {
        **SMALL,
        "participants": people("random", "tight", "maniac", "callstation"),
    }
    one, eight = run_benchmark(config), run_benchmark(config, games_at_once=8)
    assert (one.matches, one.leaderboard, one.convergence) == (eight.matches, eight.leaderboard, eight.convergence)


def test_a_built_in_bot_has_no_memory_and_is_made_once():
    cast = Cast(load_config({**SMALL, "participants": people("random", "tag")}), {}, RunFiles())
    first, again, other = (cast.agent(name, GameLabel(1, 1, "AB")) for name in ("random0", "random0", "tag1"))
    assert first is again is not other
    assert (first.name, other.name) == ("random0", "tag1")


def test_agents_of_ones_own_are_made_afresh_for_every_game():
    made = []

    class Mine:
        name = "mine"

        def __init__(self, level):
            made.append(level)

        def act(self, observation):
            from molt_bench import Action

            return Action("call") if observation.to_call else Action("check")

    config = {
        **SMALL,
        "participants": [{"id": "mine", "type": "mine", "params": {"level": 3}}, {"id": "tight", "type": "tight"}],
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 2}},
    }
    result = run_benchmark(config, agents={"mine": Mine})
    assert made == [3] * (1 + 2 * 2 * 2)  # one to see whether it can be made
    assert result.leaderboard[0].matches == 2


def test_seeds_from_a_file_end_the_run_when_they_are_used_up(tmp_path):
    (tmp_path / "seeds.txt").write_text("\n".join(map(str, range(5))))
    config = {
        **SMALL,
        "participants": people("random", "random"),
        "seeds": {"perMatch": 2, "file": str(tmp_path / "seeds.txt")},
        "stop": {"adjacentConfidence": None, "budget": None},
    }
    result = run_benchmark(config)
    assert len(result.matches) == 2
    assert result.stop_reason == "the seed file is exhausted: its 5 seeds are 2 blocks of 2"
    assert result.seeds == (0, 1, 2, 3)


def test_a_seed_file_that_is_too_short_for_one_match_is_an_error(tmp_path):
    (tmp_path / "seeds.txt").write_text("a\nb\n")
    with pytest.raises(ConfigError, match="at least 3 seeds for one match, and it has 2"):
        run_benchmark({"seeds": {"perMatch": 3, "file": str(tmp_path / "seeds.txt")}})


def test_those_who_watch_are_told_of_every_game_and_match():
    seen = []
    run_benchmark({**SMALL, "participants": people("random", "tight")}, observer=Observer(on_status=seen.append))
    finished = [live.finished for live in seen if live.finished]
    assert [match.number for match in finished] == list(range(1, len(finished) + 1))
    assert [live.games for live in seen[:5]] == [1, 2, 3, 4, 4]


def test_what_a_program_took_before_its_first_card_is_time_of_the_run(tmp_path):
    journal = Journal(str(tmp_path / "journal.jsonl"))
    config = {**SMALL, "participants": people("tight", "random"), "stop": {"budget": {"maxMatches": 1}}}
    result = run_benchmark(config, files=RunFiles(journal, began=monotonic() - 1000))
    journal.close()
    assert 1000 < result.seconds < 1500
    assert Run.open(tmp_path).result().seconds == result.seconds
