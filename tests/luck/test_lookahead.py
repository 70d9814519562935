"""Looking ahead with both policies: no mean changes, whatever a policy says about what never happened."""

import os
import subprocess
import sys
from collections import Counter
from copy import copy
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from itertools import product
from math import fsum, sqrt
from pathlib import Path
from statistics import fmean, stdev, variance

import msgspec
import numpy as np
import pytest

from molt_bench.agents.base import Sizes
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.bench.model_draws import Draws
from molt_bench.kernels import PURE_VARIABLE, compiled
from molt_bench.luck.coefficients import SOLID
from molt_bench.luck.dice import lookahead
from molt_bench.luck.dice.raise_sizes import CUTS, MOST_ALONE
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.luck.estimate_variants import all_estimates
from molt_bench.luck.estimators import game_estimates, hand_estimates
from molt_bench.play.match import play_match
from molt_bench.play.play_games import drive, play_game
from molt_bench.poker.actions import OPEN_CARDS, Action, LoggedAction
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import observe
from molt_bench.specs import GameSpec
from tests.cases import one_in

MODES = {
    "reset": {"stack": 3000},
    "carry": {"stack": 1200, "stacks": "carry", "ante": 10},
    "warm-up and caps": {"stack": 1500, "warmup_hands": 1, "raise_cap": 2, "max_actions": 7},
    "short": {"stack": 130, "stacks": "carry"},
}


class Mixer:
    """Bets by its first card, in steps or in a range of sizes; `ahead` is called whenever it is asked."""

    def __init__(self, name, *, bold=0.4, wide=False, ahead=None):
        self.name, self.bold, self.wide, self.ahead = name, bold, wide, ahead

    def policy(self, seen):
        if self.ahead:
            self.ahead(seen)
        good = (seen.cards[0] >> 2) / 12
        passive = Action("call") if seen.to_call else Action("check")
        folds = (1 - good) / 2 if seen.to_call else 0.0
        raises = self.bold * (0.5 + good / 2) if seen.max_raise_to else 0.0
        found = [(passive, (1 - folds) * (1 - raises))]
        if folds:
            found.append((Action("fold"), folds * (1 - raises)))
        if raises:
            low, high = seen.min_raise_to, seen.max_raise_to
            middle = (low + high) // 2
            choices = [Action("raiseTo", size) for size in (low, middle, high)]
            if self.wide:  # one of them within a range
                choices = [Sizes(low, high), Action("raiseTo", middle)]
            found += [(choice, raises / len(choices)) for choice in choices]
        return found

    def act(self, seen):
        share = (seen.noise + 0.5) / 2**32
        choices = self.policy(seen)
        choice = choices[-1][0]
        for each, chance in choices:
            if share < chance:
                choice = each
                break
            share -= chance
        if isinstance(choice, Sizes):
            return Action("raiseTo", choice.low + seen.dice % (choice.high - choice.low + 1))
        return choice


PLAYERS = {
    "mixer": partial(Mixer, "mixer"),
    "bold": partial(Mixer, "bold", bold=0.7),
    "wide": partial(Mixer, "wide", wide=True),
    **{kind: partial(BUILTIN_AGENTS[kind], seed=1) for kind in ("random", "tag", "maniac", "callstation")},
}
PAIRS = [
    ("mixer", "bold"),
    ("mixer", "wide"),
    ("wide", "wide"),
    ("mixer", "random"),
    ("tag", "wide"),
    ("bold", "maniac"),
]


def policies_of(pair):
    return tuple(PLAYERS[name]().policy for name in pair)


@cache
def game_of(pair, mode="reset", *, seed="ahead", seating="AB", hands=12):
    return play_game([PLAYERS[name]() for name in pair], seed=seed, hands=hands, seating=seating, **MODES[mode])


def moments(record, by_seat):
    """Yield every decision of a game: (its hand, looked ahead in; the moment before; the action)."""
    shoe, max_actions = Shoe(record.spec.decks), record.spec.max_actions
    for number, hand, _ in record.replay():
        ahead = lookahead._Ahead(number, shoe.deal(number), by_seat, SOLID, max_actions)
        for moment, done in ahead.moments(hand):
            ahead.ask_on(moment)
            yield ahead, moment, done


def drawn(moment, size, kind="raiseTo"):
    return LoggedAction(moment.betting.street, moment.betting.actor, kind, size)


def size_in(choice, moment):
    """Return a size that is this choice, and not one of those before."""
    at = moment.choices.index(choice)
    before = [each for each in moment.choices[:at] if each.kind == choice.kind]
    sizes = range(choice.low, choice.high + 1)
    return next(size for size in sizes if not any(each.low <= size <= each.high for each in before))


@pytest.mark.parametrize(("pair", "mode"), one_in(3, product(PAIRS, MODES)))
def test_the_mean_over_all_draws_is_zero(pair, mode):
    """By enumeration: what a decision would be corrected by for each draw that was possible, times its probability."""
    asked = 0
    for ahead, moment, _ in moments(game_of(pair, mode), policies_of(pair)):
        found = [ahead.surplus(moment, drawn(moment, size_in(each, moment), each.kind)) for each in moment.choices]
        asked += any(found)
        total = fsum([each.chance * surplus for each, surplus in zip(moment.choices, found, strict=True)])
        assert abs(total) < 1e-9 * max(1.0, *map(abs, found))
    assert asked


@pytest.mark.parametrize("pair", [("wide", "wide"), ("bold", "maniac")], ids="-".join)
def test_any_size_of_a_range_counts_as_the_same_draw(pair):
    ranges = [
        (ahead, moment, each)
        for ahead, moment, _ in moments(game_of(pair), policies_of(pair))
        for each in moment.choices
        if each.low < each.high
    ]
    assert ranges
    for ahead, moment, each in ranges:
        first, last = (ahead.surplus(moment, drawn(moment, size)) for size in (size_in(each, moment), each.high))
        assert first == last


def test_choices_have_the_probabilities_of_the_policy():
    """However many sizes there are: together they are as likely, and as large on average."""
    raised = 0
    for pair in [("wide", "random"), ("maniac", "mixer")]:
        policies = policies_of(pair)
        for ahead, moment, done in moments(game_of(pair, "reset"), policies):
            betting = moment.betting
            raises, size = 0.0, 0.0
            for choice, chance in policies[betting.actor](ahead.observed(betting)):
                if isinstance(choice, Sizes) or choice.kind == "raiseTo":
                    raises += chance
                    both = (choice.low, choice.high) if isinstance(choice, Sizes) else (choice.amount,) * 2
                    size += chance * sum(both) / 2
            choices = [each for each in moment.choices if each.kind == "raiseTo"]
            assert len(choices) <= MOST_ALONE + len(CUTS) + 2
            assert fsum([each.chance for each in choices]) == pytest.approx(raises)
            middle = fsum([each.chance * each.leads_to.betting.log[-1].amount for each in choices])
            assert middle == pytest.approx(size, abs=raises)  # whole chips
            if done.kind == "raiseTo":
                assert any(each.low <= done.amount <= each.high for each in choices)
                raised += 1
    assert raised


def mean_over_all_dice(hand, number, policies):
    """Return what seat 0 wins on average from here on, luck of the cards removed: every way to go on is played."""
    if hand.actor < 0:
        return hand_estimates(hand).adjusted_solid
    found = []
    for choice, chance in policies[hand.actor](observe(hand, number)):
        after = copy(hand)
        after.apply(choice)
        found.append(chance * mean_over_all_dice(after, number, policies))
    return fsum(found)


@pytest.mark.parametrize("stack", [150, 350])
def test_with_nothing_left_out_a_hand_is_worth_its_mean_over_all_dice(stack):
    pair = ("mixer", "bold")
    record = play_game([PLAYERS[name]() for name in pair], seed="dice", hands=4, stack=stack)
    policies, shoe = policies_of(pair), Shoe(record.spec.decks)
    hands = list(record.replay())
    found = lookahead.without_dice(
        hands,
        policies,
        record.spec.decks,
        SOLID,
        max_actions=record.spec.max_actions,
        reach=lookahead.Reach(0.0, 10**9),
    )
    for (number, hand, _), value in zip(hands, found, strict=True):
        begun = Hand(hand.rules, shoe.deal(number), hand.starting_stacks, button=hand.button)
        assert value == pytest.approx(mean_over_all_dice(begun, number, policies))


@pytest.mark.slow
def test_how_a_hand_was_played_hardly_matters():
    """On the same decks with other dice, results differ widely; without the luck of dice, hardly."""

    class Other(Mixer):
        def act(self, seen):
            return super().act(msgspec.structs.replace(seen, noise=(seen.noise + 2**31) % 2**32))

    pair = ("mixer", "bold")
    games = [
        play_game(players, seed="same", hands=60, stack=3000)
        for players in ([Mixer("mixer"), Mixer("bold", bold=0.7)], [Other("mixer"), Other("bold", bold=0.7)])
    ]
    found = [game_estimates(game, policies_of(pair)).hands.won for game in games]
    plain = [[hand_estimates(hand).adjusted_solid for _, hand, _ in game.replay()] for game in games]
    apart, before = (variance([one - two for one, two in zip(*each, strict=True)]) for each in (found, plain))
    assert apart < 0.05 * before


def test_policies_see_their_own_cards_and_the_open_board_alone():
    record = game_of(("mixer", "bold"))
    shoe, asked = Shoe(record.spec.decks), []

    def policy_of(seat, name):
        policy = PLAYERS[name]().policy

        def spied(seen):
            holes, board = shoe.deal(seen.hand_number)
            assert seen.seat == seat
            assert (seen.cards, seen.board) == (holes[seat], board[: OPEN_CARDS[seen.street]])
            asked.append(seen)
            return policy(seen)

        return spied

    found = game_estimates(record, (policy_of(0, "mixer"), policy_of(1, "bold")))
    assert found.refused == ("", "")
    assert {seen.seat for seen in asked} == {0, 1}
    dealt = {number: hand.board for number, hand, _ in record.replay()}
    assert any(len(seen.board) > len(dealt[seen.hand_number]) for seen in asked)  # cards that were to come


def test_the_value_knows_that_the_other_seat_folds():
    """Whoever is certain to win by a raise is lucky to draw it by what the other actions would have won less."""

    class Folds(Mixer):
        def policy(self, seen):
            return [(Action("fold"), 1.0)] if seen.to_call else [(Action("check"), 1.0)]

    pair = (Mixer("mixer").policy, Folds("folds").policy)
    record = play_game([Mixer("mixer"), Folds("folds")], seed="folds", hands=12, stack=3000)
    raised = 0
    for ahead, moment, done in moments(record, pair):
        if done.seat == 0 and done.kind == "raiseTo":
            betting, choices = moment.betting, moment.choices
            surplus = ahead.surplus(moment, done)
            values = [ahead.value(moment, each) for each in choices]
            won = [value for each, value in zip(choices, values, strict=True) if each.kind == "raiseTo"]
            assert won == [betting.chips_in(1)] * len(won)
            mean = fsum([each.chance * value for each, value in zip(choices, values, strict=True)])
            assert surplus == pytest.approx(mean - betting.chips_in(1))
            raised += 1
    assert raised


def looked_ahead(pair, record, policies=None, hands=()):
    """Return what hands are worth, or None if nobody was asked ahead."""
    found = game_estimates(record, policies or policies_of(pair), hands=hands)
    if found.fitted == found.aivat:
        return None
    assert not found.hands.terms
    assert found.fitted == pytest.approx(fsum(found.hands.won))
    return found.hands.won


def test_hands_just_played_and_hands_from_their_texts_are_worth_the_same():
    pair = ("mixer", "wide")
    spec, hands = GameSpec(seed="texts", hands=12, players=pair, **MODES["warm-up and caps"]), []
    record = drive(spec, tuple(PLAYERS[name]() for name in pair), hands=hands)
    played = looked_ahead(pair, record, hands=hands)
    assert played is not None
    assert looked_ahead(pair, record) == played


def test_between_built_in_bots_nobody_is_asked_ahead():
    pair = ("random", "maniac")
    assert looked_ahead(pair, game_of(pair)) is None
    assert looked_ahead(("mixer", "random"), game_of(("mixer", "random"))) is not None


@pytest.mark.parametrize("other", [None, StatedDraws({})], ids=["unpublished", "stated"])
def test_where_only_one_can_be_asked_nobody_is(other):
    pair = ("mixer", "bold")
    first, _ = policies_of(pair)
    assert looked_ahead(pair, game_of(pair), (first, other)) is None


def test_with_other_decks_than_those_of_the_seed_nobody_is_asked_ahead():
    pair = ("mixer", "bold")
    record = game_of(pair)
    other = msgspec.structs.replace(record, spec=msgspec.structs.replace(record.spec, seed="another"))
    assert looked_ahead(pair, other) is None


@pytest.mark.slow
def test_a_raising_war_ends_and_few_questions_are_asked():
    """Both raise by the least, always, with stacks for hundreds of raises."""
    asked = []

    class Least(Mixer):
        def policy(self, seen):
            asked.append(seen.hand_number)
            passive = Action("call") if seen.to_call else Action("check")
            if not seen.max_raise_to:
                return [(passive, 1.0)]
            return [(Action("raiseTo", seen.min_raise_to), 0.999), (passive, 0.001)]

    policies = Least("one").policy, Least("two").policy
    record = play_game([Least("one"), Least("two")], seed="war", hands=2, stack=100_000, max_actions=500)
    longest = max(len(hand.log) for _, hand, _ in record.replay())
    assert longest > 100
    asked.clear()
    assert looked_ahead(None, record, policies) is not None
    assert max(Counter(asked).values()) < 5 * longest


@pytest.mark.parametrize("odd", ["raises", "not 1", "illegal", "too much", "below 0", "nonsense"])
def test_a_policy_that_is_wrong_about_what_never_happened_is_used_all_the_same(odd):
    pair = ("mixer", "bold")
    record = game_of(pair)
    logs = {before.log for _, hand, _ in record.replay() for before, _ in hand.steps()}
    answers = {
        "not 1": [(Action("fold"), 0.7)],
        "illegal": [(Action("raiseTo", 1), 1.0)],
        "too much": [(Sizes(200, 10**9), 1.0)],
        "below 0": [(Action("fold"), 1.5), (Action("call"), -0.5)],
        "nonsense": 7,
    }

    def bold(seen):
        if seen.log in logs:
            return PLAYERS["bold"]().policy(seen)
        if odd == "raises":
            raise RuntimeError("never asked that")
        return answers[odd]

    first, second = policies_of(pair)
    found = game_estimates(record, (first, bold))
    assert found.refused == ("", "")
    assert found.corrected == game_estimates(record, (first, second)).corrected
    assert found.fitted != found.aivat


def test_an_interruption_ends_the_analysis():
    def interrupted(seen):
        raise KeyboardInterrupt

    pair = ("mixer", "bold")
    with pytest.raises(KeyboardInterrupt):
        game_estimates(game_of(pair), (interrupted, policies_of(pair)[1]))


def margins_of_run(mode):
    """Return the margins of a run of matches."""
    pair = ("mixer", "bold")
    book = MatchMargins(dict(zip(pair, policies_of(pair), strict=True)), Draws({}), big_blind=100)
    found = []
    for number in range(1, 26):
        seeds = [f"{mode} {number} {each}" for each in range(5)]
        result = play_match([PLAYERS[name] for name in pair], seeds=seeds, hands=6, **MODES[mode])
        found.append(book.of(number, pair, result, {}))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["reset", "carry"])
def test_fitted_margins_keep_their_mean_and_vary_less(mode, monkeypatch):
    ahead = margins_of_run(mode)
    monkeypatch.setattr("molt_bench.luck.dice.known_dice.KnownDice.asked_ahead", lambda dice: None)
    before = margins_of_run(mode)
    raw = [value for each in ahead for value in each["raw"]]
    assert raw == [value for each in before for value in each["raw"]]
    fitted = [value for each in ahead for value in each["fitted"]]
    off = [one - two for one, two in zip(fitted, raw, strict=True)]
    assert abs(fmean(off)) < 4 * stdev(off) / sqrt(len(off))
    later = [[value for each in found[8:] for value in each["fitted"]] for found in (ahead, before)]
    assert variance(later[0]) < 0.5 * variance(later[1])
    assert [each["correctedSolid"] for each in ahead] == [each["correctedSolid"] for each in before]


def printed():
    """Return a hash of the hands of games of all kinds."""
    found = sha256()
    for pair in PAIRS:
        for mode in MODES:
            parts = game_estimates(game_of(pair, mode, hands=4), policies_of(pair)).hands
            found.update(repr(parts.won).encode())
    return found.hexdigest()


@pytest.mark.slow
@pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")
def test_hands_are_worth_the_same_without_the_kernels():
    code = "from tests.luck.test_lookahead import printed; print(printed())"
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, PURE_VARIABLE: "1", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == printed()


@pytest.mark.parametrize("size", [float, np.int64], ids=["float", "numpy"])
def test_sizes_of_another_type_do_not_reach_hands_that_are_played(size):
    """What is tried out is not kept for them, and a policy that names such sizes is not followed."""

    class Odd(Mixer):
        def policy(self, seen):
            passive = Action("call") if seen.to_call else Action("check")
            if not seen.log:
                return [(passive, 0.9), (Action("raiseTo", 300), 0.1)]
            if len(seen.log) == 1 and seen.log[0].kind == "raiseTo":
                return [(passive, 0.5), (Action("raiseTo", size(900)), 0.5)]
            return [(passive, 1.0)]

        def act(self, seen):
            action = super().act(seen)
            return Action(action.kind, int(action.amount))

    raised = 0
    for number in range(60):
        record = play_game([Odd("one"), Odd("two")], seed=f"odd {number}", hands=1, stack=3000)
        game_estimates(record, (Odd("one").policy, Odd("two").policy))
        for _, hand, _ in record.replay():
            raised += "r900" in record.hand_texts[0]
            assert all(type(done.amount) is int for done in hand.log)
        assert all(type(chips) is int for chips in record.net)
    assert raised


@pytest.mark.parametrize("number", [Decimal, Fraction, np.float16, np.float32, np.array, lambda one: np.array([one])])
def test_probabilities_may_be_numbers_of_any_type(number):
    """Those that are none refuse the policy, and nothing else happens."""
    record = game_of(("mixer", "bold"))

    def policy_of(name):
        policy = PLAYERS[name]().policy
        return lambda seen: [(choice, number(chance)) for choice, chance in policy(seen)]

    found = game_estimates(record, (policy_of("mixer"), policy_of("bold")))
    assert type(found.fitted) is float
    assert type(found.corrected) is float


def test_more_entries_than_anybody_needs_are_not_read():
    read = []

    def endless(seen):
        if seen.log in logs:
            yield from PLAYERS["bold"]().policy(seen)
            return
        while True:
            read.append(1)
            yield Action("check"), 0.0

    record = game_of(("mixer", "bold"))
    logs = {before.log for _, hand, _ in record.replay() for before, _ in hand.steps()}
    found = game_estimates(record, (policies_of(("mixer", "bold"))[0], endless))
    assert found.refused == ("", "")
    assert read


def test_a_policy_is_told_of_a_draw_only_after_what_would_have_followed():
    """Looking ahead comes before the rest, and goes through hands in the order in which they were played."""
    record = game_of(("mixer", "bold"))
    asked = []

    def policy_of(name):
        policy = PLAYERS[name]().policy
        return lambda seen: asked.append((seen.hand_number, seen.log)) or policy(seen)

    game_estimates(record, (policy_of("mixer"), policy_of("bold")))
    played = [(number, before.log) for number, hand, _ in record.replay() for before, _ in hand.steps()]
    firsts = [asked.index(each) for each in played]
    tried = next(at for at, each in enumerate(asked) if each not in played)
    assert tried < max(firsts)
    numbers = [asked[at][0] for at in sorted(firsts)]
    assert numbers == sorted(numbers)


def test_moments_without_an_answer_are_counted_and_the_report_names_them():
    """It is asked about flops that never came, and raises there."""
    pair = ("mixer", "bold")
    result = play_match([PLAYERS[name] for name in pair], seeds=["silent"], hands=4, stack=2000)
    first, second = policies_of(pair)

    def silent_later(seen):
        if seen.board:
            raise LookupError("no idea")
        return first(seen)

    policies = dict(zip(pair, (StatedPolicy(silent_later), StatedPolicy(second)), strict=True))
    game = result.seed_results[0].games[0]
    found = all_estimates(game, tuple(policies.values()))
    assert found.unanswered[0] > 0
    assert found.unanswered[1] == 0
    book = MatchMargins(policies, Draws({}), big_blind=100)
    book.of(1, pair, result, {})
    (said,) = [line for line in book.warnings() if "no answer that can be right" in line]
    assert said.startswith("mixer: ")
