"""The error of a run is spent over its tests, however often it is extended."""

import numpy as np
import pytest

from molt_bench.bench.error_budget import error_budget, error_of
from molt_bench.bench.extended_run import plain_stop
from molt_bench.config.sections import AdjacentConfidence, Budget, StopConfig
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Judge
from molt_bench.report.analysis import Analysis
from molt_bench.report.claims import sentences
from molt_bench.runs.stored_run import StoredRun
from molt_bench.view.library import Library
from tests.e2e.shell import lines_of, quick, quick_run


def stop(tie=250.0, matches=20, **rule):
    return StopConfig(
        adjacent_confidence=AdjacentConfidence(tie_margin_mbb=tie, **rule), budget=Budget(max_matches=matches)
    )


def test_all_tests_together_never_have_more_than_the_error():
    stops = [stop(250 / 2**k) for k in range(12)]
    assert sum(error_of(stops[: k + 1], version=13) for k in range(12)) < 0.05
    known = error_budget(stops, version=13)
    assert sum(known.tests) + known.left == pytest.approx(0.05)


def test_more_matches_under_the_same_rule_cost_nothing():
    assert error_of([stop(), stop(matches=40), stop(matches=80)], version=13) == error_of([stop()], version=13)
    assert error_budget([stop(), stop(matches=40)], version=13).tests == (0.04,)


def test_no_rule_at_all_is_the_default_rule_which_the_report_goes_by():
    assert error_of([StopConfig(adjacent_confidence=None), stop()], version=13) == error_of([stop()], version=13)


@pytest.mark.parametrize("changed", [{"tie": 125.0}, {"threshold": 0.9}, {"familywise": True}, {"rule": "anytime"}])
def test_another_rule_is_another_test(changed):
    known = error_budget([stop(), stop(**changed)], version=13)
    assert len(known.tests) == 2
    assert known.tests[1] < known.tests[0] / 2


def test_runs_of_earlier_versions_had_all_of_it_in_every_test():
    stops = [stop(), stop(125.0)]
    assert error_of(stops, version=12) == pytest.approx(0.05)
    assert error_budget(stops, version=12).left == 0


def test_the_journal_and_the_report_of_an_extended_run_say_what_is_spent_and_left(tmp_path):
    flags = ("--participants", "maniac,random,tight", "--seeds", "4", "--hands", "4", "--max-matches", "6", "--quiet")
    run = quick_run(tmp_path, *flags)
    assert "0.8" in lines_of(run, "journal.jsonl")[0]["errorSpending"]
    assert Analysis(StoredRun.open(run).result()).error_budget.tests == (0.04,)
    done = quick("resume", run, "--max-matches", "8", "--set", "stop.adjacentConfidence.tieMarginMbb=125", "--quiet")
    assert done.returncode == 0, done.stderr
    found = Analysis(StoredRun.open(run).result())
    assert found.error_budget.tests == (0.04, 0.005)
    assert found.judge.error == pytest.approx(0.005)
    assert any(
        "Of the 5% of runs that may be wrong, 4% and 0.5% are theirs; 0.5% is left for another." in line
        for line in sentences(found)
    )
    assert quick("verify", run).returncode == 0
    assert Library(run).run_page(run.name)["rule"]["claimedFrom"] == pytest.approx(0.9975), "the page says the same"
    assert plain_stop(found.result.config.stop)["adjacentConfidence"]["tieMarginMbb"] == 125


# The lead of a claimed order

JUDGE = Judge(Horizon(250.0, 10), 0.04, first=10)


def test_a_lead_that_was_enough_at_the_first_look_is_as_it_is():
    lead = Estimate(600.0, 100.0, 9.0, 100.0 * 10**0.5)
    assert JUDGE.shrunk(lead) == 600.0


def test_the_longer_it_took_the_more_it_is_shrunk_and_never_beyond_0():
    leads = [Estimate(310.0, 100.0, 1e6, 100.0 * (10 * looks) ** 0.5) for looks in (1, 2, 5, 50)]
    shrunk = [JUDGE.shrunk(lead) for lead in leads]
    assert shrunk == sorted(shrunk, reverse=True)
    assert all(0 < each <= 310 for each in shrunk)
    assert JUDGE.shrunk(Estimate(-310.0, 100.0, 1e6, 2e3)) == -JUDGE.shrunk(Estimate(310.0, 100.0, 1e6, 2e3))


@pytest.mark.parametrize("truth", [250.0, 300.0, 400.0])
@pytest.mark.slow
def test_most_of_what_stopping_adds_to_the_median_is_gone(truth):
    """Two agents, a look after every ten seed pairs, until they are ordered."""
    dice = np.random.default_rng(5)
    plain, shrunk = [], []
    counts = np.arange(10, 1001, 10)
    bars = [JUDGE.test.bars(Estimate(0.0, 1.0, count - 1.0, 500.0), 0.04)[0] for count in counts.tolist()]
    for _ in range(1500):
        drawn = dice.normal(truth, 500.0, 1000)
        means = drawn.cumsum()[9::10] / counts
        errors = np.sqrt(((drawn**2).cumsum()[9::10] / counts - means**2) / (counts - 1))
        far = means >= np.array(bars) * errors
        if far.any():
            at = int(far.argmax())
            lead = Estimate(means[at], errors[at], counts[at] - 1.0, errors[at] * counts[at] ** 0.5)
            plain.append(lead.mean - truth)
            shrunk.append(JUDGE.shrunk(lead) - truth)
    assert np.median(plain) > 8
    assert abs(np.median(shrunk)) < 0.7 * np.median(plain)
    assert abs(np.mean(shrunk)) < 0.8 * np.mean(plain)
