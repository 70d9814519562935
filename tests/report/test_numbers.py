"""The numbers of a result, and the files they are written to."""

import json
from math import inf

import pytest

from molt_bench import run_benchmark, write_artifacts
from molt_bench.rating.intervals import half_width_95
from molt_bench.report.artifacts import ARTIFACTS, convergence, leaderboard, matches
from molt_bench.report.numbers import guardrails, participant_numbers, totals
from molt_bench.report.terminal import duration


@pytest.fixture(scope="module")
def result():
    participants = [
        {"id": kind, "type": kind, "displayName": kind.title()} for kind in ("folder", "callstation", "tight")
    ]
    return run_benchmark({"participants": participants, "seeds": {"perMatch": 3}, "game": {"handsPerGame": 20}})


@pytest.mark.parametrize(("values", "half"), [([1.0], inf), ([1.0, 3.0], 12.706), ([0.0] * 5 + [1.0] * 5, 0.3770)])
def test_intervals_are_by_students_t(values, half):
    assert half_width_95(values) == pytest.approx(half, abs=1e-3)


@pytest.mark.parametrize(("free", "quantile"), [(11, 2.201), (20, 2.086), (60, 2.000), (1000, 1.962)])
def test_the_expansion_of_t_is_right_beyond_the_table(free, quantile):
    from molt_bench.rating.intervals import _t_975

    assert _t_975(free) == pytest.approx(quantile, abs=0.003)


def test_win_rates_are_big_blinds_in_100_hands_with_the_seed_as_the_unit():
    two = run_benchmark({"stop": {"budget": {"maxMatches": 2}, "adjacentConfidence": None}})
    winner, loser = participant_numbers(two)
    assert winner.bb_per_100 == pytest.approx(-loser.bb_per_100)
    assert winner.half_width == pytest.approx(loser.half_width)
    rates = [pair.net / pair.hands for match in two.matches for pair in match.result.seed_results]
    assert len(rates) == 20
    assert winner.half_width == pytest.approx(half_width_95(rates))
    total = sum(match.result.score_b for match in two.matches)
    assert abs(winner.bb_per_100) == pytest.approx(abs(total) / 2000)


def test_names_are_those_for_screens(result):
    assert {row.name for row in participant_numbers(result)} == {"Folder", "Callstation", "Tight"}


def test_the_leaderboard_has_the_fields_of_the_requirements(result):
    rows = leaderboard(result)["participants"]
    assert {"id", "name", "mu", "sigma", "matches", "wins", "losses"} <= rows[0].keys()
    assert [row["mu"] for row in rows] == sorted((row["mu"] for row in rows), reverse=True)
    assert rows[-1]["betterThanNext"] is None


def test_the_match_history_has_the_fields_of_the_requirements(result):
    history = matches(result)["matches"]
    assert {"id", "participantA", "participantB", "seeds", "result", "ratingDelta"} <= history[0].keys()
    assert {"scoreA", "scoreB", "winner", "perSeed", "hands", "errors"} == history[0]["result"].keys()
    for match in history:
        assert (
            match["result"]["scoreA"]
            == -match["result"]["scoreB"]
            == sum(s["netA"] for s in match["result"]["perSeed"])
        )
    assert len({match["id"] for match in history}) == len(history)


def test_rating_deltas_add_up_to_the_final_ratings(result):
    mu = dict.fromkeys(("folder", "callstation", "tight"), 25.0)
    for match in matches(result)["matches"]:
        for who, delta in match["ratingDelta"].items():
            mu[who] += delta["mu"]
    assert {row.id: pytest.approx(row.mu) for row in result.leaderboard} == mu


def test_convergence_follows_every_match(result):
    steps = convergence(result)["steps"]
    assert [step["match"] for step in steps] == list(range(1, len(result.matches) + 1))
    assert all(len(step["confidences"]) == 2 for step in steps)
    assert all(0.5 <= pair["confidence"] <= 1 for step in steps for pair in step["confidences"])


def test_guardrails_hold_for_scripted_agents(result):
    assert guardrails(result) == {"errorRate": 0.0, "chipsConserved": True, "sigmaDecreased": 1.0}
    assert totals(result)["hands"] == totals(result)["games"] * 20


def test_all_files_are_written_and_valid(result, tmp_path):
    assert write_artifacts(result, tmp_path) == []
    assert {path.name for path in tmp_path.iterdir()} == ARTIFACTS.keys() - {"usage.json"}  # no model played
    for path in tmp_path.glob("*.json"):
        json.loads(path.read_text("utf-8"))
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert [event["event"] for event in events] == ["match"] * len(result.matches) + ["stop"]


def test_a_folder_that_cannot_be_written_is_a_warning_for_each_file(result, tmp_path):
    warnings = write_artifacts(result, tmp_path / "missing")
    assert len(warnings) == len(ARTIFACTS) - 1  # no model played
    assert "could not be written: No such file or directory" in warnings[0]


def test_times_are_written_as_people_do():
    assert [duration(seconds) for seconds in (0.25, 59.99, 75, 7300)] == [
        "0.25 s",
        "59.99 s",
        "1 min 15 s",
        "2 h 1 min",
    ]
