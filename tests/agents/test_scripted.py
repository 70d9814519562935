"""The built-in bots do what they say."""

from statistics import fmean, stdev

import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS, make_agent
from molt_bench.agents.scripted import TightAgent
from molt_bench.play.match import play_match
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import cards_from_text, deal_from_text
from molt_bench.poker.equity import equity
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.starting_hands import RANKED_HANDS, equity_against_best, starting_hand
from molt_bench.poker.views import observe
from molt_bench.specs import ParticipantSpec
from molt_bench.testing import check_agent


def bot(kind, name=""):
    return make_agent(ParticipantSpec(id=name or kind, type=kind))


def spot(cards, *actions, board="2c7d9hJsQc", stacks=(10_000, 10_000)):
    """Return what seat 0, on the button, sees with these cards after these actions."""
    hand = Hand(HandRules(50, 100), deal_from_text(f"{cards} 3d4s {board}"), stacks, button=0)
    for action in actions:
        hand.apply(action)
    assert hand.actor == 0
    return observe(hand, 1)


def rates(first, second, *, seeds=20, hands=100):
    """Return the big blinds per 100 hands that `first` wins, for each seed pair."""
    match = play_match(
        (lambda: bot(first, "one"), lambda: bot(second, "two")),
        seeds=[f"ladder-{number}" for number in range(seeds)],
        hands=hands,
    )
    assert match.faults == ()
    return [pair.net / pair.hands for pair in match.seed_results]


@pytest.mark.slow
@pytest.mark.parametrize("kind", BUILTIN_AGENTS)
def test_every_bot_is_fit_to_play(kind):
    report = check_agent(bot(kind), hands=40)
    assert report.ok, report
    assert all(not check.problems for check in report.checks), report


@pytest.mark.parametrize("kind", BUILTIN_AGENTS)
def test_a_bot_is_a_function_of_what_it_sees(kind):
    spots = [spot(cards) for cards in ("AhQd", "7h2s", "TsTc")]
    assert [bot(kind, "one").act(seen) for seen in spots] == [bot(kind, "two").act(seen) for seen in reversed(spots)][
        ::-1
    ]


@pytest.mark.slow
@pytest.mark.parametrize("opponent", [kind for kind in BUILTIN_AGENTS if kind not in ("tag", "blueprint", "resolver")])
def test_tag_clearly_beats_every_simpler_bot(opponent):
    """More than three standard errors above zero, over seed pairs."""
    won = rates("tag", opponent)
    assert fmean(won) > 3 * stdev(won) / len(won) ** 0.5


def test_tight_beats_random():
    won = rates("tight", "random", seeds=40)
    assert fmean(won) > 2 * stdev(won) / len(won) ** 0.5


@pytest.mark.parametrize("opponent", ["callstation", "maniac", "shover"])
def test_folder_loses_75_big_blinds_in_100_hands_to_whoever_plays_on(opponent):
    assert {*rates("folder", opponent, seeds=3)} == {-75.0}


def test_random_mixes_all_that_is_legal_alike():
    assert bot("random").act(spot("AhQd")).text == "1f,1c,1r200-10000"
    assert bot("random").act(spot("AhQd", CALL, CHECK, CHECK)).text == "1f,1k,1r100-9900"
    assert bot("random").act(spot("AhQd", CALL, Action("raiseTo", 10_000))).text == "1f,1c"


def test_maniac_raises_seven_times_in_ten_by_half_a_pot_to_one_and_a_half():
    assert bot("maniac").act(spot("AhQd")).text == "3c,7r200-400"
    assert bot("maniac").act(spot("AhQd", CALL, CHECK, CHECK)).text == "3k,7r100-300"
    assert bot("maniac").act(spot("AhQd", Action("raiseTo", 6_000), CALL, CHECK)).text == "3k,7r4000-4000"
    assert bot("maniac").act(spot("AhQd", CALL, Action("raiseTo", 10_000))) == CALL


def test_tag_mixes_its_bluffs():
    assert bot("tag").act(spot("7h2s", CALL, CHECK, CHECK, board="AsKdQcJh9d")).text == "25r150,75k"
    assert bot("tag").act(spot("AhAd")).kind == "raiseTo"


class TestTight:
    @pytest.mark.parametrize(
        ("cards", "action"),
        [
            ("AhAd", Action("raiseTo", 200)),
            ("AhKd", Action("raiseTo", 200)),
            ("8h8d", CALL),
            ("KhQd", CALL),
            ("7h2d", FOLD),
            ("Ah2d", FOLD),
        ],
    )
    def test_before_the_flop_it_plays_by_its_list(self, cards, action):
        assert TightAgent().act(spot(cards)) == action

    def test_a_premium_calls_where_no_raise_is_legal(self):
        assert TightAgent().act(spot("AhAd", CALL, Action("raiseTo", 10_000))) == CALL

    def test_it_checks_when_that_is_free(self):
        assert TightAgent().act(spot("7h2d", CALL, CHECK, CHECK)) == CHECK

    @pytest.mark.parametrize(("bet", "action"), [(100, FOLD), (110, FOLD)])
    def test_after_the_flop_it_folds_to_pot_odds_of_a_fifth_or_more(self, bet, action):
        # A pot of 200: a bet of 100 has pot odds 100 / 400.
        assert TightAgent().act(spot("AhAd", CALL, CHECK, Action("raiseTo", bet))) == action

    def test_after_the_flop_it_calls_at_pot_odds_below_a_fifth(self):
        # A pot of 800: a bet of 100 has pot odds 100 / 1000.
        seen = spot("AhAd", Action("raiseTo", 400), CALL, Action("raiseTo", 100))
        assert seen.pot_odds == 0.1
        assert TightAgent().act(seen) == CALL


class TestRanges:
    def test_every_starting_hand_is_ranked_once(self):
        assert len({*RANKED_HANDS}) == len(RANKED_HANDS) == 169
        assert (RANKED_HANDS[0], RANKED_HANDS[-1]) == ("AA", "32o")

    def test_names_cover_all_hands(self):
        names = [starting_hand((first, second)) for first in range(52) for second in range(52) if first != second]
        assert {*names} == {*RANKED_HANDS}
        assert all(names.count(name) == 12 for name in RANKED_HANDS if len(name) == 2)
        assert all(names.count(name) == {"s": 8, "o": 24}[name[2]] for name in RANKED_HANDS if len(name) == 3)

    def test_equity_on_the_river_is_exact(self):
        hole, board = cards_from_text("AhQd"), cards_from_text("2c7d9hJsQc")
        others = [(a, b) for a in range(52) for b in range(a) if not {a, b} & {*hole, *board}]
        exact = fmean(equity(hole, other, board) for other in others)
        assert equity_against_best(hole, board, 100) == pytest.approx(exact)

    def test_equity_before_the_flop_is_near_the_published_one(self):
        assert equity_against_best(cards_from_text("AhAd"), (), 100) == pytest.approx(0.852, abs=0.03)

    def test_a_stronger_range_leaves_less_equity(self):
        hole = cards_from_text("AhTd")
        assert equity_against_best(hole, (), 15) < equity_against_best(hole, (), 100)
