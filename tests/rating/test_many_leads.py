"""Many leads at once are the same as one by one, to the last bit: sums, quantiles, verdicts and the next pair."""

from itertools import combinations, pairwise
from math import fsum

import numpy as np
import pytest

from molt_bench.bench.schedule.information_gain import most_gain, most_gain_of_all
from molt_bench.bench.schedule.meeting_counts import Meetings
from molt_bench.bench.schedule.situation import Contrast, Situation
from molt_bench.rating.exact_sums import ExactSum
from molt_bench.rating.many_leads import lead_sums
from molt_bench.rating.pair_sums import Allowances
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.sequential_batch import deciding_errors, doubts
from molt_bench.rating.student import UNKNOWN, Estimate, near_quantile, student_cdf
from molt_bench.rating.student_batch import near_quantiles, student_cdfs

NAMES = [f"p{at:02}" for at in range(40)]
#: So many participants have pairs of which only those who have played are looked at again.
MANY = [f"p{at:02}" for at in range(95)]


def a_model(names=NAMES, *, seed=1, rare=0.0, unplayed=(), **options):
    """Return a model in which all have played, some of them with rare large wins."""
    dice = np.random.default_rng(seed)
    model = MarginModel(names, **options)
    skill = dict(zip(names, dice.normal(0, 200, len(names)), strict=True))
    for pair in combinations(names, 2):
        if pair not in unplayed:
            own = dice.normal(skill[pair[0]] - skill[pair[1]], 3000 * np.exp(dice.normal()), dice.integers(2, 7))
            own += 30_000 * (dice.random(len(own)) < rare)
            model.add(pair, own.tolist())
    return model


def test_a_sum_that_is_kept_is_that_of_all_numbers():
    dice = np.random.default_rng(3)
    numbers = (dice.normal(size=200) * 10.0 ** dice.integers(-200, 200, 200)).tolist()
    kept = ExactSum()
    for at, number in enumerate(numbers):
        kept.replace(0.0, number)
        assert kept.value == fsum(numbers[: at + 1])
    kept.replace(numbers[0], 5e-324)
    assert kept.value == fsum([5e-324, *numbers[1:]])


@pytest.mark.parametrize("most", [10.0, 1e4, 1e9])
def test_student_at_many_places(most):
    dice = np.random.default_rng(4)
    frees, values = np.exp(dice.uniform(0, np.log(most), 300)), dice.normal(0, 3, 300)
    values[:3] = 0.0, np.inf, -np.inf
    shares = dice.uniform(1e-6, 0.3, 300)
    places = list(zip(values.tolist(), frees.tolist(), shares.tolist(), strict=True))
    assert student_cdfs(values, frees).tolist() == [student_cdf(value, free) for value, free, _ in places]
    assert near_quantiles(shares, frees).tolist() == [near_quantile(share, free) for _, free, share in places]


@pytest.mark.parametrize("margin", [50.0, 250.0])
def test_the_precision_that_decides_many_leads(margin):
    dice, test = np.random.default_rng(5), Horizon(margin, 4)
    leads = [
        Estimate(float(mean), float(scale), float(free), float(scale * 3))
        for mean, scale, free in zip(
            dice.normal(0, 150, 200), dice.uniform(5, 300, 200), dice.uniform(2, 900, 200), strict=True
        )
    ]
    assert deciding_errors(test, leads, 0.05) == [test.deciding(lead, 0.05) for lead in leads]
    some = [*leads, UNKNOWN, Estimate(0.0, 10.0, 3.0)]
    assert doubts(test, some) == [test.doubt(lead) for lead in some]


@pytest.mark.parametrize("block", [1 << 14, 50])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rare": 0.05},
        {"allows": Allowances(skewed=False)},
        {"allows": Allowances(guarded=False)},
        {"anchors": NAMES[:2]},
        {"anchors": NAMES[1:]},
        {"unplayed": [("p03", "p07")]},
    ],
)
def test_leads_together_are_those_one_by_one(options, block, monkeypatch):
    """Also if the pairs are gone through in many blocks, as those of a thousand participants are."""
    monkeypatch.setattr("molt_bench.rating.exact_sums._BLOCK", block)
    together, alone = a_model(**options), a_model(**options)
    pairs = [*pairwise(alone.ranking()), *combinations(NAMES[:9], 2)]
    assert together.leads(pairs) == [alone.lead(*pair) for pair in pairs]


def test_hardly_any_lead_has_to_be_computed_by_itself(monkeypatch):
    found = []
    monkeypatch.setattr(
        "molt_bench.rating.pairwise_model.lead_sums", lambda *given: found.append(lead_sums(*given)) or found[-1]
    )
    monkeypatch.setattr("molt_bench.rating.exact_sums._BLOCK", 50)
    model = a_model(rare=0.05)
    model.leads(combinations(NAMES, 2))
    assert len(found) == 1
    assert found[0].count(None) < len(found[0]) / 100


def test_what_goes_on_from_the_last_match_is_what_all_matches_give():
    kept, dice = a_model(MANY, rare=0.05), np.random.default_rng(6)
    kept.leads(pairwise(MANY))
    played = {("p03", "p80"): [1.0, 5000.0, 2.0], ("p00", "p94"): dice.normal(0, 9000, 5).tolist()}
    for pair, margins in played.items():
        kept.replace(pair, margins)
        kept.leads(pairwise(MANY))
    anew = a_model(MANY, rare=0.05)
    for pair, margins in played.items():
        anew.replace(pair, margins)
    assert kept.leads(pairwise(MANY)) == [anew.lead(*pair) for pair in pairwise(MANY)]


@pytest.mark.parametrize("cost", [{}, {pair: 1.0 + len(pair[0] + pair[1]) % 3 for pair in combinations(NAMES, 2)}])
@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("anchors", [(), NAMES[:3]])
def test_the_next_pair_of_all_is_that_of_the_list(cost, alike, anchors):
    model = MarginModel(NAMES, anchors=anchors) if alike else a_model(anchors=anchors)
    if alike:  # so that all gains are the same but for their places
        for pair in model.pairs:
            model.add(pair, [1.0, 2.0])
    for every in (1, 2):
        neighbours = list(pairwise(model.ranking()))[::every]
        targets = [(pair, 100.0 if alike else 100.0 + at) for at, pair in enumerate(neighbours)]
        spot = Situation(
            ranking=model.ranking(),
            mu={},
            sigma={},
            meetings=Meetings({pair: model.count(*pair) for pair in model.pairs}),
            confidence={},
            variance=model.variances(),
            contrasts=[Contrast(model.lead_weights(*pair), target) for pair, target in targets],
            cost=cost,
        )
        worth, chosen = model.worth(targets), []
        for _ in range(4):
            left = [pair for pair in model.pairs if pair not in chosen]
            found = most_gain_of_all(spot, worth, chosen=chosen, recent=[], allowed=None)
            assert found == most_gain(spot, left)
            chosen.append(found)
        rested = [pair for pair in model.pairs if pair not in chosen]
        assert most_gain_of_all(spot, worth, chosen=[], recent=chosen, allowed=None) == most_gain(spot, rested)
        few = model.pairs[7:9]
        assert most_gain_of_all(spot, worth, chosen=[], recent=few, allowed=few.__contains__) in few
        assert most_gain_of_all(spot, worth, chosen=few, recent=[], allowed=few.__contains__) is None
