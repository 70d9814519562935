"""What language models cost, in figures that can be compared."""

from decimal import Decimal

import msgspec

from molt_bench.bench.result import AgentUsage, RunResult
from molt_bench.report.analysis import Analysis
from molt_bench.report.totals import played_games


class CostNumbers(msgspec.Struct, frozen=True):
    """What one language model used, in figures that can be compared; None if no price is known."""

    usage: AgentUsage
    usd_per_hand: float | None
    usd_per_100_decisions: float | None


def cost_numbers(found: Analysis) -> list[CostNumbers]:
    """Return the figures of all language models, in the order of the leaderboard."""
    result, rows = found.result, []
    for usage in sorted(result.usage, key=lambda usage: found.order.index(usage.id)):
        hands = sum(game.dealt for game in played_games([m for m in result.matches if usage.id in m.participants]))
        usd = usage.cost_usd
        rows.append(
            CostNumbers(
                usage,
                usd / hands if usd is not None and hands else None,
                100 * usd / usage.decisions if usd is not None and usage.decisions else None,
            )
        )
    return rows


def unaccounted_line(result: RunResult) -> str:
    """Say what may have been spent besides: on requests that were sent, and whose cost nobody said."""
    lost = result.unaccounted
    requests = f"{lost.requests:,} request{'' if lost.requests == 1 else 's'}"
    most = f"up to {dollars(lost.usd)}" if lost.usd else f"up to {lost.tokens:,} tokens"
    return f"unaccounted: {requests}, {most}: sent, and no answer was read that says what they cost."


def dollars(amount: float | None) -> str:
    """Format an amount with as many digits as needed; without a price it is not free.

    >>> dollars(12.345), dollars(0.00123), dollars(0.000057), dollars(0.0), dollars(None)
    ('$12.35', '$0.0012', '$0.000057', '$0', 'unpriced')
    """
    if amount is None:
        return "unpriced"
    return f"${amount:,.2f}" if amount >= 1 else f"${Decimal(f'{amount:.2g}'):f}"
