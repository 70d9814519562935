"""The coefficients are what was fitted, and every run can tell."""

import pytest

from molt_bench.luck.cards.chance import DEALT
from molt_bench.luck.coefficients import AGAINST, FROZEN, LADDER, VERSION, Coefficients, coefficients_hash
from molt_bench.luck.dice.draws import FEATURES

PINNED = "3702007c1d93c958c195e06a2590ed9f3f02bd769866b65f644a841b56c49838"


def test_the_coefficients_are_frozen():
    """A change of theirs is a new version: raise it, and pin the new hash."""
    assert (VERSION, coefficients_hash()) == (2, PINNED)


def test_other_coefficients_have_another_hash():
    other = Coefficients(depths=(1.0,), chance=((1.0,) * 4,) * 4, actions=(1.0,) * FEATURES)
    assert coefficients_hash((LADDER, other)) != coefficients_hash()


@pytest.mark.parametrize("one", [*FROZEN, *AGAINST.values()])
def test_every_street_and_bucket_and_feature_has_a_coefficient(one):
    assert [len(row) for row in one.chance] == [2 * (len(one.depths) + 1)] * len(DEALT)
    assert list(one.depths) == sorted(one.depths)
    assert len(one.actions) == FEATURES


def test_the_cards_of_the_first_set_are_weighed_as_ever():
    """`adjusted` of an old run and of a new one can be compared."""
    board = ((0.493, 0.755, 0.788), (0.529, 1.059, 0.889), (0.835, 1.253, 0.916))
    assert LADDER.chance == tuple(2 * row for row in ((0.96, 1.18, 0.891), *board))


@pytest.mark.parametrize(("behind", "bucket"), [(0, 0), (99, 0), (100, 1), (799, 1), (800, 2), (10**6, 2)])
def test_a_bucket_begins_at_its_depth(behind, bucket):
    assert LADDER.bucket(behind, 100) == bucket
