"""The action correction: worked out by hand, fair to what the bots do, and wary of what agents say."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.agents.base import Sizes
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.cards.card_luck import hand_luck, street_equities
from molt_bench.luck.coefficients import FROZEN
from molt_bench.luck.dice.draws import Folds, action_features, action_value, dice_terms
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.luck.estimate_variants import all_estimates
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.observation import observe

#: Aces against kings: twice their equity, less one. Before the flop, and on 2c3d9h.
EDGE = 2 * (1_388_072 + 6_538 / 2) / 1_712_304 - 1
EDGE_FLOP = 2 * (990 - 83) / 990 - 1

random_policy = BUILTIN_AGENTS["random"]().policy


def terms_of(line, policies):
    number, hand, _ = hand_from_text(line)
    return list(dice_terms(hand, number, hand_luck(hand).equities, policies, 200))


def test_a_fold_before_the_flop():
    """A third each: fold 50, call 100, or raise to 200 to 10,000. A pot and a half is a raise to 400. It folds."""
    (term,) = terms_of("1:50/100/0:10000,10000:b0:AhAd|KsKc|:f:-50", (random_policy, None))
    assert (term.seat, term.street, term.opened, term.won) == (0, 0, False, 100)
    assert term.exact == pytest.approx(-50 / 3 + 50)
    assert term.passive == pytest.approx(100 / 3)
    assert term.raised == pytest.approx([200 / 9801 / 3, 9600 / 9801 / 3, 1 / 9801 / 3])
    assert term.matched == pytest.approx([chance * mean for chance, mean in zip(term.raised, SIZES, strict=True)])
    assert term.edge == pytest.approx(EDGE)
    assert term.equities_vs_random[0] > term.equities_vs_random[1] > 0.98
    assert term.depth == 9900 / 200


#: The mean raise to 200 to 399, to 400 to 9,999, and all-in.
SIZES = (299.5, 5199.5, 10_000)


def test_a_raise_beyond_the_other_stack_is_worth_what_can_be_called():
    """Seat 1 has 1,000: to raise to that or more is all-in. It was raised to 5,000."""
    (term,) = terms_of("1:50/100/0:10000,1000:b0:AhAd|KsKc|:r5000f:100", (random_policy, None))
    chances = [200 / 9801 / 3, 600 / 9801 / 3, 9001 / 9801 / 3]
    assert term.raised == pytest.approx([*chances[:2], chances[2] - 1])
    assert term.matched == pytest.approx([chances[0] * 299.5, chances[1] * 699.5, (chances[2] - 1) * 1000])


def test_a_call_that_ends_the_betting_is_worth_its_equity():
    """Seat 1 faces an all-in of 10,000 with kings, no raise is legal: half a fold, 100 chips, half a call."""
    (term,) = terms_of("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:r10000c:-10000", (None, random_policy))
    mean = (-100 - EDGE * 10_000) / 2
    assert term.exact == pytest.approx(mean + EDGE * 10_000)
    assert term.passive == 0
    assert not any(term.raised)


def test_after_the_flop_checks_and_calls_may_open_a_card():
    """Seat 1 checks kings on the flop, pot 600, and folds 300 to a raise to 600: a call would match 900."""
    _, check, fold = terms_of("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h:r300c/kr600f:300", (None, random_policy))
    assert (check.street, check.opened, fold.opened) == (1, False, True)
    assert check.edge == pytest.approx(-EDGE_FLOP)
    assert check.passive == pytest.approx(300 * (1 / 3 - 1))
    assert fold.passive == pytest.approx(900 / 3)
    assert fold.exact == pytest.approx(300 * (1 - 1 / 3))


def test_the_last_check_of_the_river_is_exact_and_the_first_is_not():
    """Kings got there on the river: the pot of 200 is theirs, for seat 1 checks first and seat 0 last."""
    line = "1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h8sKh:ck/kk/kk/kk:-100"
    first = terms_of(line, (None, random_policy))[-1]
    last = terms_of(line, (random_policy, None))[-1]
    assert (first.exact, first.passive) == (pytest.approx(-100 / 3), pytest.approx(100 * (1 / 3 - 1)))
    assert (last.exact, last.passive) == (pytest.approx(-(100 + 100) / 3 + 100), 0)


@given(st.integers(200, 10_000), st.integers(200, 10_000), st.sampled_from([10_000, 2_345, 300]))
def test_a_range_is_worth_what_its_sizes_are_worth_one_by_one(one, two, other_stack):
    """Whatever the bins of prices: the mean over a range is exact."""
    low, high = min(one, two), max(one, two)
    line = f"1:50/100/0:10000,{other_stack}:b0:AhAd|KsKc|:r{low}f:100"
    count = high - low + 1

    def together(seen):
        return ((Sizes(low, high), 1.0),)

    def apart(seen):
        return tuple((Action("raiseTo", size), 1 / count) for size in range(low, high + 1))

    ((whole,), (parts,)) = (terms_of(line, (policy, None)) for policy in (together, apart))
    assert whole.raised == pytest.approx(parts.raised, abs=1e-9)
    assert whole.matched == pytest.approx(parts.matched, abs=1e-6)


def test_a_seat_is_known_by_how_often_it_folded_to_raises_before():
    folds = Folds()
    assert folds.share(0) == folds.share(1) == 1 / 3
    folds.add(hand_from_text("1:50/100/0:10000,10000:b0:AhAd|KsKc|2c3d9h:r300c/kr600f:300").hand)
    assert (folds.share(0), folds.share(1)) == (1 / 3, 2 / 5)


def test_the_value_of_a_raise_depends_on_how_often_the_other_folds():
    (term,) = terms_of("1:50/100/0:10000,10000:b0:AhAd|KsKc|:f:-50", (random_policy, None))
    for weights in FROZEN:
        rarely, often = (action_value(action_features(term, share), weights.actions) for share in (0.1, 0.9))
        assert rarely != often


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
        (negative, "-0.5"),
        (nan, "nan"),
        (illegal, "legal is"),
        (illegal_sizes, "legal is"),
        (raises, "no idea"),
        (nonsense, "failed"),
    ],
)
def test_a_policy_that_cannot_be_corrects_nothing(policy, why):
    players = BUILTIN_AGENTS["random"](seed=1), BUILTIN_AGENTS["maniac"](seed=2)
    record = play_game(players, seed="wrong", hands=20)
    won = all_estimates(record, (StatedPolicy(policy), players[1].policy))
    found = won.evidence[0]
    assert why in found.why
    assert (found.decisions, found.refuted) == (0, "")
    assert found.left_out > 20
    assert won.corrected == game_estimates(record, (None, players[1].policy)).corrected


def test_what_has_no_chance_refutes_a_policy():
    players = BUILTIN_AGENTS["random"](seed=1), BUILTIN_AGENTS["maniac"](seed=2)
    record = play_game(players, seed="wrong", hands=20)
    found = all_estimates(record, (StatedPolicy(never_folds), players[1].policy)).evidence[0]
    assert "fold, no chance" in found.refuted
    assert found.fails


def test_a_policy_that_fails_at_one_decision_corrects_all_others():
    """By what is known before the draw: neither what was drawn nor what came of it decides what is corrected."""
    bot, other = BUILTIN_AGENTS["random"](seed=1), BUILTIN_AGENTS["callstation"]()
    record = play_game((bot, other), seed="once", hands=20)

    def fails(which):
        return lambda seen: raises(seen) if which(seen) else bot.policy(seen)

    def correction(which):
        won = game_estimates(record, (fails(which), None))
        return won.corrected - won.adjusted

    first, second, neither = (
        correction(which)
        for which in (lambda seen: seen.hand_number >= 11, lambda seen: seen.hand_number < 11, lambda seen: False)
    )
    assert first != 0
    assert first + second == pytest.approx(neither)


def test_a_probability_that_rounding_made_negative_is_accepted():
    players = BUILTIN_AGENTS["callstation"](), BUILTIN_AGENTS["random"](seed=2)
    record = play_game(players, seed="rounded", hands=5)

    def rounded(seen):
        return (FOLD, -2e-17), (CALL if seen.to_call else CHECK, 1.0)

    assert game_estimates(record, (rounded, None)).refused == ("", "")


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


def test_what_is_done_after_a_fault_counts_as_drawn():
    player = Stumbling()
    record = play_game((player, BUILTIN_AGENTS["callstation"]()), seed="stumbles", hands=5)
    assert record.faults
    policy = StatedPolicy(player.policy)
    won = all_estimates(record, (policy, None))
    assert (won.evidence[0].left_out, won.evidence[0].refuted) == (0, "")
    assert won.corrected != won.adjusted
    assert won.corrected == game_estimates(msgspec.structs.replace(record, faults=()), (policy, None)).corrected


def test_where_raising_is_closed_no_policy_may_raise():
    players = BUILTIN_AGENTS["random"](seed=1), BUILTIN_AGENTS["maniac"](seed=2)
    record = play_game(players, seed="short", hands=40, max_actions=1)
    assert game_estimates(record, (players[0].policy, players[1].policy)).refused == ("", "")


@given(
    st.sampled_from([2, 10, 100, 1000]),
    st.tuples(st.integers(1, 300), st.integers(1, 300)),
    st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=12),
)
def test_all_shares_of_the_pot_at_once_are_the_sum_over_each_of_them(big_blind, stacks, throws):
    """To the last bit: what the maniac could have done is listed as a hundred actions, and computed without that."""
    bot = BUILTIN_AGENTS["maniac"]()
    deal = deal_from_text("AhAd KsKc 2c3d9h8sKh")
    hand = Hand(HandRules(big_blind // 2, big_blind), deal, (stacks[0] * big_blind, stacks[1] * big_blind), button=0)
    numbers = iter(throws)
    while hand.actor >= 0 and (noise := next(numbers, None)) is not None:
        hand.apply(bot.act(observe(hand, 1, noise)))
    while hand.actor >= 0:
        hand.apply(CALL if hand.to_call else CHECK)
    equities = street_equities(hand.holes, hand.runout)
    both = [
        list(dice_terms(hand, 1, equities, (policy, policy), 200))
        for policy in (bot.policy, lambda seen: list(bot.policy(seen)))
    ]
    assert both[0] == both[1]
