"""No estimator favours anyone in any kind of game: its margins have the mean of the raw ones, whatever the mode.

Cards may decide how many hands a game has, who is all-in by a blind alone, and when raising is closed. None of it may
find its way into the mean. The difference to the raw margin is taken seed pair by seed pair.
"""

from math import sqrt
from statistics import fmean, stdev

import numpy as np
import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.luck.estimators import margins_of
from molt_bench.luck.stand_ins import learned
from molt_bench.luck.stand_ins.match_luck import RunStandIns
from molt_bench.play.match import play_match
from molt_bench.play.play_games import drive
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.records import ESTIMATORS
from molt_bench.specs import GameSpec
from tests.luck.stand_ins.players import Stater

#: So many standard errors from 0 no mean of a few hundred is by chance.
MOST = 4.5
BOTS = ("shover", "tight", "random", "maniac", "callstation")
PAIRINGS = [(one, two) for at, one in enumerate(BOTS) for two in BOTS[at:]]


def a_mode(dice):
    """Draw a kind of game: blinds, antes, stacks and limits, each of which may be none or extreme."""

    def one_of(*values):
        return values[dice.randint(len(values))]

    big_blind = one_of(2, 100)
    ante = one_of(0, 0, 1, big_blind // 2, 2 * big_blind)
    return {
        "small_blind": one_of(0, big_blind // 2, big_blind),
        "big_blind": big_blind,
        "ante": ante,
        "stack": max(one_of(2, 3, 8, 30, 100, 300) * big_blind, big_blind + ante),
        "stacks": one_of("reset", "carry"),
        "raise_cap": one_of(None, None, 1, 2),
        "warmup_hands": one_of(0, 0, 2),
        "max_actions": one_of(200, 200, 1, 3),
    }


def played(pairing, mode, *, seeds, hands, name):
    """Play seed pairs; return the match and the margins of it."""
    makers = [lambda kind=kind, at=at: BUILTIN_AGENTS[kind](seed=at) for at, kind in enumerate(pairing)]
    result = play_match(tuple(makers), seeds=[f"{name} {number}" for number in range(seeds)], hands=hands, **mode)
    policies = tuple(getattr(make(), "policy", None) for make in makers)
    return result, margins_of(result, big_blind=mode["big_blind"], policies=policies)


def standard_errors(values):
    """Return how many standard errors the mean is from 0; rounding alone is none."""
    spread = stdev(values)
    return fmean(values) / (spread / sqrt(len(values))) if spread > 1e-9 else 0.0


def beyond_raw(margins):
    """Return for every estimator how many standard errors its mean is from that of the raw margins."""
    return {
        name: standard_errors([mine - raw for mine, raw in zip(margins[name], margins["raw"], strict=True)])
        for name in ESTIMATORS
    }


def cases(count, seed):
    """Draw kinds of games, and who plays them."""
    dice = np.random.RandomState(seed)
    for _ in range(count):
        mode = a_mode(dice)
        yield PAIRINGS[dice.randint(len(PAIRINGS))], mode


@pytest.mark.slow
def test_in_every_kind_of_game_each_estimator_has_the_mean_of_the_raw_margins():
    for number, (pairing, mode) in enumerate(cases(30, 11)):
        _, margins = played(pairing, mode, seeds=30, hands=4, name=f"mode {number}")
        assert all(abs(away) < MOST for away in beyond_raw(margins).values()), (pairing, mode, beyond_raw(margins))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_in_every_kind_of_game_each_estimator_has_the_mean_of_the_raw_margins_over_many_hands(seed):
    for number, (pairing, mode) in enumerate(cases(25, 100 + seed)):
        _, margins = played(pairing, mode, seeds=300, hands=8, name=f"long {seed} {number}")
        assert all(abs(away) < MOST for away in beyond_raw(margins).values()), (pairing, mode, beyond_raw(margins))


def test_stacks_that_are_carried_favour_nobody():
    """The shover goes broke, or breaks the other, whenever it is called: the cards decide how long a game is."""
    mode = {"stacks": "carry", "stack": 2000, "big_blind": 100}
    _, margins = played(("shover", "tight"), mode, seeds=150, hands=20, name="carried")
    assert all(abs(away) < 4 for away in beyond_raw(margins).values()), beyond_raw(margins)


class CallsOnce:
    """Calls once, in the second hand: if it loses there it is broke, and if it wins the game goes on.

    In one of its seats only, since in both the same cards would cancel out.
    """

    name = "once"

    def act(self, observation):
        if not observation.to_call:
            return CHECK
        return CALL if (observation.hand_number, observation.seat) == (2, 0) else FOLD


def test_a_margin_a_hand_that_was_played_would_be_biased():
    """With stacks that are carried cards decide how many those are: whoever wins the short games would be favoured."""
    players = (BUILTIN_AGENTS["shover"], CallsOnce)
    result = play_match(
        players, seeds=[f"once {number}" for number in range(250)], hands=20, stacks="carry", stack=1000
    )
    margins = margins_of(result, big_blind=100)
    assert all(abs(away) < 4 for away in beyond_raw(margins).values())
    by_played = [
        (even - raw) * pair.nominal_hands / pair.hands
        for even, raw, pair in zip(margins["allIn"], margins["raw"], result.seed_results, strict=True)
    ]
    assert abs(standard_errors(by_played)) > 5


def test_a_margin_is_chips_by_the_hands_that_the_config_asks_for():
    players = (BUILTIN_AGENTS["shover"], CallsOnce)
    result = play_match(players, seeds=range(12), hands=20, stacks="carry", stack=1000)
    short = [at for at, pair in enumerate(result.seed_results) if pair.net and pair.hands < 40]
    assert short
    margins = margins_of(result, big_blind=100)
    for at in short:
        assert margins["raw"][at] == pytest.approx(1000 * result.seed_results[at].net / 100 / 40)


#: Kinds of games in which the odds of models are known, so that stand-ins look ahead.
STATED_MODES = {
    "as usual": {"stack": 5000},
    "antes": {"stack": 4000, "ante": 50},
    "raise caps": {"stack": 4000, "raise_cap": 1},
    "carried stacks": {"stack": 1500, "stacks": "carry", "ante": 10},
    "hands that do not count": {"stack": 3000, "warmup_hands": 2, "max_actions": 5},
}


def stated(run, name, boldness, spec):
    """Return one that states what it does, and its draws."""
    player = Stater(name, boldness)
    return player, StatedDraws(player.strategies)


def mute(run, name, boldness, spec):
    """Return one that does the same, and says nothing."""
    return Stater(name, boldness), None


#: What is known of the two.
KNOWN = {
    "both state": (stated, stated),
    "one states": (stated, mute),
}


def stated_match(pair, seeds, mode, *, own_decks=False, hands=8, known=(stated, stated), run=None):
    """Play seed pairs of two whose odds are known; return the games with their draws, as a run looks at them."""
    found = []
    for seed in seeds:
        for seating in ("AB", "BA"):
            decks = {"deck_seed": f"{seed} {seating}"} if own_decks else {}
            spec = GameSpec(seed=seed, hands=hands, seating=seating, players=tuple(pair), **decks, **mode)
            sides = [make(run, *each, spec) for make, each in zip(known, pair.items(), strict=True)]
            players, draws = zip(*sides, strict=True)
            found.append((drive(spec, players), draws))
    return found


def looked_at(run, pair, games):
    """Return what seed pairs were worth to the first: by stand-ins, and without; nothing where they were not used."""
    luck = run.look_at(tuple(pair), games)
    if luck is None:
        return []
    won = [[sum(luck.won(record.spec, used)) for record, _ in games] for used in ((0, 1), ())]
    return [tuple(each[at] + each[at + 1] for each in won) for at in range(0, len(games), 2)]


@pytest.fixture
def early(monkeypatch):
    """Have stand-ins after a few hands: what they know makes no difference to any mean."""
    monkeypatch.setattr(learned, "FIRST_HANDS", 16)


def check_mean(mode, known, *, matches, own_decks=False):
    """Check that a run of such matches leaves the mean as it is, and changes something."""
    run, pair = RunStandIns(), {"bold": 1.4, "meek": 0.6}
    found = []
    for number in range(matches):
        seeds = [f"{mode} {number} {at}" for at in range(3)]
        games = stated_match(pair, seeds, STATED_MODES[mode], own_decks=own_decks, known=KNOWN[known], run=run)
        found += looked_at(run, pair, games)
    assert len(found) > 2 * matches
    off = [ours - usual for ours, usual in found]
    assert stdev(off) > 0
    assert abs(standard_errors(off)) < MOST


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize(
    ("mode", "known"),
    [
        ("as usual", "both state"),
        pytest.param("antes", "one states", marks=pytest.mark.slow),
        pytest.param("raise caps", "both state", marks=pytest.mark.slow),
        pytest.param("carried stacks", "one states", marks=pytest.mark.slow),
        pytest.param("hands that do not count", "both state", marks=pytest.mark.slow),
    ],
)
def test_in_every_kind_of_game_stand_ins_leave_the_mean(mode, known):
    check_mean(mode, known, matches=9)


@pytest.mark.slow
@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("mode", STATED_MODES)
def test_where_both_games_have_decks_of_their_own_they_leave_it_too(mode, known):
    check_mean(mode, known, matches=12, own_decks=True)


@pytest.mark.usefixtures("early")
def test_a_run_that_is_cut_and_goes_on_learns_the_same():
    """Whoever steps through the same matches again, as a resumed or an extended run does, finds the same numbers."""
    pair, mode = {"bold": 1.4, "meek": 0.6}, STATED_MODES["antes"]
    matches = [stated_match(pair, [f"cut {number}"], mode) for number in range(5)]
    whole, again = RunStandIns(), RunStandIns()
    found = [looked_at(whole, pair, games) for games in matches]
    assert [looked_at(again, pair, games) for games in matches[:3]] == found[:3]
    assert [looked_at(again, pair, games) for games in matches[3:]] == found[3:]
    assert found[-1]


@pytest.mark.slow
@pytest.mark.usefixtures("early")
@pytest.mark.parametrize(
    ("mode", "known"),
    [("as usual", "both state"), ("carried stacks", "both state")],
)
def test_intervals_of_copies_hold_0_as_often_as_without_stand_ins(mode, known):
    """Two copies of one player are ordered no more often than before: 95% intervals of 60 runs of ten seed pairs."""
    pair = {"one": 1.0, "two": 1.0}
    held = np.zeros(2)
    for number in range(60):
        run = RunStandIns()
        taught = [f"taught {mode} {number} {at}" for at in range(3)]
        looked_at(run, pair, stated_match(pair, taught, STATED_MODES[mode], known=KNOWN[known], run=run))
        seeds = [f"copies {mode} {number} {at}" for at in range(10)]
        found = looked_at(run, pair, stated_match(pair, seeds, STATED_MODES[mode], known=KNOWN[known], run=run))
        held += [abs(standard_errors(each)) < 2.262 for each in zip(*found, strict=True)]
    assert held[0] >= 60 * 0.95 - 3 * sqrt(60 * 0.95 * 0.05)
    assert held[0] >= held[1] - 4
