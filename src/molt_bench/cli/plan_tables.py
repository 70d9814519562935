"""The table and the sentences of `molt-bench plan`."""

from collections.abc import Sequence
from math import isfinite

from rich import box
from rich.table import Table

from molt_bench.records import MBB_PER_BB100
from molt_bench.report.number_text import dollars
from molt_bench.study.before_a_run import what_the_budget_shows
from molt_bench.study.plan import Outcome, Plan, Price

#: From so many hands on, nobody plays what it takes.
_NEVER = 1e9


def plan_table(rows: Sequence[tuple[str, Price]], *, models: bool, most: int | None) -> Table:
    """Return what each row takes, at most 80 columns wide; `most` are the matches that the budget allows."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("matches", "games", "hands", *(("calls", "dollars") if models else ()), "hours"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, price in rows:
        cells = [_short(price.matches), _short(price.games), _short(price.hands)]
        cells += [_short(price.calls), _dollars(price)] if models else []
        beyond = most is not None and price.matches > most
        table.add_row(name + ("*" if beyond else ""), *cells, _hours(price.hours))
    return table


def plan_sentences(plan: Plan) -> list[str]:
    """Say what the budget shows, and what it takes to decide a run that the pilot begins: the most useful first."""
    shown = what_the_budget_shows(plan.config, plan)
    lines = [f"{shown[0].upper()}{shown[1:]}."] if shown is not None else []
    run = plan.to_decide()
    if run is not None:
        hands, times = run
        more = (times - 1) * hands
        said = f"about {_short(more)} more would decide every two neighbours, if every lead stays as it is"
        if times == 1:
            said = "every two neighbours are decided"
        elif not isfinite(times):
            said = "too few to say how many more would decide every two neighbours"
        elif more > _NEVER:
            said = "more than anybody plays would decide every two neighbours, if every lead stays as it is"
        lines.append(f"The pilot begins this run with {hands:,} hands: {said}.")
    return lines


def plan_remarks(plan: Plan, gaps: Sequence[tuple[float, Outcome]], *, beyond: bool) -> list[str]:
    """Explain the rows: what they are, limits, prices."""
    lines = ["opening: every pairing plays the least number of seed pairs (scheduler.minSeedPairs)."]
    for gap, outcome in gaps:
        lines.append(f"gap {gap / MBB_PER_BB100:,.6g}: until two that are so many bb/100 apart are {outcome}.")
    if beyond:
        lines.append("* More than stop.budget allows: the run would stop first.")
    unpriced = [each.id for each in plan.models if each.usd_per_call is None]
    if unpriced:
        lines.append(f"No price is known for {', '.join(unpriced)}, which does not make it free: see llm.prices.")
    return lines


def assumptions(plan: Plan) -> str:
    """Describe the assumptions in one sentence."""
    config, count = plan.config, len(plan.pairs)
    source = (
        "assumed" if plan.pilot is None or not plan.pilot.variances else f"as in the pilot's {plan.pilot.seed_pairs:,}"
    )
    parts = [
        f"a seed pair of {2 * config.game.hands_per_game:,} hands has a standard deviation of "
        f"{plan.deviation / MBB_PER_BB100:,.0f} ({source}, {config.rating.estimator})",
        *([f"all {count:,} pairings play equally often"] if count > 1 else []),
    ]
    alike: dict[str, list[str]] = {}
    for model in plan.models:
        least, most = model.output_range
        spread = f" ({least:,.0f} to {most:,.0f})" if least < most else ""
        calls = (
            f"{model.calls_per_hand:.2g} calls per hand, {model.input_tokens:,.0f} tokens in "
            f"({model.cached_tokens:,.0f} cached), {model.output_tokens:,.0f} out{spread}, {model.latency_s:.3g} s "
            f"({'pilot' if model.measured else 'assumed'}; {model.asked})"
        )
        alike.setdefault(calls, []).append(model.id)
    parts += [f"{' and '.join(names)}: {calls}" for calls, names in alike.items()]
    return f"Assumptions, in bb/100: {'; '.join(parts)}."


def _dollars(price: Price) -> str:
    """Format the dollars; an unknown price is not free."""
    return dollars(price.usd) + (" + ?" if price.usd is not None and price.unpriced else "")


def _short(count: float) -> str:
    """Format a number in at most six characters."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 10 * unit:
            return f"{count / unit:.3g}{name}" if count < 1000 * unit else f"{count / unit:,.0f}{name}"
    return f"{count:,.0f}"


def _hours(hours: float) -> str:
    return _short(hours) if hours >= 100 else f"{hours:.2g}" if hours >= 0.01 else "<0.01"
