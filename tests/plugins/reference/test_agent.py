"""The blueprint plays what it publishes: legal, adding up, the same for equal hands, and the same everywhere."""

from hashlib import sha256
from itertools import permutations

import msgspec
import pytest

from molt_bench.agents.kinds import make_agent
from molt_bench.play.play_games import play_game
from molt_bench.plugins.reference.action_translation import depth_table, followed
from molt_bench.plugins.reference.agent import BlueprintAgent
from molt_bench.plugins.reference.buckets import holes
from molt_bench.plugins.reference.off_tree import hand_ranks
from molt_bench.plugins.reference.range_equity import hole_number
from molt_bench.plugins.reference.state import public_state
from molt_bench.plugins.reference.table import SHA256
from molt_bench.poker.actions import CALL, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.mix import Mix
from molt_bench.poker.views import observe
from molt_bench.testing import check_agent
from tests.plugins.reference.odd_hands import decisions, observations, renamed
from tests.plugins.reference.test_action_translation import played, raised

#: By the table's hash: the hash of the policies at 300 decisions. After a new table, put in what the test says.
GOLDEN = {"2601e73033f4101c": "0e57291dc7201995"}


@pytest.fixture(scope="module")
def bot():
    return BlueprintAgent()


@pytest.fixture(scope="module")
def spots(bot):
    return observations(300, bot, start=10_000)


def actions_of(answer):
    return [action for action, _ in answer.entries] if isinstance(answer, Mix) else [answer]


def observed(hand):
    return observe(hand, 1)


def check_legal(bot, numbers):
    """Play odd hands and check every decision; return how many there were."""
    count = 0
    for number in numbers:
        for seen, hand in decisions(number, bot):
            policy = bot.odds(seen)
            legal = hand.legal_actions()
            assert all(legal.allows(action) for action, _ in policy), (number, policy, legal)
            assert len({action for action, _ in policy}) == len(policy)
            assert abs(sum(chance for _, chance in policy) - 1) < 1e-9
            assert {*actions_of(bot.act(seen))} <= {action for action, chance in policy if chance}
            count += 1
    return count


@pytest.mark.parametrize("part", range(4))
def test_every_answer_is_legal_and_probabilities_add_up(bot, part):
    assert check_legal(bot, range(part, 1_000, 4)) > 400


@pytest.mark.slow
@pytest.mark.parametrize("part", range(100))
def test_every_answer_is_legal_over_a_million_decisions(bot, part):
    count = 0
    for number in range(10**6 + part, 10**9, 100):
        count += check_legal(bot, [number])
        if count >= 10_000:
            break


def test_other_holes_have_their_rows_too(bot, spots):
    for seen in spots[::10]:
        found = bot.range_policy(seen)
        for hole in ((51, 50), (0, 17), (33, 2)):
            if not {*hole} & {*seen.board}:
                policy = bot.odds(msgspec.structs.replace(seen, cards=hole))
                assert [chance for _, chance in policy] == found.chances[hole_number(hole)].tolist()


def test_suits_do_not_matter(bot, spots):
    namings = list(permutations(range(4)))
    for number, seen in enumerate(spots):
        other = renamed(seen, namings[number % 24])
        assert bot.odds(other) == bot.odds(seen)
        assert bot.act(other) == bot.act(seen)


def test_its_mix_has_the_odds_in_ten_thousandths(bot, spots):
    for seen in spots:
        odds, answer = dict(bot.odds(seen)), bot.act(seen)
        entries = dict(answer.entries) if isinstance(answer, Mix) else {answer: 10_000}
        assert all(abs(entries.get(action, 0) - chance * 10_000) <= 0.5 for action, chance in odds.items())


def test_a_raise_that_is_not_legal_becomes_a_call(bot):
    hand = played(raised(300), rules=HandRules(50, 100, raise_cap=1))
    seen = observed(hand)
    assert {action.kind for action, _ in bot.odds(seen)} == {"fold", "call"}


def test_it_never_folds_where_checking_is_free(bot):
    seen = observed(played(rules=HandRules(100, 100)))
    assert {action.kind for action, _ in bot.odds(seen)} == {"check", "raiseTo"}


def test_where_the_tree_has_ended_a_good_hand_raises_and_a_bad_one_folds(bot, monkeypatch):
    monkeypatch.setattr("molt_bench.plugins.reference.agent.followed", lambda state, **_: ({}, followed(state)[1]))
    seen = observed(played(raised(300)))
    ranks = hand_ranks(depth_table(public_state(seen)), ())
    best, worst = (msgspec.structs.replace(seen, cards=tuple(holes()[at].tolist())) for at in by_rank(ranks))
    assert bot.odds(best) == [(FOLD, 0.0), (CALL, 0.0), (Action("raiseTo", 900), 1.0)]
    assert bot.odds(worst) == [(FOLD, 1.0), (CALL, 0.0), (Action("raiseTo", 900), 0.0)]
    assert bot.act(worst) == FOLD


def by_rank(ranks):
    """Return the numbers of the best and the worst hole."""
    return int(ranks.argmax()), int(ranks.argmin())


@pytest.mark.parametrize("stacks", ["reset", "carry"])
@pytest.mark.parametrize("opponent", ["random", "maniac", "tag"])
def test_it_plays_whole_games_without_faults(opponent, stacks):
    players = make_agent("blueprint"), make_agent(opponent)
    record = play_game(players, seed="game", hands=25, stack=3_000, stacks=stacks, ante=10)
    assert record.faults == ()


@pytest.mark.slow
def test_it_passes_the_check_of_agents():
    report = check_agent(make_agent("blueprint"), hands=40)
    assert report.ok, report


def test_the_same_policies_on_every_platform(bot, spots):
    """Every bit of every probability: they come from whole numbers by exact operations."""
    lines = [f"{action.kind} {action.amount} {chance.hex()}" for seen in spots for action, chance in bot.odds(seen)]
    found = sha256("\n".join(lines).encode()).hexdigest()[:16]
    assert {SHA256[:16]: found} == GOLDEN, "if the table is a new one, put the new hashes into GOLDEN"


def test_the_table_is_not_loaded_before_it_is_needed(fresh_python):
    code = (
        "from molt_bench.agents.kinds import make_agent; make_agent('blueprint');"
        "from molt_bench.plugins.reference.table import load; print(load.cache_info().misses)"
    )
    assert fresh_python(code) == "0"


@pytest.mark.parametrize(
    ("stacks", "actions", "covered"),
    [
        ((10_000, 10_000), (), True),
        ((10_000, 4_000), (Action("raiseTo", 300), CALL), True),
        ((100_000, 100_000), (), False),
        ((200, 200), (), False),
        # A raise to 89 big blinds is called, and 11 are left for a pot of 178; in the table that raise is all-in.
        ((10_000, 10_000), (Action("raiseTo", 8_900), CALL), False),
    ],
)
def test_values_are_for_pots_and_stacks_like_those_of_the_table(bot, stacks, actions, covered):
    deal = deal_from_text("AhAd KsKc 2c7d9hJsQc")
    hand = Hand(HandRules(50, 100), deal, stacks, button=0)
    for action in actions:
        hand.apply(action)
    assert bot.covers(observe(hand, 1)) == covered


@pytest.mark.parametrize(("faced", "known"), [(300, True), (9_400, False), (10_000, False)])
def test_a_bet_that_is_taken_for_an_all_in_leaves_no_raise(bot, faced, known):
    hand = Hand(HandRules(50, 100), deal_from_text("AhAd KsKc 2c7d9hJsQc"), (10_000, 10_000), button=0)
    hand.apply(Action("raiseTo", faced))
    assert bot.raises(observe(hand, 1)) == known
