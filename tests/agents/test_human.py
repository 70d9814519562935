"""The kind `human`: what a person types is read as what they mean, and they see what their seat may see."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molt_bench.agents import human
from molt_bench.agents.human import HumanAgent, Table, action_of
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import CARD_TEXT, deal_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.views import observe
from molt_bench.specs import GameSpec

KEYS = ("c", "c", "c", "f", "a", "r half", "r pot", "r min", "r 3bb", "nonsense", "", "500")

#: A hand as a person sees it without colour.
SCREEN = """
You against caller: 1 hand, blinds 50/100, stacks 10,000 (100 bb).

── Hand 1 of 1: you have the button
  You hold Q♥ T♦.

    caller          ▒▒ ▒▒           9,900 (99 bb), bet 100
    preflop                         pot 150 (1.5 bb)
    you (D)         Q♥ T♦           9,950 (99.5 bb), bet 50

  [f] fold   [c] call 50   [r] raise to 200-10,000   [a] all-in   [q] leave
      r half = 200, r pot = 300, or r and chips, bb or %
> r 3bb
  You raise to 300.
  caller calls.
  Flop  K♣ J♠ 5♣
  caller checks.

    caller          ▒▒ ▒▒           9,700 (97 bb)
    flop            K♣ J♠ 5♣        pot 600 (6 bb)
    you (D)         Q♥ T♦           9,700 (97 bb)

  [f] fold   [c] check   [r] bet 100-9,700   [a] all-in   [q] leave
      r min = 100, r half = 300, r pot = 600, or r and chips, bb or %
> nonsense
  'nonsense' is no action: type f, c, r and an amount, a or q.
> a
  You bet 9,700.
  caller calls.
  Turn  K♣ J♠ 5♣ 3♠
  River  K♣ J♠ 5♣ 3♠ 4♣
  You show Q♥ T♦: king high.
  caller shows A♠ 2♦: a straight to the five.
  You lose 10,000. After 1 hand: -10,000 chips.
"""


def seen_after(*actions, stack=10_000):
    """Return what the seat to act sees after some actions."""
    hand = Hand(HandRules(50, 100), deal_from_text("AhKd 7c7d 2h3h4h5c6d"), (stack, stack), button=0)
    for action in actions:
        hand.apply(action)
    return observe(hand, 1)


FIRST = seen_after()  # 50 to call, pot 150, raise to 200..10,000
FREE = seen_after(CALL, CHECK)  # on the flop, pot 200, bet 100..9,900
FACING = seen_after(CALL, CHECK, Action("raiseTo", 150))  # 150 to call, pot 350
ALL_IN = seen_after(Action("raiseTo", 10_000))  # 9,900 to call, no raise


@pytest.mark.parametrize(
    ("line", "seen", "meant"),
    [
        ("f", FIRST, FOLD),
        ("Fold", FREE, FOLD),
        ("c", FIRST, CALL),
        ("  CALL  ", FIRST, CALL),
        ("c", FREE, CHECK),
        ("k", FREE, CHECK),
        ("check", FREE, CHECK),
        ("r 600", FIRST, Action("raiseTo", 600)),
        ("r600", FIRST, Action("raiseTo", 600)),
        ("raise to 600", FIRST, Action("raiseTo", 600)),
        ("bet 600", FREE, Action("raiseTo", 600)),
        ("600", FIRST, Action("raiseTo", 600)),
        ("1,200", FIRST, Action("raiseTo", 1200)),
        ("r 2.5 bb", FIRST, Action("raiseTo", 250)),
        ("3BB", FIRST, Action("raiseTo", 300)),
        ("r min", FIRST, Action("raiseTo", 200)),
        ("r half", FREE, Action("raiseTo", 100)),
        ("pot", FREE, Action("raiseTo", 200)),
        ("r pot", FIRST, Action("raiseTo", 300)),  # call 50, then as much as the 200 in the middle
        ("r pot", FACING, Action("raiseTo", 650)),
        ("r 75%", FREE, Action("raiseTo", 150)),
        ("a", FIRST, Action("raiseTo", 10_000)),
        ("all in", FREE, Action("raiseTo", 9_900)),
        ("r all", FREE, Action("raiseTo", 9_900)),
        ("a", ALL_IN, CALL),
    ],
)
def test_a_line_means(line, seen, meant):
    assert action_of(line, seen) == meant


@pytest.mark.parametrize(
    ("line", "seen", "said"),
    [
        ("", FIRST, "'' is no action"),
        ("x", FIRST, "You cannot check: 50 to call."),
        ("r", FIRST, "'r' is no action"),
        ("r 100", FIRST, "100 cannot be: a raise is to 200-10,000."),
        ("50", FREE, "50 cannot be: a raise is to 100-9,900."),
        ("20000", FIRST, "20,000 cannot be: a raise is to 200-10,000."),
        ("r 500", ALL_IN, "500 cannot be: there is no raising here."),
        ("r -600", FIRST, "'r -600' is no action: type f, c, r and an amount, a or q."),
        ("600.5", FIRST, "is no action"),
        ("raise a lot", FIRST, "is no action"),
        ("9" * 5000, FIRST, "is no action"),
        ("é\x1b[2J", FIRST, r"'é\x1b[2J' is no action"),
    ],
)
def test_what_cannot_be_done_gets_a_friendly_line(line, seen, said):
    why = action_of(line, seen)
    assert said in why
    assert "\n" not in why
    assert len(why) < 200


@settings(max_examples=30)  # it takes long to make a text that is like an action
@given(st.one_of(st.text(max_size=30), st.from_regex(r"[rb]? ?[0-9a-z./%,]{0,8}( ?bb|%)?", fullmatch=True)))
def test_any_line_is_a_legal_action_or_a_reason_why_not(line):
    for seen in (FIRST, FREE, FACING, ALL_IN):
        meant = action_of(line, seen)
        assert isinstance(meant, str) or seen.legal.allows(meant)


class Typing(HumanAgent):
    """A person who types these lines and then calls whatever comes."""

    def __init__(self, typed):
        super().__init__("me", action_timeout_s=float("inf"))
        self.typed, self.results = iter(typed), []
        self.opponent = "caller"

    async def _line(self, prompt):
        line = next(self.typed, "c")
        print(f"{prompt}{line}")
        return line

    def on_hand_complete(self, result):
        self.results.append(result)
        super().on_hand_complete(result)


def sit(typed, *, seed=1, opponent="random", seating="AB", env=None, **options):
    """Play as a person would, and return what was on the screen, the results and the record."""
    stream, options = io.TextIOWrapper(io.BytesIO(), "utf-8"), {"hands": 6, **options}
    with pytest.MonkeyPatch.context() as here:
        here.setattr(human.sys, "stdout", stream)
        for name, value in {"TERM": "xterm", **(env or {})}.items():
            here.setenv(name, value)
        person = Typing(typed)
        record = play_game((person, BUILTIN_AGENTS[opponent]()), seed=seed, seating=seating, **options)
        stream.flush()
        return stream.buffer.getvalue().decode(), person.results, record


@pytest.mark.parametrize("letters", [False, True])
@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**9),
    st.lists(st.sampled_from(KEYS), max_size=30),
    st.sampled_from(("AB", "BA")),
    st.sampled_from(({}, {"stack": 300}, {"stack": 700, "stacks": "carry", "ante": 20})),
)
def test_no_hidden_card_is_on_the_screen_before_a_showdown(letters, seed, typed, seating, options):
    printed, results, record = sit(
        typed, seed=seed, env={"TERM": "dumb"} if letters else {}, seating=seating, **options
    )
    assert record.faults == ()
    assert max(map(len, printed.splitlines())) <= 80
    assert not letters or printed.isascii()
    hands = re.split(r"^[─-]{2} Hand ", printed, flags=re.MULTILINE)[1:]
    for told, result in zip(hands, results, strict=True):
        before, shows, after = told.translate(str.maketrans("♣♦♥♠", "cdhs")).partition("You show ")
        holes, _ = Shoe(seed).deal(result.hand_number)
        words = re.findall(r"\w+", before)
        assert not [card for card in holes[1 - result.seat] if CARD_TEXT[card] in words]
        assert {CARD_TEXT[card] for card in (*holes[result.seat], *result.board)} <= {
            *words,
            *re.findall(r"\w+", after),
        }
        assert bool(shows) is (result.opponent_cards is not None)


def test_a_hand_is_told_from_the_blinds_to_the_showdown():
    printed, *_ = sit(["r 3bb", "nonsense", "a"], opponent="callstation", seed="docs", hands=1)
    assert printed == SCREEN


def test_a_person_sees_at_the_end_what_the_other_held_where_a_hand_ended_with_a_fold(capsys):
    _, _, record = sit(["f"], opponent="callstation", seed="docs", hands=3)
    human.replay([record], "me")
    held = "What callstation held where it was not shown:"
    line = "Hand   1   you Qh Td, callstation As 2d   preflop   you fold -50"
    assert capsys.readouterr().out.translate(str.maketrans("♣♦♥♠", "cdhs")) == f"\n{held}\n  {line}\n"


def test_the_name_of_an_opponent_controls_no_terminal_and_is_cut(capsys):
    table = Table("evil\x1b[2J\n" + 30 * "x", GameSpec(seed=0, hands=1).facts)
    table.open()
    assert "\x1b[2J" not in capsys.readouterr().out
    assert len(table.opponent) == 12
