"""What the rows of a run say: who won what, in which order, how sure that is, and what everyone is called."""

from itertools import combinations, pairwise

import msgspec
import pytest
from msgspec import UNSET
from tests.report.playing import played

from molt_bench import run_benchmark
from molt_bench.luck.weights import luck_version
from molt_bench.rating.ranks import rank_ranges
from molt_bench.report.artifacts import leaderboard
from molt_bench.report.run_rows import Rows

# What each won.


def test_win_rates_are_big_blinds_in_100_hands_with_the_seed_pair_as_the_unit():
    two = played("random", "tight", matches=2, rating={"estimator": "raw"})
    winner, loser = two.agents
    assert (winner.bb_per_100, winner.bb_per_100_half_width) == (-loser.bb_per_100, loser.bb_per_100_half_width)
    total = sum(match.score_b for match in two.result.matches)
    assert abs(winner.bb_per_100) == round(abs(total) / 160, 1)
    (lead,) = two.leads
    assert (lead.bb_per_100, lead.bb_per_100_half_width) == (winner.bb_per_100, winner.bb_per_100_half_width)


def test_a_single_seed_never_gives_an_interval_without_width():
    assert all(row.bb_per_100_half_width > 10 for row in played("random", "tight", matches=1, seeds={}).agents)


def test_both_estimators_are_shown_and_the_one_of_the_config_counts(by_result):
    rows = played("random", "callstation", matches=2)
    (pair,) = rows.pairs.values()
    sign = 1 if pair.a == "random" else -1
    for estimator, shown in (("adjusted", pair.bb_per_100), ("raw", pair.raw_bb_per_100)):
        counted = [each for match in rows.result.matches for each in match.margins[estimator]]
        assert shown == round(sign * sum(counted) / len(counted) / 10, 1)
    assert 0 < pair.variance_left < 1
    assert leaderboard(rows)["luck"] == luck_version()
    config = by_result.result.config
    raw = config.model_copy(update={"rating": config.rating.model_copy(update={"estimator": "raw"})})
    agents = Rows(msgspec.structs.replace(by_result.result, config=raw)).agents
    assert [row.bb_per_100 for row in agents] == [row.raw_bb_per_100 for row in agents]


def test_what_a_lead_is_made_of_adds_up_to_it(by_result):
    for lead in by_result.leads:
        parts = by_result.parts_of_lead(lead.above, lead.below)
        assert sum(parts.values()) / 10 == pytest.approx(lead.bb_per_100, abs=0.051)
        assert lead.mostly_bb_per_100 == round(max(parts.values()) / 10, 1)


def test_anchors_are_left_out_of_the_field():
    rows = played("tag", "tight", {"id": "random", "type": "random", "anchor": True}, matches=3)
    model, results = rows.model, rows.results
    assert results["tag"].mean == pytest.approx(model.margin("tag", "tight"))
    both = [model.margin("random", name) for name in ("tag", "tight")]
    assert results["random"].mean == pytest.approx(sum(both) / 2)


def test_in_a_gauntlet_the_reference_stands_at_0():
    against = played("tight", "folder", "callstation", scheduler={"policy": "gauntlet"})
    assert leaderboard(against)["reference"] == "tight"
    assert (against.by_id["tight"].bb_per_100, against.by_id["tight"].bb_per_100_half_width) == (0, 0)


# A run in which not all have met.


def test_a_win_rate_is_over_the_opponents_met_and_without_an_interval_before_all_are(unfinished):
    rows, model = unfinished.by_id, unfinished.model
    lost = [model.margin(name, "tag") for name in ("folder", "callstation")]
    assert rows["folder"].bb_per_100 == round(lost[0] / 10, 1)
    assert rows["tag"].bb_per_100 == round(-sum(lost) / 20, 1)
    assert (rows["tight"].bb_per_100, rows["tight"].rank_range) == (None, None)
    assert all(row.bb_per_100_half_width is None for row in rows.values())
    assert {row.met for row in rows.values()} == {(2, 3), (1, 3), (0, 3)}


def test_of_a_lead_that_is_not_known_nothing_is_said(unfinished):
    nothing = {(each.bb_per_100, each.bb_per_100_half_width, each.sure, each.verdict) for each in unfinished.leads}
    assert nothing == {(None, None, None, "open")}


def test_no_one_is_shut_out_of_the_first_place_by_those_who_have_not_met():
    """One that is unbeaten so far may be the best."""
    ranks = {row.id: row.rank_range for row in played("tag", "folder", "callstation", matches=2).agents}
    assert ranks == dict.fromkeys(("tag", "folder", "callstation"), (1, 3))


def test_one_who_has_not_played_has_no_rank_and_stands_below_those_who_have():
    rows = played("tight", "folder", "tag", matches=1)
    (absent,) = [row.id for row in rows.agents if not row.matches]
    assert (rows.agents[-1].id, rows.agents[-1].rank_range) == (absent, None)
    assert rows.agents[0].bb_per_100 > 0 > rows.agents[1].bb_per_100


# The order.


def test_by_margins_everything_is_in_the_order_of_results(by_result):
    by_mu = [rating.id for rating in by_result.result.leaderboard]
    order = sorted(by_mu, key=lambda name: -by_result.results[name].mean)
    assert order != by_mu, "or this test shows nothing"
    assert [row.id for row in by_result.agents] == order == [*by_result.rank_ranges]
    assert [(each.above, each.below) for each in by_result.leads] == list(pairwise(order))


def test_by_openskill_everything_is_in_the_order_of_mu_and_no_lead_is_claimed(by_mu):
    means = [row.mu for row in by_mu.agents]
    assert means == sorted(means, reverse=True)
    assert by_mu.leads == ()


def test_those_of_whom_no_order_is_claimed_share_ranks_and_a_bracket(rows):
    for above, below in pairwise(rows.agents):
        (best, worst), (other_best, other_worst) = above.rank_range, below.rank_range
        claimed = (above.id, below.id) in rows.told_apart
        assert (best < other_best and worst < other_worst) if claimed else worst >= other_best
    covered = set()
    for first, last in rows.open_runs:
        inside = {*combinations(rows.order[first : last + 1], 2)}
        assert inside
        assert inside.isdisjoint(rows.told_apart)
        covered |= inside
    assert {pair for pair in pairwise(rows.order) if pair not in rows.told_apart} <= covered


@pytest.mark.parametrize(
    ("apart", "ranges"),
    [
        ([("a", "c")], [(1, 2), (1, 3), (2, 3)]),  # a chain of ties does not make its ends equal
        (combinations("abc", 2), [(1, 1), (2, 2), (3, 3)]),
        ([("a", "b"), ("b", "c")], [(1, 1), (2, 2), (3, 3)]),  # what follows from two orders counts, too
        ([], [(1, 3)] * 3),
    ],
)
def test_a_range_has_the_ranks_that_claimed_orders_leave_possible(apart, ranges):
    assert rank_ranges("abc", apart) == dict(zip("abc", ranges, strict=True))


def test_ties_share_a_range_and_the_next_one_counts_them():
    """Three that play the same, and one that loses to all of them."""
    same = [{"id": name, "type": "callstation"} for name in ("a", "b", "c")]
    rows = Rows(run_benchmark({"participants": [*same, "folder"], "stop": {"budget": {"maxMatches": 60}}}))
    assert [each.verdict for each in rows.leads] == ["tied", "tied", "ordered"]
    ranks = {row.id: row.rank_range for row in rows.agents}
    assert ranks == {"a": (1, 3), "b": (1, 3), "c": (1, 3), "folder": (4, 4)}


# Those who hardly ever answered.


def test_who_hardly_ever_answered_stands_last_without_rank_or_verdict_and_is_compared_with_no_one():
    rows = played("mute", "callstation", "maniac")  # a maniac's losses are such that the mute one would not be last
    *others, last = rows.agents
    assert (last.id, last.ranked, last.rank_range, last.better_than_next) == ("mute", False, None, None)
    assert all(row.ranked is UNSET for row in others)
    assert [row.better_than_next is None for row in others] == [False, True]
    assert [{lead.above, lead.below} for lead in rows.leads] == [{"callstation", "maniac"}]


def test_who_answers_in_half_of_its_hands_is_ranked():
    agents = played("stumbler", "callstation").agents
    assert all(row.ranked is UNSET for row in agents)
    assert any(row.forced_folds for row in agents)


def test_all_of_them_may_be_without_a_rank():
    rows = played("mute", {"id": "other", "type": "mute"})
    assert [(row.ranked, row.rank_range, row.better_than_next) for row in rows.agents] == [(False, None, None)] * 2


# Names.


def test_everyone_is_called_by_a_name_on_one_line_that_no_one_else_has():
    names = {"one": "red\x1b[31m\u202e\nname\x07", "two": "  ", "three": "same", "four": "same ", "five": "\u3164"}
    participants = [{"id": name, "type": "callstation", "displayName": text} for name, text in names.items()]
    assert played(*participants, matches=1).names == {
        "one": "red\\u001b[31m\\u202e\\u000aname\\u0007",
        "two": "two",
        "three": "same (three)",
        "four": "same (four)",
        "five": "\\u3164",  # a letter that is drawn as nothing is no name
    }
