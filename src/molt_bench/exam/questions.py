"""The questions of the exam: one decision each, with what every action is worth by a solved game."""

from __future__ import annotations

import hashlib
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.errors import MoltBenchError
from molt_bench.poker.actions import LETTERS, Action, Street
from molt_bench.poker.cards import Hole, cards_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.notation import actions_from_line
from molt_bench.poker.observation import Observation, observe

RULES: Final = HandRules(50, 100)
#: The version of the public set: another one when a question or a value changes.
VERSION: Final = 2
#: Versions that exams of before were asked, which still open.
VERSIONS: Final = (1, VERSION)
#: More chips than any stack has.
_DEEPEST: Final = 10**9

#: How the pot came about before the flop: nobody raised, somebody did once, or more often.
PotType: TypeAlias = Literal["limped", "raised", "reraised"]


class Kind(msgspec.Struct, frozen=True):
    """What kind of decision a question is.

    Attributes:
        street: The street.
        button: Whether the seat to act has the button.
        pot: How the pot came about.
        depth: Big blinds of a stack at the start of the hand.
        facing: Whether there is a bet to call.
    """

    street: Street
    button: bool
    pot: PotType
    depth: int
    facing: bool


class Decision(msgspec.Struct, frozen=True, gc=False):
    """One decision, as the seat to act sees it.

    Attributes:
        stack: Chips of both seats at the start of the hand.
        button: The seat with the button.
        cards: The hole cards of the seat to act.
        board: The open board.
        line: The actions so far, as in the line of a hand: `r300c/kr400`.
    """

    stack: int
    button: int
    cards: str
    board: str
    line: str

    def hand(self) -> Hand:
        """Return the hand at this decision; the other seat's cards, and those to come, are any."""
        own, board = cards_from_text(self.cards), cards_from_text(self.board)
        others = (card for card in range(52) if card not in (*own, *board))
        held: Hole = (next(others), next(others))
        runout = (*board, *[next(others) for _ in range(5 - len(board))])
        mine: Hole = (own[0], own[1])
        # Who acts depends on the betting alone, so it is found with the cards either way round.
        for holes in ((mine, held), (held, mine)):
            hand = Hand(RULES, (holes, runout), (self.stack, self.stack), self.button)
            for action in actions_from_line(self.line):
                hand.apply(action)
            if hand.holes[hand.actor] == mine:
                break
        return hand

    def street_start(self) -> tuple[Hand, tuple[Action, ...]]:
        """Return the hand before the first action of this street, and the actions since."""
        hand = self.hand()
        before = [done for done in hand.log if done.street != hand.street]
        start = Hand(RULES, (hand.holes, hand.runout), hand.starting_stacks, self.button)
        actions = actions_from_line(self.line)
        for action in actions[: len(before)]:
            start.apply(action)
        return start, tuple(actions[len(before) :])

    def kind(self) -> Kind:
        """Return what kind of decision it is."""
        hand = self.hand()
        raises = sum(done.kind == "raiseTo" and done.street == "preflop" for done in hand.log)
        pot: PotType = "limped" if not raises else "raised" if raises == 1 else "reraised"
        return Kind(hand.street, hand.actor == hand.button, pot, self.stack // RULES.big_blind, hand.to_call > 0)


class Valued(msgspec.Struct, frozen=True, gc=False):
    """An action of the solved game.

    Attributes:
        action: The action, as in the line of a hand: `f`, `k`, `c`, or `r` with the total raised to.
        value: What it wins in the whole hand on average, in big blinds, if both go on by the solution.
        chance: How often the solution takes it with these cards.
    """

    action: str
    value: float
    chance: float


class Question(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A decision with its solution.

    Attributes:
        id: Its name in the set.
        decision: What is asked.
        weight: How often such decisions occur in play, by how often they are asked; the mean of the set is 1.
        options: The actions of the solved game, raises last and smallest first.
        pot: Chips in the pot before the street, in big blinds.
        reached: How often the other seat plays to this decision by the solution.
        error: What a best response gains against the solution on average, in big blinds, on the whole street.
        own_error: By how much these cards' best value may be too low, in big blinds: what going on by a best response
            instead would add.
    """

    id: str
    decision: Decision
    weight: float
    options: tuple[Valued, ...]
    pot: float
    reached: float
    error: float
    own_error: float

    def seen(self, noise: int = 0) -> Observation:
        """Return what the seat to act sees."""
        return observe(self.decision.hand(), 1, noise)

    def check(self) -> None:
        """Check that it can be asked and valued; raises ValueError, or what the rules say."""
        numbers = (self.weight, self.pot, self.reached, self.error, self.own_error)
        valued = [number for each in self.options for number in (each.value, each.chance)]
        possible = all(isfinite(each) and abs(each) <= _DEEPEST for each in (*numbers, *valued))
        if not self.options or not possible or self.weight <= 0 or self.pot <= 0:
            raise ValueError("expected actions with their values, and a weight and a pot above 0")
        if not 0 < self.decision.stack <= _DEEPEST or self.decision.button not in (0, 1):
            raise ValueError("expected a stack and a seat")
        if self.decision.hand().actor < 0:
            raise ValueError("expected a hand that is not over")
        seen = self.seen()
        if seen.board != cards_from_text(self.decision.board):
            raise ValueError("expected the board of its street")
        for each in self.options:
            (action,) = actions_from_line(each.action)
            if not seen.legal.allows(action):
                raise ValueError(f"{each.action} is not legal there")

    @property
    def best(self) -> Valued:
        """The action that is worth most."""
        return max(self.options, key=lambda each: each.value)


class QuestionSet(msgspec.Struct, frozen=True):
    """Questions in the order in which they are asked: every part of them has about the same mix of kinds.

    Attributes:
        name: `public-1`, or `secret`.
        questions: The questions.
    """

    name: str
    questions: tuple[Question, ...]

    def sha256(self) -> str:
        """Return the hash of all questions and values."""
        return hashlib.sha256(b"\n".join(map(msgspec.json.encode, self.questions))).hexdigest()


def path_of(version: int) -> Path:
    """Return the file of a version of the public set, which has one question a line."""
    return Path(__file__).with_name(f"public-{version}.jsonl")


@cache
def public_set(version: int = VERSION) -> QuestionSet:
    """Read the questions that ship with the package."""
    path = path_of(version)
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise MoltBenchError(f"{path} cannot be read: {error.strerror}; install molt-bench again") from error
    return QuestionSet(f"public-{version}", tuple(msgspec.json.decode(line, type=Question) for line in lines))


def action_letter(action: Action) -> str:
    """Write one action.

    >>> action_letter(Action("raiseTo", 300)), action_letter(Action("check"))
    ('r300', 'k')
    """
    return f"r{action.amount}" if action.kind == "raiseTo" else LETTERS[action.kind]
