"""The numbers of a result, and the files they are written to."""

import json
from io import StringIO

import msgspec
import pytest
from rich.console import Console
from tests.e2e.shell import strict_json
from tests.report.said import sentences

from molt_bench import run_benchmark, write_artifacts
from molt_bench.config.stop import AdjacentConfidence, StopConfig
from molt_bench.luck.weights import luck_version
from molt_bench.records import Rating
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifacts import ARTIFACTS, indented, leaderboard, summary
from molt_bench.report.result_tables import print_result
from molt_bench.report.rows import Rows


@pytest.fixture(scope="module")
def result():
    participants = [
        {"id": kind, "type": kind, "displayName": kind.title()} for kind in ("folder", "callstation", "tight")
    ]
    return run_benchmark({"participants": participants, "seeds": {"perMatch": 3}, "game": {"handsPerGame": 20}})


def test_win_rates_are_big_blinds_in_100_hands_with_the_seed_pair_as_the_unit():
    config = {"rating": {"estimator": "raw"}, "stop": {"budget": {"maxMatches": 2}, "adjacentConfidence": None}}
    two = run_benchmark(config)
    winner, loser = Rows(two).agents
    assert winner.bb_per_100 == -loser.bb_per_100
    assert winner.bb_per_100_half_width == loser.bb_per_100_half_width
    total = sum(match.score_b for match in two.matches)
    assert abs(winner.bb_per_100) == round(abs(total) / 2000, 1)
    (lead,) = leaderboard(Rows(two))["leads"]
    assert lead["bbPer100"] == winner.bb_per_100
    assert lead["bbPer100HalfWidth"] == winner.bb_per_100_half_width


def test_a_single_seed_never_gives_an_interval_without_width():
    one = run_benchmark({"seeds": {"perMatch": 1}, "stop": {"budget": {"maxMatches": 1}}})
    assert all(row.bb_per_100_half_width > 10 for row in Rows(one).agents)


def test_both_estimators_are_shown_and_the_one_of_the_config_counts():
    stop = {"adjacentConfidence": None, "budget": {"maxMatches": 2}}
    result = run_benchmark({"participants": ["random", "callstation"], "stop": stop})
    (pair,) = leaderboard(Rows(result))["pairs"]
    sign = 1 if pair["a"] == "random" else -1
    for estimator, shown in (("adjusted", pair["bbPer100"]), ("raw", pair["rawBbPer100"])):
        counted = [each for match in result.matches for each in match.margins[estimator]]
        assert shown == round(sign * sum(counted) / len(counted) / 10, 1)
    assert 0 < pair["varianceLeft"] < 1
    assert leaderboard(Rows(result))["luck"] == luck_version()


def test_what_is_not_resolved_is_said_and_no_order_is_claimed():
    config = {"participants": ["random", "random"], "seeds": {"perMatch": 4}, "stop": {"budget": {"maxMatches": 1}}}
    result = run_benchmark(config)
    assert [each["verdict"] for each in leaderboard(Rows(result))["leads"]] == ["open"]
    assert any("Open, so nothing is claimed" in line for line in sentences(Analysis(result)))


def test_two_that_play_the_same_are_tied():
    """Their margins are zero on every seed; that they always will be is believed only after some of them."""
    result = run_benchmark({"participants": ["callstation", {"id": "b", "type": "callstation"}]})
    assert "tied within 25 bb/100" in result.stop_reason
    assert sentences(Analysis(result)) == ["Tied within 25 bb/100: callstation and b."]


@pytest.fixture(scope="module")
def unfinished():
    """Three of four have played, each against some of the others."""
    matches = (("tag", "folder"), ("tag", "callstation"))
    found = run_benchmark(
        {
            "participants": ["tag", "folder", "callstation", "tight"],
            "seeds": {"perMatch": 4},
            "game": {"handsPerGame": 10},
            "scheduler": {"policy": "round_robin"},
            "stop": {"budget": {"maxMatches": 6}, "adjacentConfidence": None},
        }
    )
    kept = tuple(match for match in found.matches if match.participants in matches)
    last = {rating.id: rating for match in kept for rating in match.change.after}
    board = tuple(last.get(each.id, Rating(each.id, 25.0, 25 / 3)) for each in found.leaderboard)
    return msgspec.structs.replace(found, matches=kept, leaderboard=board)


#: The lead, half width and sureness of those who have not met all, and the verdict.
NOTHING = (None, None, None, "open")
INCOMPLETE = "bb/100 is only over the opponents met so far for "


def test_a_win_rate_is_over_the_opponents_met_and_without_an_interval_before_all_are(unfinished):
    model = Analysis(unfinished).model
    rows = Rows(unfinished).by_id
    lost = [model.margin(name, "tag") for name in ("folder", "callstation")]
    assert rows["folder"].bb_per_100 == round(lost[0] / 10, 1)
    assert rows["folder"].bb_per_100 < 0  # it has lost every match
    assert rows["tag"].bb_per_100 == round(-sum(lost) / 20, 1)
    assert rows["tight"].bb_per_100 is None
    assert all(row.bb_per_100_half_width is None for row in rows.values())


def test_what_is_not_known_is_null_in_every_file(unfinished):
    rows = {row["id"]: row for row in strict_json(ARTIFACTS["leaderboard.json"](Rows(unfinished)))["participants"]}
    assert rows["tight"]["bbPer100"] is None
    assert all(row["bbPer100HalfWidth"] is None for row in rows.values())
    leads = leaderboard(Rows(unfinished))["leads"]
    assert all(
        (each["bbPer100"], each["bbPer100HalfWidth"], each["sure"], each["verdict"]) == NOTHING for each in leads
    )


def test_one_sentence_says_whose_win_rate_is_not_complete_and_who_has_not_played(unfinished):
    first, second, *others = sentences(Analysis(unfinished))
    assert first.startswith(INCOMPLETE)
    assert all(each in first for each in ("tag (2 of 3)", "folder (1 of 3)", "callstation (1 of 3)"))
    assert second == "tight has not played."
    assert others[0].startswith("Open, so nothing is claimed (that takes 95%): ")
    assert not any("the order is" in each for each in others)  # an order by results that nobody knows


def test_it_is_said_whatever_decides_the_order(unfinished):
    stop = StopConfig(adjacent_confidence=AdjacentConfidence(method="openskill"))
    config = unfinished.config.model_copy(update={"stop": stop})
    said, _ = sentences(Analysis(msgspec.structs.replace(unfinished, config=config)))
    assert said.startswith(INCOMPLETE)


def test_the_table_has_a_dash_for_what_is_not_known(unfinished):
    console = Console(record=True, width=200, file=StringIO())
    print_result(Rows(unfinished), console)
    text = console.export_text()
    (line,) = (line.split() for line in text.splitlines() if line.split()[1:2] == ["tight"])
    assert (line[0], line[2:4]) == ("-", ["-", "-"])
    assert "+0.0" not in text
    assert INCOMPLETE in text


def test_nobody_is_shut_out_of_the_first_place_by_those_who_have_not_met():
    """One that is unbeaten so far may be the best."""
    config = {"participants": ["tag", "folder", "callstation"], "seeds": {"perMatch": 4}}
    result = run_benchmark({**config, "stop": {"budget": {"maxMatches": 2}}})
    ranks = {row.id: row.rank_range for row in Rows(result).agents}
    assert ranks == dict.fromkeys(("tag", "folder", "callstation"), (1, 3))


def test_anchors_are_left_out_of_the_field():
    participants = [{"id": name, "type": name} for name in ("tag", "tight")]
    config = {
        "participants": [*participants, {"id": "random", "type": "random", "anchor": True}],
        "seeds": {"perMatch": 4},
        "game": {"handsPerGame": 10},
        "stop": {"budget": {"maxMatches": 3}, "adjacentConfidence": None},
    }
    found = Analysis(run_benchmark(config))
    model = found.model
    results = found.results
    assert results["tag"].mean == pytest.approx(model.margin("tag", "tight"))
    both = [model.margin("random", name) for name in ("tag", "tight")]
    assert results["random"].mean == pytest.approx(sum(both) / 2)


def test_efficiency_is_given_and_explained_only_if_the_order_was_decided(result):
    undecided, decided = (msgspec.structs.replace(result, converged=each) for each in (False, True))
    assert "convergenceEfficiency" not in summary(Rows(undecided))
    found = summary(Rows(decided))["convergenceEfficiency"]
    assert found["ratio"] == found["games"] / found["roundRobinGames"]
    assert "round robin" in found["meaning"]


def test_all_files_are_written_and_valid(result, tmp_path):
    assert write_artifacts(result, tmp_path) == []
    assert {path.name for path in tmp_path.iterdir()} == ARTIFACTS.keys()
    for path in tmp_path.glob("*.json"):
        json.loads(path.read_text("utf-8"))
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert [event["event"] for event in events] == ["match"] * len(result.matches) + ["stop"]


def test_a_folder_that_cannot_be_written_is_a_warning_for_each_file(result, tmp_path):
    warnings = write_artifacts(result, tmp_path / "missing")
    assert len(warnings) == len(ARTIFACTS)
    assert "could not be written: No such file or directory" in warnings[0]


def test_in_a_gauntlet_the_reference_is_named_and_nowhere_else(result):
    against = Analysis(run_benchmark(SMALL | {"scheduler": {"reference": "tight"}}))
    assert leaderboard(Rows(against.result))["reference"] == "tight"
    assert "bb/100 v ref" in printed(against)
    assert "reference" not in leaderboard(Rows(result))
    assert "v ref" not in printed(Analysis(result))


SMALL = {
    "participants": ["folder", "callstation", "tight"],
    "seeds": {"perMatch": 2},
    "game": {"handsPerGame": 10},
    "stop": {"budget": {"maxMatches": 6}},
}


def printed(found):
    console = Console(file=StringIO(), width=80)
    print_result(Rows(found.result), console)
    return console.file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        {
            "a": [1.5e-300, 1e16, 10**40, -0.0, 5e-324],
            "b": {},
            "c": [],
            "d": '\u00e9\u2028\n"\\\x7f',
            "": [[], [{}], None, True],
        },
        [],
        {"a number that is none": float("nan"), "far": [float("inf")]},
    ],
)
def test_files_are_indented_as_by_json(content):
    assert indented(content) == json.dumps(content, indent=2, ensure_ascii=False) + "\n"
