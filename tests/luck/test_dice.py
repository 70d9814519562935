"""The action correction: worked out by hand, fair to what the bots do, and wary of what agents say."""

from collections import Counter

import pytest

from molt_bench.agents.base import Sizes
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.chance import hand_luck
from molt_bench.luck.coefficients import Coefficients
from molt_bench.luck.dice import dice_terms
from molt_bench.luck.estimators import dice_correction, game_estimates
from molt_bench.play.drivers import play_game
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.observation import observe

WEIGHTS = Coefficients(
    version=0, depths=(1.0, 8.0), chance=((1.0,) * 3,) * 4, passive=(0.5, 0.25), raised=(0.75, 0.125)
)
#: Aces against kings: twice their equity, less one. Before the flop, and on 2c3d9h.
EDGE = 2 * (1_388_072 + 6_538 / 2) / 1_712_304 - 1
EDGE_FLOP = 2 * (990 - 83) / 990 - 1

random_policy = BUILTIN_AGENTS["random"]().policy


def corrections(line, policies):
    number, hand, _ = hand_from_text(line)
    terms = dice_terms(hand, number, hand_luck(hand).equities, policies, 200)
    return [dice_correction(term, WEIGHTS) for term in terms]


def test_a_fold_before_the_flop():
    """A third each: the fold costs 50; a call has half of the edge in 100; a raise three quarters of it in 5,100.

    5,100 is the mean of 200 to 10,000. What was drawn is the fold.
    """
    found = corrections("1:50/100/0:10000,10000:b0:AhAd|KsKc|:f:-50", (random_policy, None))
    mean = (-50 + 0.5 * EDGE * 100 + 0.75 * EDGE * 5100) / 3
    assert found == [pytest.approx(mean + 50)]


def test_a_raise_beyond_the_other_stack_is_worth_what_can_be_called():
    """Seat 1 has 1,000: of the sizes 200 to 10,000 the first 800 match 599.5 on average, the other 9,001 all of it."""
    found = corrections("1:50/100/0:10000,1000:b0:AhAd|KsKc|:r5000f:100", (random_policy, None))
    mean_size = (800 * (200 + 999) / 2 + 9001 * 1000) / 9801
    mean = (-50 + 0.5 * EDGE * 100 + 0.75 * EDGE * mean_size) / 3
    assert found == [pytest.approx(mean - 0.75 * EDGE * 1000)]


def test_a_call_that_ends_the_betting_is_worth_its_equity():
    """Seat 1 faces an all-in of 10,000 with kings, no raise is legal: half a fold, 100 chips, half a call."""
    found = corrections("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:r10000c:-10000", (None, random_policy))
    mean = (-100 - EDGE * 10_000) / 2
    assert found == [pytest.approx(mean + EDGE * 10_000)]


def test_after_the_flop_other_coefficients_hold():
    """Seat 1 checks kings on the flop, pot 600: it could have folded 300, or bet 100 to 9,700 more."""
    line = "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h:r300c/kr600f:300"
    flop_check = (-300 - 0.25 * EDGE_FLOP * 300 - 0.125 * EDGE_FLOP * (300 + 4900)) / 3 + 0.25 * EDGE_FLOP * 300
    # Then it folds 300 to a raise to 600: a call would leave the turn to play, a raise is to 1,200 at least.
    flop_fold = (-300 - 0.25 * EDGE_FLOP * 900 - 0.125 * EDGE_FLOP * (300 + 5450)) / 3 + 300
    before = (-100 - 0.5 * EDGE * 300 - 0.75 * EDGE * 5250) / 3 + 0.5 * EDGE * 300
    assert corrections(line, (None, random_policy)) == [
        pytest.approx(before),
        pytest.approx(flop_check),
        pytest.approx(flop_fold),
    ]


def test_the_last_check_of_the_river_is_exact_and_the_first_is_not():
    """Kings got there on the river: the pot of 200 is theirs, for seat 1 checks first and seat 0 last."""
    line = "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:ck/kk/kk/kk:-100"
    sizes = 100 + (100 + 9900) / 2
    first = (-100 + 0.25 * 100 + 0.125 * sizes) / 3 - 0.25 * 100
    last = (-100 - 100 - 0.125 * sizes) / 3 + 100
    assert corrections(line, (None, random_policy))[-1] == pytest.approx(first)
    assert corrections(line, (random_policy, None))[-1] == pytest.approx(last)


def test_one_who_does_not_mix_has_nothing_to_correct():
    def always_calls(seen):
        return ((CALL if seen.to_call else CHECK, 1.0),)

    players = BUILTIN_AGENTS["callstation"](), BUILTIN_AGENTS["random"]()
    record = play_game(players, seed="calls", hands=30)
    won = game_estimates(record, (always_calls, None))
    assert won.corrected == pytest.approx(won.adjusted)
    assert won.refused == ("", "")


@pytest.mark.parametrize("seating", ["AB", "BA"])
def test_player_b_is_corrected_with_its_own_sign_wherever_it_sits(seating):
    players = BUILTIN_AGENTS["random"](seed=1), BUILTIN_AGENTS["maniac"](seed=2)
    record = play_game(players, seed="sides", hands=30, seating=seating)
    policies = players[0].policy, players[1].policy
    alone = [game_estimates(record, (policies[0], None)), game_estimates(record, (None, policies[1]))]
    both = game_estimates(record, policies)
    changes = [won.corrected - won.adjusted for won in alone]
    assert all(changes)
    assert both.corrected - both.adjusted == pytest.approx(sum(changes))
    # The same hands, with the players' names exchanged.
    from msgspec.structs import replace

    swapped = replace(record.spec, seating="BA" if seating == "AB" else "AB")
    nets = tuple(-net for net in record.hand_nets)
    other = replace(record, spec=swapped, net=record.net[::-1], hand_nets=nets)
    assert game_estimates(other, policies[::-1]).corrected == pytest.approx(-both.corrected)


def spots():
    """Yield what a seat sees first to act, facing a raise, facing an all-in, and on the flop."""
    deal = deal_from_text("AhQd 3d4s 2c7d9hJsQc")
    for stacks, actions in [
        ((10_000, 10_000), ()),
        ((900, 10_000), (CALL, Action("raiseTo", 300))),
        ((10_000, 10_000), (CALL, Action("raiseTo", 10_000))),
        ((1_500, 10_000), (CALL, CHECK, CHECK)),
    ]:
        hand = Hand(HandRules(50, 100), deal, stacks, button=0)
        for action in actions:
            hand.apply(action)
        yield hand


@pytest.mark.parametrize("kind", ["random", "maniac"])
def test_a_bot_does_what_its_policy_says(kind):
    """Frequencies over 20,000 throws, each within five standard errors; sizes by tenths of their range."""
    bot = BUILTIN_AGENTS[kind](seed=3)
    for hand in spots():
        done = Counter(bot.act(observe(hand, 1, noise=throw * 2654435761 % 2**32)) for throw in range(20_000))
        policy = bot.policy(observe(hand, 1))
        assert sum(chance for _, chance in policy) == pytest.approx(1, abs=1e-12)
        said = Counter()
        for choice, chance in policy:
            if isinstance(choice, Sizes):
                amounts = range(choice.low, choice.high + 1)
                for amount in amounts:
                    said[f"raise {10 * (amount - choice.low) // len(amounts)}"] += chance / len(amounts)
                low, count = choice.low, len(amounts)
                for action in [action for action in done if action.kind == "raiseTo"]:
                    done[f"raise {10 * (action.amount - low) // count}"] += done.pop(action)
            else:
                said[choice] += chance
        assert done.keys() <= said.keys()
        for choice, chance in said.items():
            assert abs(done[choice] / 20_000 - chance) <= 5 * (chance * (1 - chance) / 20_000) ** 0.5, choice


def wrong_sum(seen):
    return (FOLD, 0.5), (CALL if seen.to_call else CHECK, 0.4)


def never_folds(seen):
    return ((CALL if seen.to_call else CHECK, 1.0),)


def negative(seen):
    return (FOLD, -0.5), (CALL if seen.to_call else CHECK, 1.5)


def nan(seen):
    return (FOLD, float("nan")), (CALL if seen.to_call else CHECK, 1.0)


def illegal(seen):
    return (FOLD, 0.5), (Action("raiseTo", 1), 0.25), (CALL if seen.to_call else CHECK, 0.25)


def illegal_sizes(seen):
    return (FOLD, 0.5), (Sizes(1, 10**9), 0.5)


def raises(seen):
    raise ValueError("no idea")


def nonsense(seen):
    return "fold"


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (wrong_sum, "add up"),
        (never_folds, "no chance"),
        (negative, "-0.5"),
        (nan, "nan"),
        (illegal, "legal is"),
        (illegal_sizes, "legal is"),
        (raises, "no idea"),
        (nonsense, "failed"),
    ],
)
def test_a_policy_that_cannot_be_is_refused_for_the_whole_game(policy, why):
    players = BUILTIN_AGENTS["random"](seed=1), BUILTIN_AGENTS["maniac"](seed=2)
    record = play_game(players, seed="wrong", hands=20)
    won = game_estimates(record, (policy, players[1].policy))
    assert why in won.refused[0]
    assert won.refused[1] == ""
    assert won.corrected == game_estimates(record, (None, players[1].policy)).corrected


class Stumbling:
    """Random, but its answer in hand 3 cannot be read the first time."""

    name = "stumbling"

    def __init__(self):
        self.bot = BUILTIN_AGENTS["random"](seed=1)
        self.policy = self.bot.policy

    def act(self, observation):
        if observation.hand_number == 3 and observation.previous_error is None:
            return None
        return self.bot.act(observation)


def test_one_that_answered_with_faults_is_not_believed():
    player = Stumbling()
    record = play_game((player, BUILTIN_AGENTS["callstation"]()), seed="stumbles", hands=5)
    assert record.faults
    won = game_estimates(record, (player.policy, None))
    assert won.refused == ("it answered with faults", "")
    assert won.corrected == won.adjusted
    warmed_up = play_game((player, BUILTIN_AGENTS["callstation"]()), seed="stumbles", hands=5, warmup_hands=3)
    assert game_estimates(warmed_up, (player.policy, None)).refused == ("", "")


def test_where_raising_is_closed_no_policy_may_raise():
    players = BUILTIN_AGENTS["random"](seed=1), BUILTIN_AGENTS["maniac"](seed=2)
    record = play_game(players, seed="short", hands=40, max_actions=1)
    assert game_estimates(record, (players[0].policy, players[1].policy)).refused == ("", "")
