"""How many answers a decision is worth: more where more depends on it, and by what may be known alone."""

import msgspec
import pytest

from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.luck.stand_ins import reasking
from molt_bench.luck.stand_ins.match_luck import MatchLuck, RunStandIns
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import CALL, Action
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe
from molt_bench.specs import GameSpec
from tests.luck.stand_ins.players import Asked

PAIR = ("one", "two")
SPEC = GameSpec(seed="worth", hands=40, players=PAIR)


def game(seed, seating="AB", worth=lambda player: lambda seen: 5, **mode):
    """Play a game of two that are asked again; return it, and their draws."""
    players = [Asked(name, bold, worth(name)) for name, bold in zip(PAIR, (1.4, 0.6), strict=True)]
    record = play_game(tuple(players), seed=seed, hands=40, seating=seating, **mode)
    return record, tuple(StatedDraws(player.answers) for player in players)


@pytest.fixture(scope="module")
def taught():
    """Return what a run of some hundred hands has learned."""
    run = RunStandIns()
    for number in range(3):
        run.look_at(PAIR, [game(f"taught {number}", seating) for seating in ("AB", "BA")])
    return run


def seen_in(hand_number=1, *actions, seed="worth"):
    hand = Hand(HandRules(50, 100), Shoe(seed).deal(hand_number), (10_000, 10_000), 0)
    for action in actions:
        hand.apply(action)
    return observe(hand, hand_number)


def worths(taught, *, counted, spec=SPEC):
    return [taught.reasking().of(spec, name, counted=counted) for name in PAIR]


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.slow
def test_where_more_depends_on_it_more_answers_are_asked(taught, counted):
    first, second = worths(taught, counted=counted)
    limped = [second(seen_in(number, CALL)) for number in range(1, 30)]
    shoved = [second(seen_in(number, Action("raiseTo", 10_000))) for number in range(1, 30)]
    assert sum(limped) < sum(shoved) / 2
    assert all(1 <= each <= reasking.MOST for each in [*limped, *shoved])
    assert max(first(seen_in(number)) for number in range(1, 30)) < reasking.MOST


@pytest.mark.slow
def test_a_server_that_counts_its_questions_learns_nothing_about_other_cards(taught):
    """The same observation on other decks: the number is the same, and without that it is not."""
    other = msgspec.structs.replace(SPEC, seed="elsewhere")
    moments = [seen_in(number, Action("raiseTo", 2500)) for number in range(1, 30)]
    numbers = {
        counted: [[worths(taught, counted=counted, spec=spec)[1](seen) for seen in moments] for spec in (SPEC, other)]
        for counted in (True, False)
    }
    assert numbers[True][0] == numbers[True][1]
    assert numbers[False][0] != numbers[False][1]


@pytest.mark.slow
def test_what_is_learned_later_changes_no_number(taught):
    run = RunStandIns()
    run.look_at(PAIR, [game("first"), game("first", "BA")])
    frozen = run.reasking()
    moments = [seen_in(number, Action("raiseTo", 2500)) for number in range(1, 20)]
    before = [frozen.of(SPEC, "two", counted=False)(seen) for seen in moments]
    for number in range(4):
        run.look_at(PAIR, [game(f"more {number}"), game(f"more {number}", "BA")])
    assert [frozen.of(SPEC, "two", counted=False)(seen) for seen in moments] == before
    assert [run.reasking().of(SPEC, "two", counted=False)(seen) for seen in moments] != before


def test_without_a_stand_in_of_both_one_answer_is_asked(taught):
    assert RunStandIns().reasking().of(SPEC, "one", counted=False) is None
    stranger = msgspec.structs.replace(SPEC, players=("one", "stranger"))
    assert taught.reasking().of(stranger, "one", counted=False) is None


@pytest.mark.parametrize(
    "mode",
    [
        {"ante": 25},
        {"raise_cap": 1},
        {"max_actions": 3},
        {"stacks": "carry", "stack": 1500},
        {"small_blind": 0, "big_blind": 2, "stack": 4},
        {"warmup_hands": 2},
    ],
    ids=str,
)
def test_in_every_kind_of_game_there_is_a_number(taught, mode):
    """Looked at by what a whole game shows of every decision."""
    spec = GameSpec(seed="kinds", hands=10, players=PAIR, **mode)
    found = []

    def worth(name):
        ours = taught.reasking().of(spec, name, counted=name == "one")

        def asked(seen):
            found.append(ours(seen))
            return found[-1]

        return asked

    players = [Asked(name, 1.0, worth(name)) for name in PAIR]
    play_game(tuple(players), seed="kinds", hands=10, **mode)
    assert found
    assert all(1 <= each <= reasking.MOST for each in found)


def test_against_a_bot_they_have_to_prove_that_they_leave_less_luck():
    """A bot's cards can be averaged over, which may be worth more than odds at some decisions of the other."""
    both, alone = MatchLuck({}, (), in_part=(0, 1)), MatchLuck({}, (1,), in_part=(0,))
    assert not both.one_sided((0, 1))
    assert alone.one_sided((0,))
    assert not MatchLuck({}, (1,)).one_sided((0,))
