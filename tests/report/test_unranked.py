"""Whoever hardly ever answered is not ranked as if it had played."""

import io

import pytest
from msgspec import UNSET
from rich.console import Console
from tests.llm.provider import Provider
from tests.report.said import sentences

from molt_bench import Action, run_benchmark
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifacts import leaderboard
from molt_bench.report.result_tables import print_result
from molt_bench.report.rows import Rows


class Mute:
    name = "mute"

    def act(self, observation):
        raise RuntimeError("nothing to say")


class Stumbler:
    """Answers in every second hand."""

    name = "stumbler"

    def act(self, observation):
        if observation.hand_number % 2:
            raise RuntimeError("not now")
        return Action("call") if observation.to_call else Action("check")


def played(*participants, **stop):
    config = {
        "participants": list(participants),
        "seeds": {"perMatch": 3, "masterSeed": 3},
        "game": {"handsPerGame": 20},
        "stop": {"adjacentConfidence": {"method": "margin"}, "budget": {"maxMatches": 6}, **stop},
    }
    return run_benchmark(config, agents={"mute": Mute, "stumbler": Stumbler})


@pytest.fixture(scope="module")
def result():
    # A maniac's losses are such that the mute one would not be last.
    return played("mute", "callstation", "maniac")


def test_it_stands_last_without_rank_interval_or_verdict(result):
    *others, last = leaderboard(Rows(result))["participants"]
    assert (last["id"], last["ranked"], last["rankRange"], last["betterThanNext"]) == ("mute", False, None, None)
    assert all("ranked" not in each for each in others)
    assert [each["betterThanNext"] is None for each in others] == [False, True]
    assert all(1 <= low <= high <= 2 for low, high in (each["rankRange"] for each in others))


def test_nobody_is_compared_with_it(result):
    (only,) = leaderboard(Rows(result))["leads"]
    assert {only["above"], only["below"]} == {"callstation", "maniac"}


def test_one_sentence_says_why_and_no_other_speaks_of_it(result):
    why, *others = sentences(Analysis(result))
    assert why.startswith("mute is not ranked: it gave no usable answer in ")
    assert not any("mute" in line for line in others)


@pytest.mark.parametrize("method", ["openskill", "margin"])
def test_the_table_has_dashes_for_it(method):
    result = played("mute", "callstation", adjacentConfidence={"method": method})
    console = Console(file=io.StringIO(), width=100)
    print_result(Rows(result), console)
    lines = console.file.getvalue().splitlines()
    (row,) = [line.split() for line in lines if " mute " in line and "not ranked" not in line]
    assert (row[0], row[4]) == ("-", "-")
    assert any("mute is not ranked" in line for line in lines)


def test_whoever_answers_in_half_of_its_hands_is_ranked():
    rows = Rows(played("stumbler", "callstation")).agents
    assert all(row.ranked is UNSET for row in rows)
    assert any(row.forced_folds for row in rows)


def test_all_of_them_may_be_without_a_rank():
    rows = Rows(played("mute", {"id": "other", "type": "mute"})).agents
    assert [(row.ranked, row.rank_range, row.better_than_next) for row in rows] == [(False, None, None)] * 2


def test_a_model_without_a_single_reply_has_not_played_for_free():
    model = {"id": "model", "type": "llm:openai:test"}
    with Provider(fault=lambda request: "400-prompt") as provider:
        provider.preflight_fault = "500"
        result = run_benchmark(
            {
                "participants": [{**model, "baseUrl": provider.url}, "tight"],
                "seeds": {"perMatch": 1, "masterSeed": "the master seed of these tests"},
                "game": {"handsPerGame": 2, "maxRetries": 0},
                "stop": {"budget": {"maxMatches": 1}},
                "llm": {"prices": {"openai:test": {"input": 1, "output": 1}}},
            }
        )
    (used,) = [row["usage"] for row in leaderboard(Rows(result))["participants"] if "usage" in row]
    assert (used["costUsd"], used["costUsdPerHand"], used["costUsdPer100Decisions"]) == (None, None, None)
    console = Console(file=io.StringIO(), width=100)
    print_result(Rows(result), console)
    (row,) = [
        line
        for line in console.file.getvalue().splitlines()
        if line.strip().startswith("model ") and "tok" not in line and "not ranked" not in line
    ]
    assert row.split() == ["model", "0", "-", "0", "-", "-", "-", "-", "-"]
