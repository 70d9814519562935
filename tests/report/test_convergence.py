"""A summary has what every match changed, and all ratings and confidences follow from it."""

import json
from itertools import pairwise

import pytest

from molt_bench import run_benchmark
from molt_bench.report.artifacts import ARTIFACTS, convergence
from molt_bench.report.rows import Rows


def run(names, **more):
    config = {
        "participants": [{"id": f"p{at:02}", "type": name} for at, name in enumerate(names)],
        "seeds": {"perMatch": 1, "masterSeed": "convergence"},
        "game": {"handsPerGame": 2},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 60}},
        **more,
    }
    return run_benchmark(config)


@pytest.mark.parametrize("more", [{}, {"scheduler": {"reference": "p00"}}])
def test_all_ratings_and_confidences_after_each_match_follow(more):
    result = run(["tag", "maniac", "random", "callstation", "tight"], **more)
    ratings, sure = {}, {}
    for step, expected in zip(convergence(result), result.convergence, strict=True):
        ratings |= {each["id"]: (each["mu"], each["sigma"]) for each in step["ratings"]}
        sure |= {(each["above"], each["below"]): each["confidence"] for each in step["confidences"]}
        assert step["match"] == expected.match
        assert ratings == {each.id: (each.mu, each.sigma) for each in expected.ratings}
        neighbours = [sure[pair] for pair in pairwise(expected.ranking)]
        assert neighbours == [round(each, 4) for each in expected.confidences]


def test_the_file_does_not_grow_with_the_square_of_the_participants():
    sizes = []
    for count in (10, 40):
        result = run(["tight", "callstation"] * (count // 2))
        steps = json.loads(ARTIFACTS["summary.json"](Rows(result)))["convergence"]
        sizes.append(len(json.dumps(steps[1:])))
    assert sizes[1] < 2 * sizes[0]
