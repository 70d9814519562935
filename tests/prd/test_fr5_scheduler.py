"""FR-5: who plays next.

The requirements make `uncertainty_overlap` the default; here it is `information_gain`, which needs fewer games for the
same order. And they mean by a mean and its uncertainty those of OpenSkill, while by default they are those of what was
won. So these tests set both. The first matches connect everyone, so that all ratings are on one scale; then the policy
chooses.
"""

from collections import Counter
from itertools import combinations, pairwise

import pytest

import molt_bench
from tests.prd.conftest import small

FOUR = ("random", "tight", "callstation", "maniac")
#: Beyond what these runs reach.
BY_RATINGS = {"method": "openskill", "threshold": 1 - 1e-9}


def scheduled(*people, matches, hands=10, **scheduler):
    """Return the config of a run that is scheduled by its ratings."""
    stop = {"adjacentConfidence": BY_RATINGS, "budget": {"maxMatches": matches}}
    policy = {"policy": "uncertainty_overlap", "rematchWindow": 0, **scheduler}
    return small(*people, hands=hands, stop=stop, scheduler=policy)


def starting_at(*ratings):
    return [
        {"id": f"p{at}", "type": kind, "initialRating": {"mu": mu, "sigma": sigma}}
        for at, (kind, (mu, sigma)) in enumerate(zip(FOUR, ratings, strict=True))
    ]


def choices(run):
    """Return what was chosen once matches connected everyone, and the ratings then."""
    groups = [{name} for name in run.board]
    opening = 0
    while len(groups) > 1:
        joined = [group for group in groups if group & run.pairs[opening]]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
        opening += 1
    assert opening <= len(run.pairs) - 6
    return list(zip(run.pairs, run.ratings_before(), strict=True))[opening:]


def gap(ratings, pair):
    first, second = (ratings[name]["mu"] for name in pair)
    return abs(first - second)


def doubt(ratings, pair):
    return sum(ratings[name]["sigma"] for name in pair)


def test_fr5_19_close_means_are_preferred(played):
    """19, 20: without exploration, the pair with the closest means plays."""
    people = starting_at((10, 2), (20, 2), (26, 2), (40, 2))
    run = played(scheduled(*people, matches=14, exploration=0))
    for chosen, ratings in choices(run):
        least = min(gap(ratings, pair) for pair in combinations(ratings, 2))
        assert gap(ratings, chosen) == pytest.approx(least)


def test_fr5_19_high_combined_uncertainty_is_preferred(played):
    """19, 20: with exploration alone, the pair of the highest sigmaA + sigmaB plays."""
    people = starting_at((25, 1), (25, 3), (25, 6), (25, 8))
    run = played(scheduled(*people, matches=14, exploration=1))
    for chosen, ratings in choices(run):
        most = max(doubt(ratings, pair) for pair in combinations(ratings, 2))
        assert doubt(ratings, chosen) == pytest.approx(most)


def test_fr5_20_exploration_weighs_the_one_against_the_other(played):
    """20: an exploration parameter from 0 to 1."""
    people = starting_at((5, 8), (24, 1), (26, 1), (45, 8))
    close, uncertain = frozenset(("p1", "p2")), frozenset(("p0", "p3"))
    runs = {share: played(scheduled(*people, matches=12, exploration=share), name=f"at{share}") for share in (0, 1)}
    first = {share: choices(run)[0][0] for share, run in runs.items()}
    assert first == {0: close, 1: uncertain}


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_fr5_20_exploration_is_a_share(share):
    """20: from 0 to 1."""
    with pytest.raises(molt_bench.ConfigError, match="exploration"):
        molt_bench.run_benchmark(scheduled("random", "tight", matches=2, exploration=share))


@pytest.mark.parametrize("window", [1, 2])
def test_fr5_21_a_pair_does_not_meet_again_within_the_window(played, window):
    """21: avoids immediate rematches, in a configurable window."""
    people = starting_at((10, 2), (20, 2), (26, 2), (40, 2))
    run = played(scheduled(*people, matches=14, exploration=0, rematchWindow=window))
    for at in range(len(run.pairs)):
        assert run.pairs[at] not in run.pairs[max(0, at - window) : at]


def test_fr5_21_without_a_window_a_pair_may_meet_again_at_once(played):
    """21: the window is what keeps them apart; it is 1 by default."""
    people = starting_at((10, 2), (20, 2), (26, 2), (40, 2))
    run = played(scheduled(*people, matches=14, exploration=0))
    assert any(one == other for one, other in pairwise(run.pairs))
    usual = played(small("random", "tight", matches=1), name="usual")
    assert usual.config["scheduler"]["rematchWindow"] == 1


@pytest.mark.parametrize("policy", ["uncertainty_overlap", "thompson", "adjacent_pairs"])
def test_fr5_22_there_are_other_policies(played, policy):
    """22: a framework for further policies, such as thompson and adjacent_pairs."""
    run = played(small(*FOUR, matches=8, scheduler={"policy": policy}))
    assert run.config["scheduler"]["policy"] == policy
    assert len(run.matches) == 8


def test_fr5_22_a_policy_that_does_not_exist_is_an_error_that_names_those_that_do():
    """22: policies have names."""
    with pytest.raises(molt_bench.ConfigError, match="uncertainty_overlap"):
        molt_bench.run_benchmark(small("random", "tight", scheduler={"policy": "uncertainty"}))


def test_fr5_games_are_concentrated_on_close_and_uncertain_pairs(played):
    """Acceptance: measured by how many matches an outlier plays, against a round robin."""
    people = [*({"id": f"random-{at}", "type": "random"} for at in range(3)), {"id": "outlier", "type": "callstation"}]
    shares = {}
    for policy in ("uncertainty_overlap", "round_robin"):
        run = played(scheduled(*people, matches=36, hands=20, policy=policy, rematchWindow=1), name=policy)
        met = Counter(run.pairs)
        shares[policy] = sum(count for pair, count in met.items() if "outlier" in pair) / met.total()
    assert shares["round_robin"] == pytest.approx(0.5, abs=0.05)
    assert shares["uncertainty_overlap"] < 0.75 * shares["round_robin"]
