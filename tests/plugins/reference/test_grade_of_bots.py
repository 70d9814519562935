"""The grade by the shipped table orders bots whose order is plain."""

import pytest

from molt_bench import BUILTIN_AGENTS, play_game
from molt_bench.plugins.reference.grade import grade_hand, reference
from molt_bench.plugins.reference.table import load
from molt_bench.seeds import seed_pool

TOY = bool(load().about["training"].get("toy"))


def mean_loss(name, opponent):
    """Return what a decision of a bot gives away on average, in mbb."""
    losses = []
    for seed in seed_pool("grades of bots", 4):
        for seating in ("AB", "BA"):
            players = BUILTIN_AGENTS[name](name="one"), BUILTIN_AGENTS[opponent](name="two")
            record = play_game(players, seed=seed, hands=25, seating=seating)
            for parsed in record.replay():
                own = 0 if seating == "AB" else 1
                losses += [each.loss_mbb(100) for each in grade_hand(parsed.hand, reference()) if each.seat == own]
    return sum(losses) / len(losses)


@pytest.mark.slow
@pytest.mark.skipif(TOY, reason="a table that was hardly trained knows no values")
def test_the_reference_gives_away_least_and_random_play_most():
    blueprint, tag, random = (mean_loss(name, "tag") for name in ("blueprint", "tag", "random"))
    assert blueprint < tag < random


@pytest.mark.slow
@pytest.mark.skipif(TOY, reason="a table that was hardly trained knows no values")
def test_the_grade_of_calling_with_everything_is_worse_than_that_of_choosing():
    assert mean_loss("tag", "callstation") < mean_loss("callstation", "tag")
