"""A review of an exam: the costliest answers of each participant, beside what the solution does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Final

import msgspec

from molt_bench.exam.answer_file import Answer, Place
from molt_bench.exam.question_game import FORCED
from molt_bench.exam.questions import Question
from molt_bench.exam.scoring import TIE, loss_of, value_of
from molt_bench.poker.notation import actions_from_line

#: How many of a participant's costliest answers are listed.
LISTED: Final = 10
#: Actions that the solution takes less often are left out of what it does.
_SELDOM: Final = 0.005


class Step(msgspec.Struct, frozen=True, rename="camel"):
    """An action in words, how often it is taken, and what it wins in the whole hand in big blinds."""

    text: str
    chance: float
    value: float


class ReviewedAnswer(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One answer beside the solution.

    Attributes:
        question: The question.
        sample: Which of its answers to that question it is, from 0.
        loss: Big blinds that it gives away.
        weight: How often such decisions occur in play, by how often they are asked.
        kind: The kind of decision, in words.
        cards: The hole cards.
        board: The open board.
        line: The actions so far, as in the line of a hand.
        pot: Big blinds in the pot before the street.
        done: What was answered.
        solution: What the solution does.
        best: The best action, in words.
    """

    question: str
    sample: int
    loss: float
    weight: float
    kind: str
    cards: str
    board: str
    line: str
    pot: float
    done: list[Step]
    solution: list[Step]
    best: str


def reviewed(question: Question, answer: Answer) -> ReviewedAnswer:
    """Return an answer beside the solution."""
    kind = question.decision.kind()
    place = f"{kind.street}, {'button' if kind.button else 'big blind'}, {kind.pot} pot, {kind.depth} bb deep"
    return ReviewedAnswer(
        question=question.id,
        sample=answer.sample,
        loss=round(loss_of(question, answer), 3),
        weight=question.weight,
        kind=f"{place}, {'facing a bet' if kind.facing else 'no bet to call'}",
        cards=question.decision.cards,
        board=question.decision.board,
        line=question.decision.line,
        pot=question.pot,
        done=[
            Step(words(question, letter), round(chance, 4), round(value_of(question, letter), 3))
            for letter, chance in sorted(answer.actions, key=lambda each: -each[1])
        ],
        solution=[
            Step(words(question, each.action), each.chance, round(each.value, 3))
            for each in sorted(question.options, key=lambda each: -each.chance)
            if each.chance >= _SELDOM
        ],
        best=words(question, question.best.action),
    )


def words(question: Question, letter: str) -> str:
    """Say what an action is."""
    if letter == FORCED:
        return "forced fold"
    (action,) = actions_from_line(letter)
    if action.kind != "raiseTo":
        return action.kind
    return f"{'raise to' if question.decision.kind().facing else 'bet'} {action.amount:,}"


def costliest(
    name: str, questions: Sequence[Question], answers: Mapping[Place, Answer], most: int = LISTED
) -> list[ReviewedAnswer]:
    """Return the answers of a participant that give away most, by how often such decisions occur; dearest first."""
    known = {each.id: each for each in questions}
    found = [
        (known[at].weight * loss_of(known[at], each), place, each)
        for place, each in answers.items()
        if (at := place[1]) in known and place[0] == name
    ]
    dear = nlargest(most, [each for each in found if each[0] >= TIE], key=lambda each: (each[0], each[1]))
    return [reviewed(known[each.question], each) for _, _, each in dear]
