"""Looking ahead with both policies: every term has mean 0, whatever a policy says about what never happened."""

import os
import subprocess
import sys
from functools import cache, partial
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev, variance

import pytest

from molt_bench.agents.base import Sizes
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.odds import RecordedDraws
from molt_bench.bench.draws import Draws
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.kernels import PURE_VARIABLE, compiled
from molt_bench.luck import lookahead
from molt_bench.luck.estimators import game_estimates
from molt_bench.luck.fitting import AHEAD, SIZE
from molt_bench.play.drivers import play_game
from molt_bench.play.match import play_match
from molt_bench.poker.actions import OPEN_CARDS, STREETS, Action, LoggedAction
from molt_bench.poker.played import forget_played

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
    """Yield every decision of a game with its street: (street ahead, the moment before, the action)."""
    for number, hand, _ in record.replay():
        longest = record.spec.max_actions
        equities = lookahead.street_equities(hand.holes, hand.board[: OPEN_CARDS[hand.street]])
        for before, _ in hand.steps(max_actions=longest):
            done = hand.log[len(before.log)]
            share = equities[STREETS.index(done.street)]
            yield lookahead._Street(number, hand, done.street, share, by_seat, longest), before.betting, done


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_the_mean_over_all_draws_is_zero(pair, mode):
    """By enumeration: what a term would be for each draw that was possible, times its probability."""
    asked = 0
    for street, betting, _ in moments(game_of(pair, mode), policies_of(pair)):
        choices = street._choices(betting)
        if choices is None:
            continue
        total, most = [0.0] * lookahead.PARTS, 1.0
        for each in choices:
            drawn = LoggedAction(betting.street, betting.actor, each.kind, each.low)
            parts = street.surplus(betting, drawn)
            total = [one + each.chance * two for one, two in zip(total, parts, strict=True)]
            most = max(most, *map(abs, parts))
            asked += any(parts)
        assert max(map(abs, total)) < 1e-9 * most
    assert asked


def test_any_size_of_a_range_counts_as_the_same_draw():
    pair = ("wide", "wide")
    ranges = [
        (street, betting, each)
        for street, betting, _ in moments(game_of(pair), policies_of(pair))
        for each in street._choices(betting)
        if each.low < each.high
    ]
    assert ranges
    for street, betting, each in ranges:
        drawn = [LoggedAction(betting.street, betting.actor, "raiseTo", size) for size in (each.low, each.high)]
        assert street.surplus(betting, drawn[0]) == street.surplus(betting, drawn[1])


@pytest.mark.parametrize("mode", MODES)
def test_terms_have_mean_zero_over_many_hands(mode):
    pair, rows = ("mixer", "bold"), []
    for number in range(40):
        for seating in ("AB", "BA"):
            record = game_of(pair, mode, seed=f"many {number}", seating=seating, hands=6)
            rows.append(game_estimates(record, policies_of(pair)).hands.table()[:, AHEAD:].sum(axis=0).tolist())
    used = [column for column in zip(*rows, strict=True) if any(column)]
    assert len(used) >= lookahead.PARTS
    for column in used:
        assert abs(fmean(column)) < 4.5 * stdev(column) / sqrt(len(column))


def test_the_value_knows_that_the_other_seat_folds():
    """Somebody who is certain to win by a raise is lucky to draw it by exactly the pot that the check would not win."""

    class Folds(Mixer):
        def policy(self, seen):
            return [(Action("fold"), 1.0)] if seen.to_call else [(Action("check"), 1.0)]

    pair = (Mixer("mixer").policy, Folds("folds").policy)
    record = play_game([Mixer("mixer"), Folds("folds")], seed="folds", hands=12, stack=3000)
    raised = 0
    for street, betting, done in moments(record, pair):
        if done.seat == 0 and done.kind == "raiseTo" and done.street == STREETS[0]:
            chances = {each.kind: 0.0 for each in street._choices(betting)}
            for each in street._choices(betting):
                chances[each.kind] += each.chance
            exact = street.surplus(betting, done)[0]
            own = -chances.get("fold", 0.0) * betting.chips_in(0)
            won = betting.chips_in(1)
            raised += 1
            assert exact == pytest.approx(own + chances["raiseTo"] * won - won)
    assert raised


def terms_of(pair, record, policies=None):
    return game_estimates(record, policies or policies_of(pair)).hands.table()[:, AHEAD:]


def test_hands_just_played_and_hands_from_their_texts_have_the_same_terms():
    pair = ("mixer", "wide")
    record = play_game([PLAYERS[name]() for name in pair], seed="texts", hands=12, **MODES["warm-up and caps"])
    played = terms_of(pair, record).tobytes()
    forget_played()
    assert terms_of(pair, record).tobytes() == played


def test_between_built_in_bots_nobody_is_asked_ahead():
    pair = ("random", "maniac")
    assert not terms_of(pair, game_of(pair)).any()
    assert terms_of(("mixer", "random"), game_of(("mixer", "random"))).any()


@pytest.mark.parametrize("other", [None, RecordedDraws({})], ids=["unpublished", "recorded"])
def test_where_only_one_can_be_asked_nobody_is(other):
    pair = ("mixer", "bold")
    first, _ = policies_of(pair)
    assert not terms_of(pair, game_of(pair), (first, other)).any()


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
    assert found.hands.table()[:, AHEAD:].any()


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


@pytest.mark.parametrize("mode", ["reset", "carry"])
def test_fitted_margins_keep_their_mean_and_vary_less(mode, monkeypatch):
    ahead = margins_of_run(mode)
    monkeypatch.setattr("molt_bench.luck.known_dice.KnownDice.asked_ahead", lambda dice: None)
    before = margins_of_run(mode)
    raw = [value for each in ahead for value in each["raw"]]
    assert raw == [value for each in before for value in each["raw"]]
    fitted = [value for each in ahead for value in each["fitted"]]
    off = [one - two for one, two in zip(fitted, raw, strict=True)]
    assert abs(fmean(off)) < 4 * stdev(off) / sqrt(len(off))
    later = [[value for each in found[8:] for value in each["fitted"]] for found in (ahead, before)]
    assert variance(later[0]) < 0.97 * variance(later[1])
    assert [each["correctedSolid"] for each in ahead] == [each["correctedSolid"] for each in before]


def printed():
    """Return a hash of the terms of games of all kinds."""
    found = sha256()
    for pair in PAIRS:
        for mode in MODES:
            parts = game_estimates(game_of(pair, mode, hands=4), policies_of(pair)).hands
            found.update(parts.terms + repr(parts.won).encode())
    return found.hexdigest()


@pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")
def test_terms_are_the_same_without_the_kernels():
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


def test_the_places_of_the_terms_are_behind_all_others():
    assert SIZE - AHEAD == lookahead.LOOKED == 2 * lookahead.PARTS
