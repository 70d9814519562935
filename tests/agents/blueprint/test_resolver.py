"""`resolver` plays the blueprint up to the turn, and on the river what it publishes, everywhere alike."""

from collections import Counter
from hashlib import sha256
from math import sqrt

import msgspec
import pytest

from molt_bench.agents.blueprint.agent import BlueprintAgent
from molt_bench.agents.blueprint.buckets import holes
from molt_bench.agents.blueprint.resolver import ResolverAgent
from molt_bench.agents.kinds import make_agent
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.drivers import play_game
from molt_bench.poker.actions import FOLD
from molt_bench.seeds import derive
from tests.agents.blueprint.odd_hands import decisions, renamed
from tests.e2e.shell import SEEDED, SMALL, quick, quick_run, results

#: Of the probabilities below; they change with the table, the sizes or the number of rounds.
GOLDEN = "d06919f80bf0c1ee"


@pytest.fixture(scope="module")
def bot():
    return ResolverAgent(seed="tests")


@pytest.fixture(scope="module")
def spots(bot):
    """Decisions of odd hands, with the hands they belong to: at least twelve on the river."""
    found, number = [], 0
    while sum(seen.street == "river" for seen in found) < 12:
        found += [seen for seen, _ in decisions(number, bot)]
        number += 1
    return found


@pytest.fixture(scope="module")
def rivers(spots):
    return [seen for seen in spots if seen.street == "river"]


def test_up_to_the_turn_it_is_the_blueprint(bot, spots):
    early = [seen for seen in spots if seen.street != "river"]
    assert [bot.policy(seen) for seen in early] == [BlueprintAgent().policy(seen) for seen in early]


def test_on_the_river_it_is_not(bot, rivers):
    assert any(bot.policy(seen) != BlueprintAgent().policy(seen) for seen in rivers)


def test_probabilities_add_up_and_nothing_is_folded_for_free(bot, rivers):
    for seen in rivers:
        policy = dict(bot.policy(seen))
        assert sum(policy.values()) == pytest.approx(1, abs=1e-9)
        assert min(policy.values()) >= 0
        assert seen.to_call or FOLD not in policy


def test_every_hole_has_the_policy_that_it_would_publish(bot, rivers):
    for seen in rivers:
        actions, chances = bot.range_policy(seen)
        for number in range(0, len(chances), 97):
            cards = tuple(holes()[number].tolist())
            if not {*cards} & {*seen.board}:
                policy = bot.policy(msgspec.structs.replace(seen, cards=cards))
                assert [chance for _, chance in policy] == chances[number].tolist()
                assert tuple(action for action, _ in policy) == actions


def test_names_of_suits_do_not_matter(bot, rivers):
    for seen in rivers[:4]:
        here, there = bot.policy(seen), bot.policy(renamed(seen, (2, 0, 3, 1)))
        assert [action for action, _ in here] == [action for action, _ in there]
        assert [chance for _, chance in here] == [chance for _, chance in there]


def test_it_draws_by_its_policy(bot, rivers):
    """Within four standard errors for every action, over 2,000 draws of a decision that it mixes at."""
    seen = max(rivers, key=lambda each: sorted([0.0, *[chance for _, chance in bot.policy(each)]])[-2])
    policy = dict(bot.policy(seen))
    drawn = Counter(bot.act(msgspec.structs.replace(seen, noise=derive("draw", at))) for at in range(2_000))
    assert len(drawn) > 1
    for action, chance in policy.items():
        error = sqrt(max(chance * (1 - chance), 1e-4) / 2_000)
        assert abs(drawn[action] / 2_000 - chance) < 4 * error


def test_the_same_policies_on_every_platform(bot, rivers):
    """Every bit of every probability."""
    lines = [f"{action.kind} {action.amount} {chance.hex()}" for seen in rivers for action, chance in bot.policy(seen)]
    assert sha256("\n".join(lines).encode()).hexdigest()[:16] == GOLDEN


def test_aivat_is_used_against_it():
    players = make_agent("resolver"), make_agent("callstation")
    record = play_game(players, seed="river", hands=2)
    won = game_estimates(record, (players[0].policy, None), averaged=True)
    assert won.refused == ("", "")
    assert won.aivat != won.ranged


@pytest.mark.slow
def test_a_run_with_it_is_the_same_in_workers_and_on_replay(tmp_path):
    flags = (*SMALL, *SEEDED, "--participants", "resolver,callstation", "--set", "game.stacks=carry", "--hands", "4")
    inline = quick_run(tmp_path / "inline", *flags, "--max-matches", "1", "--executor", "inline")
    workers = quick_run(tmp_path / "workers", *flags, "--max-matches", "1", "--executor", "processes", "--workers", "2")
    assert results(workers) == results(inline)
    assert "identical, byte for byte" in quick("replay", inline).stdout
    assert "games are identical" in quick("verify", inline).stdout
