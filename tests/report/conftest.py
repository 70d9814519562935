"""Runs that several tests of reports look at."""

import msgspec
import pytest
from tests.e2e.two_runs import bots_id, models_id, runs
from tests.report.playing import played

from molt_bench.records import Rating
from molt_bench.report.run_rows import Rows

__all__ = ["bots_id", "models_id", "runs"]


def by(method):
    policy = {"policy": "round_robin"}
    return played(
        *("tag", "callstation", "maniac", "tight", "random"),
        matches=30,
        rule={"method": method, "threshold": 0.99},
        scheduler=policy,
    )


@pytest.fixture(scope="session")
def by_result():
    return by("margin")


@pytest.fixture(scope="session")
def by_mu():
    return by("openskill")


@pytest.fixture(params=["by_result", "by_mu"])
def rows(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def unfinished():
    """Three of four have played, each against some of the others."""
    found = played("tag", "folder", "callstation", "tight", scheduler={"policy": "round_robin"}).result
    kept = tuple(match for match in found.matches if match.participants in (("tag", "folder"), ("tag", "callstation")))
    last = {rating.id: rating for match in kept for rating in match.change.after}
    board = tuple(last.get(each.id, Rating(each.id, 25.0, 25 / 3)) for each in found.leaderboard)
    return Rows(msgspec.structs.replace(found, matches=kept, leaderboard=board))
