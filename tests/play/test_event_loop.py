"""Event loops for games, and the garbage collector while they run."""

import gc

import pytest

from molt_bench.play.event_loop import rare_collections


@pytest.fixture(autouse=True)
def _as_before():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("usual", [(700, 10, 10), (50_000, 5, 5), (0, 10, 10)])
def test_the_collector_runs_no_more_often_and_afterwards_as_before(usual):
    gc.set_threshold(*usual)
    with rare_collections():
        assert gc.get_threshold()[0] >= usual[0]
        assert bool(gc.get_threshold()[0]) == bool(usual[0]), "who turned it off wants it off"
    assert gc.get_threshold() == usual
