"""Costs: what the language models of a run used, in figures that can be compared."""

import msgspec

from molt_bench.bench.result import AgentUsage, RunResult


class CostNumbers(msgspec.Struct, frozen=True):
    """The figures of one language model.

    Attributes:
        usage: What it used.
        usd_per_hand: Dollars per hand it played; None if no price is known.
        usd_per_100_decisions: Dollars per 100 decisions.
    """

    usage: AgentUsage
    usd_per_hand: float | None
    usd_per_100_decisions: float | None


def cost_numbers(result: RunResult) -> list[CostNumbers]:
    """Return the figures of all language models, in the order of the leaderboard."""
    order = {rating.id: at for at, rating in enumerate(result.leaderboard)}
    rows = []
    for usage in sorted(result.usage, key=lambda usage: order[usage.id]):
        hands = sum(
            game.dealt
            for match in result.matches
            if usage.id in match.participants
            for pair in match.result.seed_results
            for game in pair.games
        )
        usd = usage.cost_usd
        rows.append(
            CostNumbers(
                usage,
                usd / hands if usd is not None and hands else None,
                100 * usd / usage.decisions if usd is not None and usage.decisions else None,
            )
        )
    return rows


def dollars(amount: float | None) -> str:
    """Format an amount with as many digits as needed; without a price it is not free.

    >>> dollars(12.345), dollars(0.00123), dollars(0.0), dollars(None)
    ('$12.35', '$0.0012', '$0', 'unpriced')
    """
    if amount is None:
        return "unpriced"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.2g}"
