"""`resolver` solves every street, and plays what it publishes, everywhere alike."""

from hashlib import sha256

import msgspec
import pytest

from molt_bench.agents.kinds import make_agent
from molt_bench.errors import ConfigError
from molt_bench.plugins.reference.buckets import collides, holes
from molt_bench.plugins.reference.resolver import ResolverAgent
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.views import observe
from molt_bench.specs import ParticipantSpec
from tests.e2e.shell import SEEDED, SMALL, quick, quick_run, results
from tests.plugins.reference.odd_hands import decisions, renamed

#: Of the probabilities below; they change with the sizes, the classes of hands or the number of rounds.
GOLDEN = "29a95aec4ea4b837"
#: Enough to show that it is legal, the same everywhere and as published; what it is worth takes more.
FEW_ROUNDS = 3


@pytest.fixture(scope="module")
def bot():
    return ResolverAgent(rounds=FEW_ROUNDS)


@pytest.fixture(scope="module")
def spots(bot):
    """Decisions of odd hands, on every street."""
    found, number = [], 0
    while not any(seen.street == "river" for seen in found):
        found += [seen for seen, _ in decisions(number, bot)]
        number += 1
    return found


def test_probabilities_add_up_and_nothing_is_folded_for_free(bot, spots):
    for seen in spots:
        policy = dict(bot.odds(seen))
        assert sum(policy.values()) == pytest.approx(1, abs=1e-9)
        assert min(policy.values()) >= 0
        assert seen.to_call or FOLD not in policy


def test_every_hole_has_the_odds_that_it_would_play_with(bot, spots):
    for seen in spots:
        actions, chances = bot.range_policy(seen)
        for number in range(0, len(chances), 97):
            cards = tuple(holes()[number].tolist())
            if not {*cards} & {*seen.board}:
                policy = bot.odds(msgspec.structs.replace(seen, cards=cards))
                assert [chance for _, chance in policy] == chances[number].tolist()
                assert tuple(action for action, _ in policy) == actions


@pytest.mark.parametrize("street", ["flop", "turn", "river"])
def test_names_of_suits_do_not_matter(bot, spots, street):
    seen = next(each for each in spots if each.street == street)
    assert bot.odds(seen) == bot.odds(renamed(seen, (2, 0, 3, 1)))


def test_it_mixes_by_its_odds(bot, spots):
    seen = max(spots, key=lambda each: sorted([0.0, *[chance for _, chance in bot.odds(each)]])[-2])
    odds, entries = dict(bot.odds(seen)), bot.act(seen).entries
    assert len(entries) > 1
    assert all(abs(weight / 10_000 - odds[action]) < 1e-4 for action, weight in entries)


def test_the_same_policies_on_every_platform(bot, spots):
    """Every bit of every probability."""
    lines = [f"{action.kind} {action.amount} {chance.hex()}" for seen in spots for action, chance in bot.odds(seen)]
    assert sha256("\n".join(lines).encode()).hexdigest()[:16] == GOLDEN


def facing(*actions, stack=10_000, ante=0):
    """Return a hand after some actions; seat 0 has the button."""
    hand = Hand(HandRules(50, 100, ante=ante), deal_from_text("AhAd KsKc 2c7d9hJsQc"), (stack, stack), button=0)
    for action in actions:
        hand.apply(action)
    return hand


def folded(hand, rounds=8):
    """Return how much of its hands the bot folds, all hands being equally likely, and what it raises to."""
    found = ResolverAgent(rounds=rounds).range_policy(observe(hand, 1))
    return float(found.chances[~collides(hand.board), found.actions.index(FOLD)].mean())


@pytest.mark.slow
@pytest.mark.parametrize("before", [(), (CHECK,)], ids=["out of position", "in position"])
def test_it_hardly_folds_to_a_tiny_bet_and_more_the_larger_a_bet_is(before):
    start = Action("raiseTo", 250), CALL, CHECK, CHECK, CHECK, CHECK, *before
    tiny, half, three = (folded(facing(*start, Action("raiseTo", amount))) for amount in (100, 250, 1_500))
    assert tiny < half < three
    assert tiny < 0.25
    assert three > 0.5


@pytest.mark.slow
def test_the_number_of_rounds_is_a_param():
    spec = ParticipantSpec(id="slow", type="resolver", params={"rounds": 7})
    seen = observe(facing(), 1)
    assert make_agent(spec).odds(seen) == ResolverAgent(rounds=7).odds(seen) != ResolverAgent(rounds=8).odds(seen)
    for wrong in (0, 2.5, "many"):
        with pytest.raises(ConfigError, match="rounds"):
            ResolverAgent(rounds=wrong)
    with pytest.raises(ConfigError, match="name or rounds"):
        make_agent(ParticipantSpec(id="a", type="resolver", params={"round": 7}))
    with pytest.raises(ConfigError, match="what 'blueprint' takes: seed or name"):
        make_agent(ParticipantSpec(id="a", type="blueprint", params={"rounds": 7}))


@pytest.mark.slow
def test_a_run_with_it_is_the_same_in_workers_and_when_verified(tmp_path):
    flags = (*SMALL, *SEEDED, "--participants", "resolver,callstation", "--set", "game.stacks=carry", "--hands", "4")
    inline = quick_run(tmp_path / "inline", *flags, "--max-matches", "1", "--executor", "inline")
    workers = quick_run(tmp_path / "workers", *flags, "--max-matches", "1", "--executor", "processes", "--workers", "2")
    assert results(workers) == results(inline)
    assert "games are identical" in quick("verify", inline).stdout
