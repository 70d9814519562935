"""The table shows what a seat may see, in a way that people can read."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.person.players import Opponent, Person
from molt_bench.person.screen import Screen
from molt_bench.person.table_drawing import Look, cards_shown, in_big_blinds, outcome
from molt_bench.person.tally import sample_says, tally
from molt_bench.play.play_games import play_game
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.evaluator import hand_name
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import HandResult

RULES = HandRules(50, 100)
KEYS = ("c", "c", "c", "f", "y", "n", "a", "r half", "r pot", "r min", "r 3bb", "?", "l", "nonsense", "", "500")


def session(seed, typed, *, symbols=True, opponent="random", hands=6, stack=10_000, seating="AB"):
    """Play some hands as a person would, and return all that was on the screen, the results and the record."""
    file = io.StringIO()
    console = Console(file=file, width=80, markup=False, emoji=False, highlight=False)
    screen = Screen(console, Look(opponent, RULES, symbols=symbols), hands=hands, odds=False)
    lines = iter(typed)

    def ask(prompt):
        line = next(lines, "c")
        file.write(f"{prompt}{line}\n")
        return line

    players = (Person(screen, ask), Opponent(BUILTIN_AGENTS[opponent](), screen))
    record = play_game(players, seed=seed, hands=hands, stack=stack, seating=seating)
    return file.getvalue(), screen.results, record


@pytest.mark.slow
@settings(max_examples=20)
@given(
    st.integers(0, 10**9),
    st.lists(st.sampled_from(KEYS), max_size=40),
    st.booleans(),
    st.sampled_from(("AB", "BA")),
    st.sampled_from((10_000, 300)),
)
def test_hidden_cards_are_never_on_the_screen_before_a_showdown(seed, typed, symbols, seating, stack):
    printed, results, record = session(seed, typed, symbols=symbols, seating=seating, stack=stack)
    look = Look("random", RULES, symbols=symbols)
    parts = re.split(r"^[━=]{2} Hand ", printed, flags=re.MULTILINE)[1:]
    assert len(parts) == len(results) == 6
    assert record.faults == ()
    for part, result in zip(parts, results, strict=True):
        holes, _ = Shoe(seed).deal(result.hand_number)
        before, shown, _ = part.partition("You show")
        assert bool(shown) == (result.opponent_cards is not None)
        for card in holes[1 - result.seat]:
            text = cards_shown((card,), look).plain
            assert re.search(rf"(?<!\w){text}(?!\w)", before) is None
            assert not shown or text in part


@settings(max_examples=15)
@given(st.integers(0, 10**9), st.lists(st.sampled_from(KEYS), max_size=40))
@pytest.mark.slow
def test_the_chips_on_the_screen_are_those_of_the_record(seed, typed):
    printed, results, record = session(seed, typed)
    assert sum(result.net[result.seat] for result in results) == record.net[0]
    assert f"After 6 hands: {record.net[0]:+,} chips" in printed
    found = tally(results, seed, RULES)
    assert (found.hands, found.raw) == (6, record.net[0])


def test_without_symbols_all_is_plain_ascii():
    assert session("ascii", ["?", "a", "f", "y"], symbols=False)[0].isascii()


def test_every_line_fits_in_80_columns():
    assert max(map(len, session("width", ["?", "r pot", "l"])[0].splitlines())) <= 80


def test_a_wrong_line_is_asked_again_and_is_no_fault():
    printed, _, record = session("wrong", ["huh", "99999999", "r", "", "x"])
    assert "'huh' is not a command" in printed
    assert record.faults == ()


def test_folding_for_free_has_to_be_confirmed():
    printed, _, record = session("free", ["c", "f", "n", "f", "y"], opponent="callstation", hands=1)
    assert printed.count("Checking is free. Fold anyway? [y/N] ") == 2
    assert record.net == (-100, 100)
    assert "You fold." in printed


def test_the_log_tells_the_hand_from_its_start():
    printed, _, _ = session("log", ["r 3bb", "l"], opponent="callstation", hands=1)
    assert printed.count("  You post 50, callstation posts 100.\n  You raise to 300.\n  callstation calls 200.") == 1


def test_an_all_in_opens_the_cards_and_then_the_board():
    printed, _, _ = session("all-in", ["a"], opponent="callstation", hands=1)
    told = printed.split("You raise to 10,000, all-in.")[1]
    places = [told.index(word) for word in ("callstation calls 9,900, all-in.", "You show", "Flop", "Turn", "River")]
    assert places == sorted(places)
    assert "; your equity is " in told
    assert told.count("pot 20,000 (200 bb)") == 3


def test_two_suits_of_one_rank_differ_without_colour():
    for symbols in (True, False):
        shown = {cards_shown((card,), Look("x", RULES, symbols=symbols)).plain for card in range(52)}
        assert len(shown) == 52


@pytest.mark.parametrize(
    ("own", "other", "board", "net", "said"),
    [
        ("AhAd", "KsKc", "2c7d9h3s4s", 300, "You win 300 (3 bb): a pair of aces against a pair of kings."),
        ("AhQd", "AsKc", "2c7d9h3sAd", -300, "opp has a pair of aces with a better kicker, you have a pair of aces."),
        ("2h3d", "2s3c", "AcAdAhKsKd", 0, "The pot is split: both have a full house, aces over kings."),
        ("AhAd", None, "", 50, "You win 50 (0.5 bb)."),
        ("AhAd", None, "", 0, "No chips change hands."),
    ],
)
def test_the_outcome_of_a_hand_in_words(own, other, board, net, said):
    shown = None if other is None else cards_from_text(other)
    stacks = (10_000, 10_000)
    result = HandResult(0, 0, 1, cards_from_text(own), shown, cards_from_text(board), (), stacks, (net, -net))
    assert outcome(result, Look("opp", RULES)).plain.endswith(said)


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("AhKh QhJhTh 2c3d", "a straight flush to the ace"),
        ("Ah2h 3h4h5h KcKd", "a straight flush to the five"),
        ("6h6d 6s6c2h 2d2s", "four sixes"),
        ("AhAd KsKc7h", "two pair, aces and kings"),
        ("9h9d 9s2c3h 7d8s", "three nines"),
        ("Th9d 8s7c6h 2d2s", "a straight to the ten"),
        ("KhQh 9h5h2h 2d2s", "a flush to the king"),
        ("QhJd 9s5c3h 2d7s", "queen high"),
    ],
)
def test_hands_have_the_names_they_have_at_a_table(cards, name):
    assert hand_name(cards_from_text(cards)) == name


def test_big_blinds_are_written_short():
    assert in_big_blinds(333, RULES) == "3.3 bb"


def test_few_hands_are_said_to_say_little():
    assert list(sample_says(tally([], "none", RULES))) == ["No hand was finished."]
    few = session("few", [], opponent="callstation", hands=3)[1]
    assert "3 hands say next to nothing" in next(sample_says(tally(few, "few", RULES)))
    some = session("some", [], opponent="callstation", hands=30)[1]
    assert "30 hands say little about who is better; luck-adjusted, 95% confident: " in next(
        sample_says(tally(some, "some", RULES))
    )


def test_who_gives_everything_away_is_behind():
    results = session("behind", ["f"] * 100, opponent="shover", hands=100)[1]
    assert next(sample_says(tally(results, "behind", RULES))).startswith(
        "You are behind; luck-adjusted, 95% confident: "
    )


def test_the_same_cards_from_both_seats_are_taken_together():
    first, second = (session("both", [], opponent="callstation", hands=12, seating=way)[1] for way in ("AB", "BA"))
    found = tally([*first, *second], "both", RULES)
    assert found.paired
    assert found.raw == 0  # whoever calls all the way down wins with the one hand what it loses with the other
    assert abs(found.adjusted) < 1e-6
