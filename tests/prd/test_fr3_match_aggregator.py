"""FR-3: a match is played on common random numbers, with the seats swapped."""

import pytest

import molt_bench
from tests.prd.conftest import Caller, Thrower, small

SEEDS = ["fr3-a", "fr3-b", "fr3-c"]


@pytest.fixture(scope="module")
def match():
    """A match of `random` against `tight`."""
    makers = (lambda: molt_bench.make_agent("random"), lambda: molt_bench.make_agent("tight"))
    return molt_bench.play_match(makers, seeds=SEEDS, hands=20)


def test_fr3_10_each_seed_is_played_exactly_twice_with_the_seats_swapped(match):
    """10: for each seed exactly 2 games, A first and B first."""
    assert [pair.seed for pair in match.seed_results] == SEEDS
    for pair in match.seed_results:
        assert [game.seating for game in pair.games] == ["AB", "BA"]
        assert {game.seed for game in pair.games} == {pair.seed}


def test_fr3_10_both_games_of_a_seed_are_dealt_the_same_cards_by_seat():
    """10: the same seed is the same shuffle; what A was dealt in the first game, B gets in the second."""
    made = []

    def maker():
        made.append(Caller())
        return made[-1]

    molt_bench.play_match((maker, maker), seeds=["one"], hands=10)
    first_a, first_b, second_a, second_b = ([result.cards for result in each.results] for each in made)
    assert first_a == second_b != first_b == second_a
    boards = [[result.board for result in each.results] for each in made]
    assert boards[0] == boards[1] == boards[2] == boards[3]


def test_fr3_10_a_run_plays_two_games_for_each_seed_of_a_match(played):
    """10: as the files say."""
    run = played(small("random", "tight", matches=3, seeds=4))
    assert run.summary["totals"]["games"] == 3 * 4 * 2
    assert all(len(match["seeds"]) == len({*match["seeds"]}) == 4 for match in run.matches)


def test_fr3_11_the_net_of_a_seed_is_that_of_both_games(match):
    """11: aggregates net chips across the paired games."""
    for pair in match.seed_results:
        assert pair.net == pair.games[0].net[0] + pair.games[1].net[0]
    assert any(pair.net for pair in match.seed_results)


def test_fr3_11_agents_that_play_alike_are_even_on_every_seed():
    """11: the result of a seed is neutral to cards and position; testing plan: the seat swap is symmetric."""
    result = molt_bench.play_match((Caller, Caller), seeds=SEEDS, hands=20)
    assert any(game.net[0] for pair in result.seed_results for game in pair.games)  # the cards do favour a seat
    assert [pair.net for pair in result.seed_results] == [0, 0, 0]
    assert result.winner == "draw"


def test_fr3_12_the_score_of_a_match_is_the_sum_over_its_seeds(match):
    """12: aggregates across all seeds."""
    assert match.score_a == sum(pair.net for pair in match.seed_results) != 0


def test_fr3_13_a_result_has_scores_winner_seeds_hands_and_errors(match):
    """13: scoreA, scoreB, winner, per-seed breakdown, total hands played, errors."""
    assert match.score_a == -match.score_b
    assert match.winner in ("A", "B")
    assert len(match.seed_results) == 3
    assert match.hands == 3 * 2 * 20
    assert match.faults == ()
    failed = molt_bench.play_match((Thrower, Caller), seeds=["one"], hands=2)
    assert len(failed.faults) > 0
    assert {fault.player for fault in failed.faults} == {0}


def test_fr3_13_the_files_say_the_same(played):
    """13: as the files say."""
    run = played(small("random", "tight", matches=2, seeds=3, hands=15))
    for match in run.matches:
        result = match["result"]
        assert result["scoreA"] == -result["scoreB"] == sum(seed["netA"] for seed in result["perSeed"])
        assert result["hands"] == sum(seed["hands"] for seed in result["perSeed"]) == 3 * 2 * 15
        assert [seed["seed"] for seed in result["perSeed"]] == match["seeds"]
        assert all(seed["netA"] == seed["aFirst"] + seed["bFirst"] for seed in result["perSeed"])
        assert result["errors"] == 0


def test_fr3_14_whoever_has_more_net_chips_wins(match):
    """14: the primary metric is the aggregate of net chips; by default any chip decides."""
    assert match.winner == ("A" if match.score_a > 0 else "B")
    mirrored = molt_bench.play_match(
        (lambda: molt_bench.make_agent("callstation"), lambda: molt_bench.make_agent("random")), seeds=SEEDS, hands=20
    )
    assert (mirrored.winner, mirrored.score_a > 0) == ("A", True)


@pytest.mark.parametrize(("beyond", "winner"), [(0, "draw"), (-1, "B")])
def test_fr3_14_the_threshold_of_a_draw_is_a_setting(played, beyond, winner):
    """14: a margin up to match.drawThreshold is a draw; 0 by default."""
    config = small("random", "callstation", matches=1)
    first = played(config, name="first")
    assert first.config["match"]["drawThreshold"] == 0
    assert first.matches[0]["result"]["winner"] == "B"
    lead = first.matches[0]["result"]["scoreB"]
    again = played({**config, "match": {"drawThreshold": lead + beyond}}, name="again")
    assert again.matches[0]["result"]["scoreB"] == lead
    assert again.matches[0]["result"]["winner"] == winner
