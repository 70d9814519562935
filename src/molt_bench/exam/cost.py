"""What an exam is expected to cost, and what it can tell apart, before anything is asked."""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import Final

import msgspec

from molt_bench._version import BENCH_VERSION
from molt_bench.agents.llm.money.expected_use import expected_of
from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.bench.error_budget import error_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.exam.answer_file import MOST_QUESTIONS
from molt_bench.exam.questions import public_set
from molt_bench.exam.scoring import BLOCK, PER, TIE, caution_of, tested
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.student import Estimate

#: The standard deviation of a lead at a question, in big blinds, if both draw one answer; and the part of its variance
#: that stays however often both are asked the same question: of ten agents (`benchmarks/exam.py --orders`).
_DEVIATION: Final = 1.45
_OF_QUESTIONS: Final = 0.46
#: The squared skewness of losses, of the same agents.
_SKEWNESS: Final = 30.0
#: Questions of the rows of a plan that has no limit.
_USUAL: Final = (50, 100, 200, 400)


class ExamNeed(msgspec.Struct, frozen=True, rename="camel"):
    """What so many questions take, and what they show.

    Attributes:
        questions: Questions of everybody.
        calls: Requests to models.
        usd: Dollars for all models with a price; None if none has one.
        lead: The lead in big blinds per 100 decisions that is ordered in half of such exams; None below two blocks.
    """

    questions: int
    calls: int
    usd: float | None
    lead: float | None


class ExamPlan(msgspec.Struct, frozen=True, rename="camel"):
    """What an exam of a config takes.

    Attributes:
        usd_per_question: By model, what one question is expected to cost; None where no price is known.
        dollars: What may be spent; None for no limit.
        needs: What a number of questions takes.
    """

    usd_per_question: dict[str, float | None]
    dollars: float | None
    needs: list[ExamNeed]


def calls_per_question(settings: LLMSettings) -> int:
    """Return how many requests a question takes, about."""
    return (settings.answers or 1) * (1 + bool(settings.tools))


def usd_per_question(config: BenchmarkConfig) -> dict[str, float | None]:
    """Return what a question is expected to cost by model; None where no price is known."""
    prices = PriceList(config.llm.prices)
    found: dict[str, float | None] = {}
    for name, settings in config.models().items():
        each = expected_of(settings, 1).usd_per_call(settings, prices)
        found[name] = None if each is None else calls_per_question(settings) * each
    return found


def plan_exam(config: BenchmarkConfig, dollars: float | None = None) -> ExamPlan:
    """Return what an exam takes: as many questions as the dollars buy, or the usual numbers of them."""
    limits = config.stop.budget
    limit = dollars if dollars is not None or limits is None else limits.max_cost_usd
    cost = usd_per_question(config)
    each = fsum(usd for usd in cost.values() if usd is not None)
    if limit is not None and each:
        counts: Sequence[int] = (min(MOST_QUESTIONS, int(limit / each)),)
    else:
        counts = (*_USUAL, len(public_set().questions))
    error = error_of([config.stop], version=BENCH_VERSION)
    calls = sum(map(calls_per_question, config.models().values()))
    needs = [
        ExamNeed(count, calls * count, round(each * count, 6) if each else None, lead_told_apart(count, error))
        for count in counts
    ]
    return ExamPlan(cost, limit, needs)


def lead_told_apart(questions: int, error: float) -> float | None:
    """Return the lead that so many questions order half of the time, in big blinds per 100 decisions.

    Questions beyond the public set are asked again, and only draws become surer by that.
    """
    if questions < 2 * BLOCK:
        return None
    size = len(public_set().questions)
    often = max(1.0, questions / size)
    scale = _DEVIATION * sqrt((_OF_QUESTIONS + (1 - _OF_QUESTIONS) / often) / min(questions, size))
    caution = caution_of(questions, _SKEWNESS)
    lead = tested(Estimate(0.0, scale, questions - 1.0, caution=caution), _DEVIATION, questions)
    return round(PER * Horizon(TIE, BLOCK).bars(lead, error)[0] * lead.tested, 1)


def outlay(config: BenchmarkConfig, questions: int) -> str:
    """Say what so many questions are expected to cost."""
    cost = usd_per_question(config)
    calls = questions * sum(map(calls_per_question, config.models().values()))
    known = [usd for usd in cost.values() if usd is not None]
    found = f"{calls:,} calls, about ${questions * fsum(known):.2f}" if known else f"{calls:,} calls"
    return found + _unpriced(cost)


def _unpriced(cost: Mapping[str, float | None]) -> str:
    unknown = [name for name, usd in cost.items() if usd is None]
    return f", and no price is known of {', '.join(unknown)}" if unknown else ""
