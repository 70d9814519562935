"""What an exam is expected to cost, before anything is asked."""

from math import fsum

from molt_bench.agents.llm.money.expected_use import expected_of
from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.config.sections import BenchmarkConfig


def outlay(config: BenchmarkConfig, questions: int) -> str:
    """Say what so many questions are expected to cost."""
    prices = PriceList(config.llm.prices)
    known, unknown, calls = [], [], 0
    for name, settings in config.models().items():
        asked = questions * (settings.answers or 1) * (1 + bool(settings.tools))
        calls += asked
        each = expected_of(settings, 1).usd_per_call(settings, prices)
        if each is None:
            unknown.append(name)
        else:
            known.append(asked * each)
    found = f"{calls:,} calls, about ${fsum(known):.2f}" if known else f"{calls:,} calls"
    return found + (f", and no price is known of {', '.join(unknown)}" if unknown else "")
