"""What is said of a run: the headline, the table at any width, remarks, and how each number came about."""

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.e2e.shell import good, quick
from tests.llm.provider import Provider
from tests.report.playing import played

from molt_bench import run_benchmark
from molt_bench.bench.stop_rules import Progress, order_known
from molt_bench.config.stop import AdjacentConfidence, StopConfig
from molt_bench.report.artifacts import summary
from molt_bench.report.explanation import claims, explanation, units
from molt_bench.report.result_tables import contested, leaderboard_table, print_result
from molt_bench.report.run_rows import Rows
from molt_bench.report.verdict import headline, remarks
from molt_bench.runs.run import Run


@pytest.fixture(scope="module")
def run(runs, bots_id):
    return runs / bots_id


@pytest.fixture(scope="module")
def bots(run):
    return Rows(Run.open(run).result())


def printed(rows, width=200, *, terminal=False, **more):
    out = StringIO()
    print_result(rows, Console(file=out, width=width, force_terminal=terminal, color_system=None), **more)
    return out.getvalue()


def table_rows(rows, width=200):
    """Return the cells of every agent's row, by its name."""
    lines = [line.split() for line in printed(rows, width).splitlines()]
    return {line[1]: line for line in lines if line and re.fullmatch(r"-|\d+(-\d+)?", line[0]) and "±" in line[-1]}


# The headline.


def test_the_headline_names_a_leader_only_where_one_is_claimed_and_is_in_the_summary(rows):
    said = headline(rows)
    assert summary(rows)["headline"] == " ".join(said)
    first = [name for name, (best, _) in rows.rank_ranges.items() if best == 1]
    assert said[0].startswith(f"{first[0]} leads" if len(first) == 1 else "No leader can be named: ")
    assert all(name in said[0] for name in first)
    assert 1 <= len(said) <= 2
    assert headline(Rows(replace(rows.result, ending=None)))[0] == f"So far: {said[0]}"


def test_the_headline_of_a_gauntlet_begins_with_its_reference():
    against = played("tight", "tag", "maniac", matches=4, scheduler={"policy": "gauntlet"})
    assert headline(against)[0].startswith("Against tight, the reference: ")
    assert "bb/100 v ref" in printed(against)


def test_before_the_first_match_there_is_no_headline_and_nothing_to_explain(bots):
    empty = Rows(replace(bots.result, matches=()))
    assert (headline(empty), units(empty)) == ([], "")
    assert explanation(empty) == ["No match is finished, so there is nothing to explain yet."]


# The table.


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_rank_and_name_are_there_at_any_width(bots, width):
    out = StringIO()
    Console(file=out, width=width).print(leaderboard_table(bots, bots.agents))
    lines = out.getvalue().splitlines()
    assert [[row.rank_text, bots.names[row.id]] in [line.split()[:2] for line in lines] for row in bots.agents] == (
        [True] * len(bots.agents)
    )
    assert all(len(line) <= width for line in lines)
    assert "…" not in out.getvalue()


def test_columns_are_left_out_by_importance_and_a_note_says_which(bots):
    narrow, wide = printed(bots, 45), printed(bots, 80)
    assert "Left out" not in wide
    left_out = " ".join(narrow.partition("Left out for lack of room:")[2].partition(".\n")[0].split())
    assert "mu±sigma" in left_out
    assert "bb/100" not in left_out


def test_no_word_is_cut_on_a_screen_of_60_columns(bots):
    lines = [line.rstrip() for line in printed(bots, 60, terminal=True).splitlines()]
    assert all(len(line) <= 60 for line in lines)
    assert " ".join(headline(bots)) in " ".join(" ".join(lines).split())


def test_the_verdict_comes_first_and_units_are_explained(bots):
    text = printed(bots)
    assert text.startswith(" ".join(headline(bots)))
    assert "bb/100: big blinds (the larger forced bet) won per 100 hands" in text


def test_the_table_has_the_order_and_the_ranks_of_the_rows(rows):
    table = table_rows(rows, 120)
    assert [(line[1], line[0]) for line in table.values()] == [(row.id, row.rank_text) for row in rows.agents]
    assert any("-" in line[0] for line in table.values())
    assert len({line[0] for line in table.values()}) > 1, "or this test shows nothing"


def test_no_page_makes_up_a_rank_of_its_own():
    """Every script prints a rank with `rankText`, from the ranges in the data."""
    for script in (Path(__file__).parents[2] / "src/molt_bench/plugins/view/static").glob("*.js"):
        text = script.read_text().replace("span.rank", "").replace("GLOSSARY.rank", "")
        assert not re.search(r"\.rank\b|\{ rank\b", text) or script.name == "pokertable.js", script.name


def test_of_forty_agents_the_table_has_those_at_the_top_and_those_of_whom_something_is_open():
    participants = [{"id": f"agent-{at}", "type": ("tight", "callstation")[at % 2]} for at in range(40)]
    many = {"seeds": {"perMatch": 1}, "game": {"handsPerGame": 2}}
    rows = played(*participants, matches=60, **many)
    shown = contested(rows)
    assert len(shown) <= 20
    assert shown[:5] == [*rows.agents[:5]]
    assert f"{40 - len(shown)} more agents" in printed(rows, 80)
    whole = printed(rows, 80, explained=True)
    assert all(f" {each['id']} " in whole for each in participants)


def test_what_is_not_known_is_a_dash(unfinished):
    assert (table_rows(unfinished)["tight"][0], *table_rows(unfinished)["tight"][2:4]) == ("-", "-", "-")


@pytest.mark.parametrize("method", ["openskill", "margin"])
def test_who_hardly_ever_answered_has_dashes_and_one_sentence_says_why(method):
    rows = played("mute", "callstation", rule={"method": method})
    row = table_rows(rows)["mute"]
    assert (row[0], row[4]) == ("-", "-")
    why, *others = [*remarks(rows), *claims(rows)]
    assert why.startswith("mute is not ranked: it gave no usable answer in ")
    assert not any("mute" in line for line in others)
    assert f"Faults: mute ({rows.by_id['mute'].faults_text})." in printed(rows)


def test_a_model_without_a_single_reply_has_not_played_for_free():
    model = {"id": "model", "type": "llm:openai:test"}
    with Provider(fault=lambda request: "400-prompt") as provider:
        provider.preflight_fault = "500"
        config = {
            "participants": [{**model, "baseUrl": provider.url}, "tight"],
            "seeds": {"perMatch": 1, "masterSeed": "the master seed of these tests"},
            "game": {"handsPerGame": 2, "maxRetries": 0},
            "stop": {"budget": {"maxMatches": 1}},
            "llm": {"prices": {"openai:test": {"input": 1, "output": 1}}},
        }
        rows = Rows(run_benchmark(config))
    used = rows.by_id["model"].usage
    assert (used["costUsd"], used["costUsdPerHand"], used["costUsdPer100Decisions"]) == (None, None, None)
    cells = [line.split() for line in printed(rows).splitlines() if line.startswith(" model ")]
    assert ["model", "0", "-", "0", "-", "-", "-", "-", "-"] in cells


def test_a_run_by_ratings_that_leaves_an_order_open_says_how_to_go_on(tmp_path):
    flags = ("--participants", "random,random", "--seeds", 1, "--hands", 2, "--max-matches", 2)
    openskill = ("--set", "stop.adjacentConfidence.method=openskill", "--executor", "inline")
    said = good(quick(*flags, *openskill, "--output-dir", tmp_path)).stdout
    assert "To continue: molt-bench resume " in said
    assert "--max-matches 4" in said


# Remarks and claims.


def test_what_is_not_resolved_is_said_and_no_order_is_claimed():
    rows = played("random", "random", matches=1)
    assert [lead.verdict for lead in rows.leads] == ["open"]
    assert any("Open, so nothing is claimed" in line for line in claims(rows))


def test_two_that_play_the_same_are_tied():
    """Their margins are zero on every seed; that they always will be is believed only after some of them."""
    rows = Rows(run_benchmark({"participants": ["callstation", {"id": "b", "type": "callstation"}]}))
    assert "tied within 25 bb/100" in rows.result.stop_reason
    assert re.fullmatch(r"Tied within 25 bb/100: callstation and b \(0\.0 ± [\d.]+\)\.", " ".join(claims(rows)))
    assert remarks(rows) == []


@pytest.mark.parametrize("method", ["margin", "openskill"])
def test_one_sentence_says_whose_win_rate_is_not_complete_and_who_has_not_played(unfinished, method):
    stop = StopConfig(adjacent_confidence=AdjacentConfidence(method=method))
    config = unfinished.result.config.model_copy(update={"stop": stop})
    first, second = remarks(Rows(replace(unfinished.result, config=config)))
    assert first.startswith("bb/100 is only over the opponents met so far for ")
    assert all(each in first for each in ("tag (2 of 3)", "folder (1 of 3)", "callstation (1 of 3)"))
    assert second == "tight has not played."


@pytest.mark.parametrize(("verdict", "why"), [("tied", "the two are tied because "), ("ordered", " leads because ")])
def test_an_order_against_what_one_wins_from_the_other_is_said(bots, verdict, why):
    found = Rows(bots.result)
    above, below = found.order[:2]
    (own,) = [each for pair, each in found.pairs.items() if {*pair} == {above, below}]
    found.leads = (replace(found.leads[0], verdict=verdict),)
    won = replace(own, a=below, b=above, bb_per_100=50.0, bb_per_100_half_width=2.0, verdict="ordered")
    found.pairs = {(below, above): won}
    said = remarks(found)
    assert any(line.startswith(f"{below} wins 50.0 ± 2.0 bb/100 from {above}; ") and why in line for line in said)


def test_no_confidence_is_rounded_to_certainty():
    rows = played("random", "tight", matches=1, rule={"threshold": 0.9999999})
    assert any("(that takes 99.99999%)" in line for line in claims(rows))
    known = {"matches": 1, "games": 1, "hands": 1, "seconds": 1.0, "ranking": ("a", "b"), "confidences": (0.99999999,)}
    stop = StopConfig(adjacent_confidence=AdjacentConfidence(threshold=0.9999999, method="openskill"))
    said = str(order_known(stop, Progress(**known)))
    assert said == "with 99.99999% confidence every adjacent pair is ordered (least sure: a above b, >99%)"


# Explanations.


def test_every_result_is_explained_by_what_it_is_the_mean_of(bots):
    paragraphs = explanation(bots)
    assert "3 seed pairs: the same 12 hands are played twice" in paragraphs[0]
    for row in bots.agents:
        (own,) = [text.replace(",", "") for text in paragraphs if text.startswith(f"{row.name}: ")]
        half = f" ± {row.bb_per_100_half_width:.1f}" if row.bb_per_100_half_width else ""
        assert f"{row.bb_per_100:+.1f}{half} bb/100 is the mean of" in own
        assert f"In chips it won {row.raw_bb_per_100:+.1f}" in own
        won = [float(value) for value in re.findall(r"([+-][\d.]+) from ", own)]
        assert len(won) == 2
        assert sum(won) / 2 == pytest.approx(row.bb_per_100, abs=0.11)


def test_it_says_why_a_lead_is_smaller_than_the_difference_of_two_results(bots):
    """With three players, it is two thirds of that."""
    above, below = bots.agents[:2]
    assert bots.leads[0].bb_per_100 == pytest.approx((above.bb_per_100 - below.bb_per_100) * 2 / 3, abs=0.11)
    assert "about 2/3 of the difference between two results" in explanation(bots)[-2]


def test_without_an_estimator_nothing_is_said_to_be_taken_out():
    said = " ".join(explanation(played("tag", "random", matches=1, rating={"estimator": "raw"})))
    assert "no luck is taken out" in said
    assert "zero on average" not in said


def test_one_seed_pair_of_one_hand_is_said_in_the_singular():
    said = explanation(played("tight", "tight", matches=1, seeds={"perMatch": 1}, game={"handsPerGame": 1}))
    assert "Each is 1 seed pair: the same hand is played twice" in said[0]


def test_the_report_prints_it_below_the_table_and_as_json(run, bots):
    said = good(quick("report", str(run), "--explain", "--no-color")).stdout
    assert said.index("Results: ") < said.index(explanation(bots)[0])
    content = json.loads(quick("report", str(run), "--explain", "--json").stdout)
    assert content["explanation"][: len(explanation(bots))] == explanation(bots)
    assert "explanation" not in json.loads(quick("report", str(run), "--json").stdout)
