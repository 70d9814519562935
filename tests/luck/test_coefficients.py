"""The coefficients are what was fitted, and every run can tell."""

import pytest

from molt_bench.luck.chance import DEALT
from molt_bench.luck.coefficients import AGAINST, FROZEN, Coefficients, coefficients_hash

PINNED = "87f2a9fb890665f763db19eaeb61d6fddf8ba612818757ab0d15079504171f28"


def test_the_coefficients_are_frozen():
    """A change of theirs is a new version: raise it, and pin the new hash."""
    assert (FROZEN.version, coefficients_hash()) == (1, PINNED)


def test_other_coefficients_have_another_hash():
    other = Coefficients(version=1, depths=(1.0,), chance=((1.0, 1.0),) * 4, passive=(1.0, 1.0), raised=(1.0, 1.0))
    assert coefficients_hash(other) != coefficients_hash(FROZEN) != coefficients_hash()


@pytest.mark.parametrize("coefficients", [FROZEN, *AGAINST.values()])
def test_every_street_and_bucket_has_a_coefficient(coefficients):
    assert [len(row) for row in coefficients.chance] == [len(coefficients.depths) + 1] * len(DEALT)
    assert list(coefficients.depths) == sorted(coefficients.depths)


@pytest.mark.parametrize(("behind", "bucket"), [(0, 0), (99, 0), (100, 1), (799, 1), (800, 2), (10**6, 2)])
def test_a_bucket_begins_at_its_depth(behind, bucket):
    assert FROZEN.bucket(behind, 100) == bucket
