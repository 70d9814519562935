"""The ACPC protocol: our lines are those of the specification, byte by byte, and answers are read strictly."""

import json
from random import Random  # noqa: TID251 - the test's own dice, seeded

import pytest
from pokerkit import HandHistory

from molt_bench import Action, AgentFailed
from molt_bench.agents.external.protocol import line_of
from molt_bench.plugins.adapters.acpc_states import is_version, read_action, state_lines
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.deck import Shoe, deal
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.messages import answer_of, decision, result
from molt_bench.poker.views import observe, result_for
from molt_bench.report.exports.phh import phh
from tests.llm.test_prompt_leaks import any_action, swapped
from tests.report.exported_hands import in_run

RULES = HandRules(50, 100)


def seen_by(hand, number):
    """Return the message of a decision, as a program gets it."""
    return json.loads(line_of(decision(observe(hand, number), 1)))


def told_to(hand, seat, number):
    """Return the message of a result."""
    return json.loads(line_of(result(result_for(hand, seat, number))))


def question(hand, number):
    return state_lines(seen_by(hand, number))[-1]


def transcript(cards, words, *, position, number, stack=20_000):
    """Play a hand by the words of both players; return what is sent to us (S) and what we answer (C).

    The first hole cards are those of the big blind, which is position 0 and sits in seat 0.
    """
    hand = Hand(RULES, deal_from_text(cards), (stack, stack), button=1)
    said, told = [], 0
    for word in words.split():
        seen, asked = seen_by(hand, number), question(hand, number)
        if hand.actor == position:
            said += [f"S {line}" for line in state_lines(seen, told)]
            told = len(seen["log"]) + 1
            said.append(f"C {asked}:{word}")
        hand.apply(answer_of(read_action(f"{asked}:{word}\r".encode(), seen, asked)))
    assert hand.actor == NOBODY
    return said + [f"S {line}" for line in state_lines(told_to(hand, position, number), told)]


#: The examples of the specification for two players without a limit.
OF_THE_SPECIFICATION = [
    (
        ("9s8h 9c6h 8c8d5c6s2d", "c c r250 c r500 c r1250 c", 0, 30),
        """
        S MATCHSTATE:0:30::9s8h|
        S MATCHSTATE:0:30:c:9s8h|
        C MATCHSTATE:0:30:c:9s8h|:c
        S MATCHSTATE:0:30:cc/:9s8h|/8c8d5c
        C MATCHSTATE:0:30:cc/:9s8h|/8c8d5c:r250
        S MATCHSTATE:0:30:cc/r250:9s8h|/8c8d5c
        S MATCHSTATE:0:30:cc/r250c/:9s8h|/8c8d5c/6s
        C MATCHSTATE:0:30:cc/r250c/:9s8h|/8c8d5c/6s:r500
        S MATCHSTATE:0:30:cc/r250c/r500:9s8h|/8c8d5c/6s
        S MATCHSTATE:0:30:cc/r250c/r500c/:9s8h|/8c8d5c/6s/2d
        C MATCHSTATE:0:30:cc/r250c/r500c/:9s8h|/8c8d5c/6s/2d:r1250
        S MATCHSTATE:0:30:cc/r250c/r500c/r1250:9s8h|/8c8d5c/6s/2d
        S MATCHSTATE:0:30:cc/r250c/r500c/r1250c:9s8h|9c6h/8c8d5c/6s/2d
        """,
    ),
    (
        ("KsJs JdTc 6dJc9cKhQc", "r300 r900 c r1800 r3600 r9000 c r20000 c", 1, 31),
        """
        S MATCHSTATE:1:31::|JdTc
        C MATCHSTATE:1:31::|JdTc:r300
        S MATCHSTATE:1:31:r300:|JdTc
        S MATCHSTATE:1:31:r300r900:|JdTc
        C MATCHSTATE:1:31:r300r900:|JdTc:c
        S MATCHSTATE:1:31:r300r900c/:|JdTc/6dJc9c
        S MATCHSTATE:1:31:r300r900c/r1800:|JdTc/6dJc9c
        C MATCHSTATE:1:31:r300r900c/r1800:|JdTc/6dJc9c:r3600
        S MATCHSTATE:1:31:r300r900c/r1800r3600:|JdTc/6dJc9c
        S MATCHSTATE:1:31:r300r900c/r1800r3600r9000:|JdTc/6dJc9c
        C MATCHSTATE:1:31:r300r900c/r1800r3600r9000:|JdTc/6dJc9c:c
        S MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/:|JdTc/6dJc9c/Kh
        S MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/r20000:|JdTc/6dJc9c/Kh
        C MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/r20000:|JdTc/6dJc9c/Kh:c
        S MATCHSTATE:1:31:r300r900c/r1800r3600r9000c/r20000c/:KsJs|JdTc/6dJc9c/Kh/Qc
        """,
    ),
]
#: Written by hand after the rules of the competition's dealer.
BY_HAND = [
    (
        ("8h8c KsKd 2c3d4h5s7c", "c c f", 1, 3),  # a fold for nothing has no line
        """
        S MATCHSTATE:1:3::|KsKd
        C MATCHSTATE:1:3::|KsKd:c
        S MATCHSTATE:1:3:c:|KsKd
        S MATCHSTATE:1:3:cc/:|KsKd/2c3d4h
        """,
    ),
    (
        ("8h8c KsKd 2c3d4h5s7c", "c f", 0, 4),  # nor has one's own
        """
        S MATCHSTATE:0:4::8h8c|
        S MATCHSTATE:0:4:c:8h8c|
        C MATCHSTATE:0:4:c:8h8c|:f
        """,
    ),
    (
        ("8h8c KsKd 2c3d4h5s7c", "c c c f", 0, 5),
        """
        S MATCHSTATE:0:5::8h8c|
        S MATCHSTATE:0:5:c:8h8c|
        C MATCHSTATE:0:5:c:8h8c|:c
        S MATCHSTATE:0:5:cc/:8h8c|/2c3d4h
        C MATCHSTATE:0:5:cc/:8h8c|/2c3d4h:c
        S MATCHSTATE:0:5:cc/c:8h8c|/2c3d4h
        """,
    ),
]


@pytest.mark.parametrize(("played", "lines"), [*OF_THE_SPECIFICATION, *BY_HAND], ids=lambda value: str(value[1])[:20])
def test_the_lines_are_those_of_the_competitions_dealer(played, lines):
    cards, words, position, number = played
    wanted = [line.strip() for line in lines.strip().splitlines()]
    assert transcript(cards, words, position=position, number=number + 1) == wanted


def test_a_stack_that_the_blind_takes_whole_leaves_call_and_fold():
    said = transcript("8h8c KsKd 2c3d4h5s7c", "c", position=0, number=1, stack=100)
    assert said == ["S MATCHSTATE:0:0::8h8c|", "S MATCHSTATE:0:0:c///:8h8c|KsKd/2c3d4h/5s/7c"]


def on_the_flop():
    """Return a decision of the big blind on the flop, who has put in 300, and its state."""
    hand = Hand(RULES, deal_from_text("8h8c KsKd 2c3d4h5s7c"), (20_000, 20_000), button=1)
    hand.apply(Action("raiseTo", 300))
    hand.apply(CALL)
    return seen_by(hand, 8), question(hand, 8)


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        (":c", CHECK),
        (":f", FOLD),
        (":r400", Action("raiseTo", 100)),
        (":r20000", Action("raiseTo", 19_700)),
        (":c\r", CHECK),
        (":c \r", CHECK),
    ],
)
def test_an_answer_is_the_state_and_an_action(word, wanted):
    seen, asked = on_the_flop()
    assert asked == "MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h"
    assert answer_of(read_action((asked + word).encode(), seen, asked)) == wanted


def test_c_is_a_call_where_there_is_something_to_call():
    hand = Hand(RULES, deal_from_text("8h8c KsKd 2c3d4h5s7c"), (20_000, 20_000), button=1)
    asked = question(hand, 1)
    assert answer_of(read_action(f"{asked}:c".encode(), seen_by(hand, 1), asked)) == CALL


@pytest.mark.parametrize(
    "line",
    [
        "# a comment",
        "; another",
        "MATCHSTATE:0:7:r300:8h8c|:c",
        "MATCHSTATE:0:7::8h8c|:r300",
        "MATCHSTATE:1:6:r300c/:|8h8c/2c3d4h:c",
        "MATCHSTATE:0:7:r300c/c:8h8c|/2c3d4h:c",
    ],
)
def test_comments_and_answers_to_other_states_do_not_count(line):
    seen, asked = on_the_flop()
    assert read_action(line.encode(), seen, asked) is None


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        (b"", "empty", "the answer is empty"),
        (b"\r", "empty", "the answer is empty"),
        (b"c", "unparsable", "the answer is 'c': expected MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h: and f, c or r"),
        (b"\xff\x00", "unparsable", "expected MATCHSTATE"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h", "unparsable", "expected MATCHSTATE"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:", "unparsable", "the action is '': expected f, c or r with a size"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:r", "unparsable", "the action is 'r'"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:r-5", "unparsable", "the action is 'r-5'"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:r400.0", "unparsable", "the action is 'r400.0'"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:r" + b"9" * 5000, "unparsable", "the action is 'r999"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:C", "unparsable", "the action is 'C'"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:c1", "unparsable", "the action is 'c1'"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:r399", "illegal", "r399 is not legal; legal: f, c, r400 to r20000"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:r20001", "illegal", "r20001 is not legal"),
        (b"MATCHSTATE:0:7:r300c/:8h8c|/2c3d4h:r0", "illegal", "r0 is not legal"),
    ],
)
def test_an_answer_is_neither_guessed_at_nor_repaired(line, kind, said):
    seen, asked = on_the_flop()
    with pytest.raises(AgentFailed) as failure:
        read_action(line, seen, asked)
    assert failure.value.kind == kind
    assert said in str(failure.value)
    assert len(str(failure.value)) < 300


def test_a_version_that_the_original_takes_is_taken_and_no_other():
    for line in (b"VERSION:2.0.0\r", b"VERSION:2.0.0", b"VERSION:2.0.1 \r"):
        assert is_version(line)
    assert not is_version(b"# a comment before it is passed over\r")
    for line in (b"", b"VERSION:1.0.0", b"VERSION:2.1.0", b"VERSION:2.0", b"version:2.0.0", b"\xff"):
        with pytest.raises(AgentFailed, match=r"expected VERSION:2\.0\.0") as failure:
            is_version(line)
        assert failure.value.kind == "unparsable"


def test_no_line_depends_on_a_card_that_was_not_seen():
    """Swap every card that a seat has not seen, and no line to it changes by a byte."""
    dice, shoe, shown = Random(1), Shoe(1), 0
    for number in range(1, 101):
        cards = deal(shoe.entropy(number))
        hand = Hand(RULES, cards, (10_000, 10_000), button=number % 2)
        while hand.actor != NOBODY:
            twin = swapped(hand, hand.actor, dice, cards)
            assert state_lines(seen_by(hand, number)) == state_lines(seen_by(twin, number))
            hand.apply(any_action(observe(hand, number).legal, dice))
        for seat in (0, 1):
            twin = swapped(hand, seat, dice, cards, over=True)
            assert state_lines(told_to(hand, seat, number)) == state_lines(told_to(twin, seat, number))
            shown += hand.folded == NOBODY
    assert shown > 20


def test_pokerkit_writes_the_same_lines():
    """PokerKit has a dealer of this protocol, too; it knows no free folds."""
    dice, shoe, dealt = Random(2), Shoe(2), []
    for number in range(1, 91):
        hand = Hand(RULES, deal(shoe.entropy(number)), (20_000, 20_000), button=number % 2)
        while hand.actor != NOBODY:
            action = any_action(observe(hand, number).legal, dice)
            hand.apply(CHECK if action == FOLD and not hand.to_call else action)
        dealt.append(in_run(hand, number - 1))
    ends = set()
    for given, history in zip(dealt, HandHistory.loads_all("".join(phh(dealt))), strict=True):
        for position in (0, 1):
            seat = given.hand.button if position else 1 - given.hand.button
            ours = state_lines(told_to(given.hand, seat, given.number))
            theirs = [line for way, line in history.to_acpc_protocol(position, given.number - 1) if way == "S->"]
            assert [f"{line}\r\n" for line in ours] == theirs
        ends.add((given.hand.log[-1].street, given.hand.folded == NOBODY))
    assert len(ends) == 8, "folds and showdowns from every street"
