"""A known opponent: the holes drawn for a bot are as likely as what it did, and averaging over them favours nobody."""

from collections import Counter
from itertools import cycle, permutations
from math import sqrt
from statistics import fmean, stdev, variance

import msgspec
import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.scripted import FixedAgent, raise_by_pot
from molt_bench.agents.starting_hands import equity_against_best
from molt_bench.luck.coefficients import AGAINST, SOLID
from molt_bench.luck.estimators import game_estimates, hand_estimates, margins_of
from molt_bench.luck.reference.ranges import chance_of, mean_over, possible_holes, weights_against, with_hole
from molt_bench.play.match import play_match
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.poker.cards import rank_of
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.observation import observe
from molt_bench.specs import GameSpec

#: Those whose cards are averaged over; games against the blueprint have `aivat` instead.
BOTS = [kind for kind in BUILTIN_AGENTS if kind not in ("blueprint", "resolver")]
SPEC = GameSpec(seed="ranges", hands=1)
MODES = {
    "deep": {"stack": 10_000},
    "short": {"stack": 1_000, "ante": 10},
    "carried": {"stack": 2_000, "stacks": "carry", "warmup_hands": 1, "raise_cap": 2},
    "closed": {"stack": 3_000, "max_actions": 3},
}


class Bettor:
    """Bets what is strong against any hand, bluffs now and then, calls at a price; it publishes nothing."""

    name = "bettor"

    def act(self, observation):
        first, second = max(observation.cards), min(observation.cards)
        if not observation.board:
            first, second = first & ~3, (second & ~3) + (first & 3 != second & 3)
        strength = equity_against_best((first, second), observation.board, 100)
        if observation.max_raise_to and (strength > 0.6 or observation.dice < 10):
            return raise_by_pot(observation, 75)
        if not observation.to_call:
            return CHECK
        return CALL if strength > observation.pot_odds else FOLD


class Caller(Bettor):
    """Calls and checks."""

    def act(self, observation):
        return CALL if observation.to_call else CHECK


def bot_of(kind):
    few = {"rounds": 3} if kind == "resolver" else {}  # it is as legal, and takes a tenth of the time
    return BUILTIN_AGENTS[kind](seed="bot", **few)


def margins_against(kind, *, seeds, hands, mode, player=Bettor):
    result = play_match(
        (player, lambda: bot_of(kind)), seeds=[f"{kind} {at}" for at in range(seeds)], hands=hands, **mode
    )
    return margins_of(result, big_blind=100, policies=(None, bot_of(kind).policy), averaged=True)


def standard_errors(values):
    spread = stdev(values)
    return fmean(values) / (spread / sqrt(len(values))) if spread > 1e-9 else 0.0


def drawn_for(line, seat, policy, times):
    """Draw holes for one hand again and again: the number of a hand names its draws."""
    parsed = hand_from_text(line)
    return [
        hole for number in range(times) for hole in possible_holes(parsed._replace(number=number), seat, policy, SPEC)
    ]


def exact_posterior(line, seat, policy):
    """Return the probability of every hole of `seat`, given what it did."""
    parsed = hand_from_text(line)
    known = {*parsed.hand.holes[1 - seat], *parsed.hand.board}
    found = {}
    for hole in permutations([card for card in range(52) if card not in known], 2):
        again = with_hole(parsed.hand, seat, hole)
        found[hole] = 1.0
        for before, action in again.steps():
            if before.actor == seat:
                found[hole] *= chance_of(policy(observe(before, parsed.number)), action)
    whole = sum(found.values())
    return {hole: chance / whole for hole, chance in found.items() if chance}


@pytest.mark.parametrize("kind", BUILTIN_AGENTS)
def test_a_bot_that_is_said_not_to_look_at_its_cards_does_not(kind):
    bot = bot_of(kind)
    hands = 2 if bot.sees_cards else 15
    assert any(with_other_cards_it_differs(bot, hands)) == bot.sees_cards


def with_other_cards_it_differs(bot, hands):
    """Yield for the decisions of a bot whether it would have played other cards in another way."""
    record = play_game((Bettor(), bot), seed="looks", hands=hands, stack=3_000)
    for parsed in record.replay():
        for before, _ in parsed.hand.steps():
            if before.actor == 1:
                seen = observe(before, parsed.number)
                dead = {*seen.board, *seen.cards}
                for high in range(51, 20, -7):
                    if not dead & {high, high - 1}:
                        other = msgspec.structs.replace(seen, cards=(high, high - 1))
                        yield tuple(bot.policy(other)) != tuple(bot.policy(seen))


@pytest.mark.parametrize("kind", [kind for kind, bot in BUILTIN_AGENTS.items() if issubclass(bot, FixedAgent)])
def test_a_bot_without_dice_says_what_it_does(kind):
    bot = bot_of(kind)
    for parsed in play_game((Bettor(), bot), seed="fixed", hands=15, stack=3_000).replay():
        for before, action in parsed.hand.steps():
            if before.actor == 1:
                assert chance_of(bot.policy(observe(before, parsed.number)), action) == 1


#: `tag` opens for three quarters of the pot, with a good hand or one time in four with a bad one, and meets a fold.
OPENED = "1:50/100/0:10000,10000:b0:AhKd|7c2d|:r250f:100"


def test_accepted_holes_are_as_likely_as_what_the_bot_did():
    policy = bot_of("tag").policy
    exact = exact_posterior(OPENED, 0, policy)
    drawn = drawn_for(OPENED, 0, policy, 150)
    assert len(set(exact.values())) > 1, "some of it is a bluff"

    def kind(hole):
        return max(map(rank_of, hole)), rank_of(hole[0]) == rank_of(hole[1])

    expected = Counter()
    for hole, chance in exact.items():
        expected[kind(hole)] += chance * len(drawn)
    seen = Counter(map(kind, drawn))
    assert set(seen) <= set(expected)
    square = sum((seen[name] - many) ** 2 / many for name, many in expected.items())
    free = len(expected) - 1
    assert square < free + 4 * sqrt(2 * free)


def test_the_mean_over_drawn_holes_is_the_exact_one():
    """`tight` raises before the flop and is called, and its exact range on the river is what a premium hand is."""
    line = "1:50/100/0:10000,10000:b1:QhJd|AcAd|Qc7s2h3d9c:r200c/kk/kk/kk:-200"
    policy = bot_of("tight").policy
    hand = hand_from_text(line).hand

    def value_of(hole):
        return hand_estimates(with_hole(hand, 1, hole)).adjusted

    exact = exact_posterior(line, 1, policy)
    mean = sum(chance * value_of(hole) for hole, chance in exact.items())
    values = [value_of(hole) for hole in drawn_for(line, 1, policy, 60)]
    assert set(exact) < set(permutations(range(52), 2))
    assert abs(standard_errors([value - mean for value in values])) < 4


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mode"), [*zip(BOTS, cycle(MODES), strict=False)])
def test_it_has_the_mean_of_the_raw_result_against_every_bot(kind, mode):
    margins = margins_against(kind, seeds=20, hands=3, mode=MODES[mode])
    assert (margins["ranged"] != margins["correctedSolid"]) == (kind != "folder"), "against that one, no card matters"
    for name in ("raw", "adjusted"):
        differences = [one - two for one, two in zip(margins["ranged"], margins[name], strict=True)]
        assert abs(standard_errors(differences)) < 4.5, name


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", BOTS)
def test_it_has_the_mean_of_the_raw_result_over_many_hands(kind, mode):
    margins = margins_against(kind, seeds=300, hands=10, mode=MODES[mode])
    for name in ("raw", "adjusted"):
        differences = [one - two for one, two in zip(margins["ranged"], margins[name], strict=True)]
        assert abs(standard_errors(differences)) < 4, name


def test_without_the_bots_actions_the_mean_would_be_another(monkeypatch):
    """A test of means that never fails shows nothing: had the bot any cards, whatever it did, a caller would gain."""
    monkeypatch.setattr(BUILTIN_AGENTS["tag"], "sees_cards", False)
    margins = margins_against("tag", seeds=10, hands=8, mode=MODES["deep"], player=Caller)
    assert standard_errors([one - two for one, two in zip(margins["ranged"], margins["adjusted"], strict=True)]) > 5


@pytest.mark.slow
def test_it_varies_less_than_the_adjusted_result():
    shares = []
    for kind in ("random", "callstation", "shover"):
        margins = margins_against(kind, seeds=30, hands=4, mode=MODES["deep"])
        shares.append(variance(margins["ranged"]) / variance(margins["adjusted"]))
    assert fmean(shares) < 0.85, shares


def test_cards_after_the_last_decision_do_not_matter():
    """A bot may have held one of them: nobody acted on them, and only their mean counts."""
    lines = [
        "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9hKh8s:r10000c:-10000",
        "1:50/100/0:10000,10000:b0:AhAd|KsKc|QcJd5h9c4s:r10000c:10000",
    ]
    policy = bot_of("shover").policy
    found = []
    for line in lines:
        parsed = hand_from_text(line)
        holes = possible_holes(parsed, 0, policy, SPEC)
        found.append(mean_over(parsed.hand, 0, holes, lambda hand: hand_estimates(hand).adjusted))
    assert found[0] == found[1]


@pytest.mark.parametrize("pairing", [("tag", "callstation"), ("random", "tight")])
def test_between_two_built_in_bots_nothing_is_averaged(pairing):
    players = tuple(map(bot_of, pairing))
    record = play_game(players, seed="both", hands=10)
    won = game_estimates(record, tuple(player.policy for player in players), averaged=True)
    assert won.ranged == won.corrected_solid


def test_without_a_built_in_bot_nothing_is_averaged():
    class Own(BUILTIN_AGENTS["tag"]):
        """A bot derived from one of ours may do something else."""

    record = play_game((Bettor(), Own()), seed="none", hands=10)
    won = game_estimates(record, (None, Own().policy), averaged=True)
    assert won.ranged == won.corrected_solid


class Stumbling:
    """A built-in bot that gives no usable answer in hand 3."""

    name = "stumbling"

    def __init__(self):
        self.bot = bot_of("tag")

    def act(self, observation):
        return None if observation.hand_number == 3 else self.bot.act(observation)


def test_a_bot_with_faults_is_not_averaged_over():
    player = Stumbling()
    record = play_game((Bettor(), player), seed="stumbles", hands=6)
    assert record.faults
    won = game_estimates(record, (None, player.bot.policy), averaged=True)
    assert (won.ranged, won.refused[1]) == (won.corrected_solid, "it answered with faults")


def test_faults_of_the_other_player_do_not_matter():
    class Silent(Bettor):
        def act(self, observation):
            return None if observation.hand_number == 3 else super().act(observation)

    record = play_game((Silent(), bot_of("tag")), seed="stumbles", hands=6)
    assert any(fault.forced_fold for fault in record.faults)
    won = game_estimates(record, (None, bot_of("tag").policy), averaged=True)
    assert won.ranged != won.corrected_solid


def test_a_bot_that_did_what_it_never_does_is_not_averaged_over():
    record = play_game((Bettor(), bot_of("shover")), seed="wrong", hands=4)
    won = game_estimates(record, (None, bot_of("callstation").policy), averaged=True)
    assert won.ranged == won.corrected_solid
    assert "no chance" in won.refused[1]


def test_ones_own_policy_is_asked_once_a_decision_for_all_holes():
    """It may be slow, and what it says cannot depend on the other's cards."""
    asked = Counter()

    def policy(seen):
        asked[seen.hand_number, len(seen.log)] += 1
        passive = CALL if seen.to_call else CHECK
        return ((passive, 1.0),)

    record = play_game((Caller(), bot_of("maniac")), seed="asked", hands=6)
    won = game_estimates(record, (policy, bot_of("maniac").policy), averaged=True)
    assert won.ranged != won.corrected_solid
    assert set(asked.values()) == {2}, "once for the dice, once for all holes"


@pytest.mark.parametrize("kind", AGAINST)
def test_bots_have_weights_of_their_own(kind):
    assert weights_against(bot_of(kind).policy) is AGAINST[kind]


def test_a_bot_that_no_weights_were_fitted_for_counts_as_one_that_bets_by_strength():
    assert "blueprint" not in AGAINST
    assert weights_against(bot_of("blueprint").policy) is SOLID


def test_against_a_bot_that_always_folds_no_card_matters():
    record = play_game((Bettor(), bot_of("folder")), seed="folds", hands=20)
    won = game_estimates(record, (None, bot_of("folder").policy), averaged=True)
    assert won.ranged == won.raw
