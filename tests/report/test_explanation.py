"""`report --explain`, and the line below the table: every number in words, and the words have the table's numbers."""

import json
import re

import pytest
from tests.e2e.shell import quick, quick_run

from molt_bench.report.explanation import explanation, raw_and_corrected
from molt_bench.report.rows import Rows
from molt_bench.runs.run import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    flags = ("--participants", "tag,callstation,random", "--seeds", 3, "--hands", 10, "--max-matches", 3, "--quiet")
    return quick_run(tmp_path_factory.mktemp("runs"), *flags, "--executor", "inline")


@pytest.fixture(scope="module")
def found(run):
    return Rows(Run.open(run).result())


def test_the_line_below_the_table_names_both_results_and_whose_luck_was_largest(found):
    luck = {found.found.shown[row.id]: row.raw_bb_per_100 - row.bb_per_100 for row in found.agents}
    name = max(luck, key=lambda name: abs(luck[name]))
    word = "lucky" if luck[name] > 0 else "unlucky"
    said = raw_and_corrected(found)
    assert said.startswith(
        f"bb/100 is raw, the chips as won, with the luck taken out (estimator {found.found.estimator}). "
    )
    assert (f"Largest correction: {name} was {abs(luck[name]):.1f} bb/100 {word}.") in said


def test_without_an_estimator_nothing_is_said_to_be_taken_out(tmp_path):
    flags = ("--participants", "tag,random", "--seeds", 2, "--hands", 5, "--max-matches", 1, "--quiet")
    folder = quick_run(tmp_path, *flags, "--executor", "inline", "--set", "rating.estimator=raw")
    result = Rows(Run.open(folder).result())
    assert "no luck is taken out (estimator raw)" in raw_and_corrected(result)
    assert "zero on average" not in " ".join(explanation(result))


def test_one_seed_pair_of_one_hand_is_said_in_the_singular(tmp_path):
    flags = ("--participants", "tight,tight", "--seeds", 1, "--hands", 1, "--max-matches", 1, "--quiet")
    said = " ".join(explanation(Rows(Run.open(quick_run(tmp_path, *flags, "--executor", "inline")).result())))
    assert "Each is 1 seed pair: the same hand is played twice" in said
    assert "comes from 1 seed pair with" in said


def test_every_number_of_the_table_is_explained_for_its_agent(found):
    paragraphs = explanation(found)
    assert "3 seed pairs: the same 10 hands are played twice" in paragraphs[0]
    for row in found.agents:
        (own,) = [text.replace(",", "") for text in paragraphs if text.startswith(f"{row.name}: ")]
        opponents = [other.name for other in found.agents if other is not row]
        assert all(f"from {other}" in own for other in opponents)
        assert f"{row.bb_per_100:+.1f} bb/100 is the mean of" in own
        assert f"± {row.bb_per_100_half_width:.1f} comes from 6 seed pairs" in own
        assert f"raw) it won {row.raw_bb_per_100:+.1f}" in own
        won = [float(value) for value in re.findall(r"([+-][\d.]+) from ", own)]
        assert sum(won) / len(won) == pytest.approx(row.bb_per_100, abs=0.11)


def test_it_says_why_a_lead_is_smaller_than_the_difference_of_two_results(found):
    """With three players, it is two thirds of that."""
    above, below = found.agents[:2]
    lead = found.found.model.lead(above.id, below.id) / 10
    assert lead == pytest.approx((above.bb_per_100 - below.bb_per_100) * 2 / 3, abs=0.11)
    assert "about 2/3 of the difference between two results" in explanation(found)[-2]


def test_of_two_players_alone_nothing_of_the_kind_is_said(tmp_path):
    flags = ("--participants", "tag,random", "--seeds", 2, "--hands", 5, "--max-matches", 1, "--quiet")
    two = Rows(Run.open(quick_run(tmp_path, *flags, "--executor", "inline")).result())
    assert "breaks even" not in " ".join(explanation(two))


def test_the_report_prints_it_below_the_table_and_as_json(run, found):
    done = quick("report", str(run), "--explain", "--no-color")
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("Results: ") < done.stdout.index(explanation(found)[0])
    assert json.loads(quick("report", str(run), "--explain", "--json").stdout)["explanation"][
        : len(explanation(found))
    ] == explanation(found)
    assert "explanation" not in json.loads(quick("report", str(run), "--json").stdout)


def test_before_the_first_match_there_is_nothing_to_explain(found):
    import msgspec

    empty = Rows(msgspec.structs.replace(found.found.result, matches=()))
    assert raw_and_corrected(empty) == ""
    assert explanation(empty) == ["No match is finished, so there is nothing to explain yet."]
