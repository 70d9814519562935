"""The files of a run: all are written, say what is not known, and grow no faster than the run."""

import json
from itertools import pairwise

import msgspec
import pytest
from tests.e2e.shell import strict_json
from tests.report.playing import played

from molt_bench import write_artifacts
from molt_bench.report.artifacts import ARTIFACTS, convergence, indented, summary
from molt_bench.report.run_rows import Rows


@pytest.fixture(scope="module")
def result():
    return played("folder", "callstation", "tight", matches=4).result


def test_all_files_are_written_and_valid(result, tmp_path):
    assert write_artifacts(result, tmp_path) == []
    assert {path.name for path in tmp_path.iterdir()} == ARTIFACTS.keys()
    for path in tmp_path.glob("*.json"):
        strict_json(path.read_text("utf-8"))
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert [event["event"] for event in events] == ["match"] * len(result.matches) + ["stop"]


def test_a_folder_that_cannot_be_written_is_a_warning_for_each_file(result, tmp_path):
    warnings = write_artifacts(result, tmp_path / "missing")
    assert len(warnings) == len(ARTIFACTS)
    assert "could not be written: No such file or directory" in warnings[0]


def test_what_is_not_known_is_null(unfinished):
    rows = {row["id"]: row for row in strict_json(ARTIFACTS["leaderboard.json"](unfinished))["participants"]}
    assert rows["tight"]["bbPer100"] is None
    assert all(row["bbPer100HalfWidth"] is None for row in rows.values())


def test_efficiency_is_given_only_if_the_order_was_decided(result):
    undecided, decided = (msgspec.structs.replace(result, converged=each) for each in (False, True))
    assert "convergenceEfficiency" not in summary(Rows(undecided))
    # Three pairs, of which one has met twice.
    assert summary(Rows(decided))["convergenceEfficiency"] == {"games": 32, "roundRobinGames": 48, "ratio": 32 / 48}


@pytest.mark.parametrize("more", [{}, {"scheduler": {"policy": "gauntlet"}}])
def test_all_ratings_and_confidences_after_each_match_follow_from_what_it_changed(more):
    result = played("tag", "maniac", "random", "callstation", "tight", matches=20, **more).result
    ratings, sure = {}, {}
    for step, expected in zip(convergence(result), result.convergence, strict=True):
        ratings |= {each["id"]: (each["mu"], each["sigma"]) for each in step["ratings"]}
        sure |= {(each["above"], each["below"]): each["confidence"] for each in step["confidences"]}
        assert step["match"] == expected.match
        assert ratings == {each.id: (each.mu, each.sigma) for each in expected.ratings}
        neighbours = [sure[pair] for pair in pairwise(expected.ranking)]
        assert neighbours == [round(each, 4) for each in expected.confidences]


def test_the_summary_does_not_grow_with_the_square_of_the_participants():
    sizes = []
    for count in (10, 40):
        participants = [{"id": f"p{at:02}", "type": ("tight", "callstation")[at % 2]} for at in range(count)]
        small = {"seeds": {"perMatch": 1, "masterSeed": 1}, "game": {"handsPerGame": 2}}
        sizes.append(len(json.dumps(summary(played(*participants, matches=60, **small))["convergence"][1:])))
    assert sizes[1] < 2 * sizes[0]


@pytest.mark.parametrize(
    "content",
    [
        {"a": [1.5e-300, 1e16, 10**40, -0.0, 5e-324], "b": {}, "c": [], "d": '\u00e9\u2028\n"\\\x7f', "": [[], None]},
        {"a number that is none": float("nan"), "far": [float("inf")]},
    ],
)
def test_files_are_indented_as_by_json(content):
    assert indented(content) == json.dumps(content, indent=2, ensure_ascii=False) + "\n"
