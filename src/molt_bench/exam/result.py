"""The result of an exam: the ranking, what is known about neighbours, and why no more was asked."""

from __future__ import annotations

from typing import Final

import msgspec

from molt_bench.exam.scoring import Order, Score

NOT_ENDED: Final = "it has not ended"
SURE: Final = "the order is sure"
ALL_ASKED: Final = "all questions were asked"
ALL_GONE: Final = "everybody has left"


class ExamResult(msgspec.Struct, frozen=True, rename="camel"):
    """The result of an exam.

    Attributes:
        questions: The name of the set.
        asked: Questions that were asked, those that were asked again included.
        repeated: How many of those were asked before.
        streets: The streets that were examined.
        errors: By street, how wrong the values of its questions may be, on average, in big blinds.
        stop_reason: Why no more was asked.
        participants: Everybody, the best first.
        orders: What is known about each two neighbours.
        cost_usd: What language models cost, by participant; without those of unknown price.
        left: A sentence about each live agent that the exam went on without; such a one has no rank.
    """

    questions: str
    asked: int
    repeated: int
    streets: list[str]
    errors: dict[str, float]
    stop_reason: str
    participants: list[Score]
    orders: list[Order]
    cost_usd: dict[str, float]
    left: list[str] = []
