"""The tables and remarks of `molt-bench plan`."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from molt_bench.records import MBB_PER_BB100
from molt_bench.report.costs import dollars
from molt_bench.study.budget_reach import Bought
from molt_bench.study.planner import Assumptions, Need
from molt_bench.study.whole_run import RUNS, WholeRun


def budget_table(found: Sequence[Bought], *, both: bool) -> Table:
    """Return what a budget buys, at most 80 columns wide; `both` if hands and dollars are limited."""
    models = bool(found[0].assumed.models)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("policy", overflow="fold", max_width=22)
    for heading in ("pair-\nings", "seed\npairs", "hands", *(("dollars",) if models else ()), "gap"):
        table.add_column(heading, justify="right", no_wrap=True)
    if both:
        table.add_column("limit", no_wrap=True)
    for each in found:
        need, scheduler = each.need, each.way.config.scheduler
        policy = scheduler.policy + (f" ({scheduler.reference})" if scheduler.reference is not None else "")
        if need is None:
            dear = each.limit == "dollars"
            cells = ["-", "-" if dear else f">={each.least:,.0f}", *([f">={dollars(each.least)}" if dear else "-"])]
        else:
            cells = [f"{need.seed_pairs:,}", _short(need.hands), _dollars(need)]
        table.add_row(
            policy + ("*" if need is not None and need.beyond else ""),
            f"{each.assumed.pairings:,}",
            *(cells if models else cells[:2]),
            "-" if need is None else f"{(need.target or 0.0) / MBB_PER_BB100:,.3g}",
            *([each.limit] if both else []),
        )
    return table


def budget_remarks(found: Sequence[Bought]) -> list[str]:
    """Explain what a gap is, and what the rows are."""
    tie = found[0].assumed.tie_margin / MBB_PER_BB100
    lines = [
        "Gap: neighbours this far apart will be ordered, closer ones left open or called tied "
        f"(within {tie:g}), in bb/100."
    ]
    if any(each.need is None for each in found):
        least = found[0].way.config.scheduler.min_seed_pairs
        lines.append(f">= is what the opening takes: {least} seed pairs of every pairing (scheduler.minSeedPairs).")
    limits = [*dict.fromkeys(each.need.beyond for each in found if each.need is not None and each.need.beyond)]
    if limits:
        lines.append(f"* More than stop.budget allows ({', '.join(limits)}): the run would stop first.")
    gauntlets = [each for each in found if each.way.config.scheduler.reference is not None]
    if gauntlets:
        name = gauntlets[0].way.config.scheduler.reference
        added = ", a built-in bot that would be added" if gauntlets[0].way.added else ""
        lines.append(f"gauntlet ({name}): everybody is ordered by what it wins from {name} alone{added}.")
    return lines


def plan_table(needs: Sequence[Need], whole: WholeRun | None, *, models: bool) -> Table:
    """Return the table, at most 80 columns wide."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("gap", "outcome", "seed pairs", "games", "hands"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("calls", "dollars", "hours", "one by one") if models else ("hours",):
        table.add_column(heading, justify="right", no_wrap=True)
    gaps = [
        (f"{'±' if each.outcome == 'interval' else ''}{(each.target or 0.0) / MBB_PER_BB100:,.6g}", each)
        for each in needs
    ]
    for gap, need in (*_rows_of(whole), *gaps):
        table.add_row(
            gap,
            need.outcome + ("*" if need.beyond else ""),
            f"{need.seed_pairs:,}",
            _short(need.games),
            _short(need.hands),
            *(
                (_short(need.calls), _dollars(need), _hours(need.hours), _hours(need.hours_one_by_one))
                if models
                else (_hours(need.hours),)
            ),
        )
    return table


def _rows_of(whole: WholeRun | None) -> list[tuple[str, Need]]:
    """Return the rows of the whole run: the number where it is known, or else the range."""
    if whole is None:
        return []
    return [("least", whole.least), ("most", whole.most)] if whole.number is None else [("-", whole.number)]


def plan_remarks(needs: Sequence[Need], whole: WholeRun | None, assumed: Assumptions, shown: str | None) -> list[str]:
    """Explain what the rows do not: the whole run, limits, prices, ties; `shown` is what the budget can show."""
    lines = []
    if whole is not None:
        lines.append(_about_whole(whole))
    if shown is not None:
        lines.append(f"The budget: {shown}.")
    limits = [*dict.fromkeys(need.beyond for need in (*[each for _, each in _rows_of(whole)], *needs) if need.beyond)]
    if limits:
        lines.append(f"* More than stop.budget allows ({', '.join(limits)}): the run would stop first.")
    unpriced = [model.id for model in assumed.models if model.usd_per_call is None]
    if unpriced:
        lines.append(f"No price is known for {', '.join(unpriced)}, which does not make it free: see llm.prices.")
    if any(need.outcome == "tied" for need in needs):
        lines.append(
            f"Tied: confidently within {assumed.tie_margin / MBB_PER_BB100:g} bb/100 before they can be ordered "
            "(stop.adjacentConfidence.tieMarginMbb)."
        )
    return lines


def _about_whole(whole: WholeRun) -> str:
    """Say what the whole run takes: a number if it is known, or else the range, and the pilot that narrows it."""
    said = "Decided: every two neighbours are ordered or tied."
    if whole.most.matches <= whole.pilot_matches:
        return f"{said} The pilot has decided it, with {_short(whole.most.hands)} hands."
    basis = "this line-up as the pilot knows it" if whole.by_pilot else "players as unlike as usual"
    ends = dict.fromkeys(_short(each.hands) for each in (whole.least, whole.most))
    took = f"{RUNS} simulated runs with {basis} took {' to '.join(ends)} hands"
    if whole.number is not None:
        return f"{said} That takes about {_short(whole.number.hands)} hands: {took}."
    advice = f"Play a pilot of {whole.advised:,} matches, which the run can continue,"
    if whole.pilot_matches:
        advice = f"Play on to {whole.advised:,} matches"
    elif whole.by_pilot:
        advice = f"This run cannot continue that pilot: play one of {whole.advised:,} matches with this config"
    return f"{said} How many hands that takes is not known: {took}. {advice} and plan again."


def assumptions(assumed: Assumptions) -> str:
    """Describe the assumptions in one sentence."""
    source = (
        f"as in the pilot's {assumed.pilot_seed_pairs:,}" if assumed.pilot_seed_pairs else "a prior from scripted bots"
    )
    parts = [
        f"a seed pair of {assumed.hands:,} hands has a standard deviation of "
        f"{assumed.deviation / MBB_PER_BB100:,.0f} ({source}, {assumed.estimator})",
        *([f"all {assumed.pairings:,} pairings play equally often"] if assumed.pairings > 1 else []),
        f"neighbours are one gap apart, with {100 * assumed.confidence:.4g}% confidence in "
        f"{'all of them together' if assumed.familywise else 'each of them'}, looking after every round",
    ]
    alike: dict[str, list[str]] = {}
    for model in assumed.models:
        least, most = model.output_range
        spread = f" ({least:,.0f} to {most:,.0f})" if least < most else ""
        calls = (
            f"{model.calls_per_hand:.2g} calls per hand, {model.input_tokens:,.0f} tokens in "
            f"({model.cached_tokens:,.0f} cached), {model.output_tokens:,.0f} out{spread}, {model.latency_s:.3g} s "
            f"({'pilot' if model.measured else 'prior'}; {model.asked})"
        )
        alike.setdefault(calls, []).append(model.id)
    parts += [f"{' and '.join(names)}: {calls}" for calls, names in alike.items()]
    return f"Assumptions, in bb/100: {'; '.join(parts)}."


def _dollars(need: Need) -> str:
    """Format the dollars; an unknown price is not free."""
    if need.usd is None or not need.unpriced:
        return dollars(need.usd)
    return f"{dollars(need.usd)} + ?"


def _short(count: float) -> str:
    """Format a number in at most six characters."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 10 * unit:
            return f"{count / unit:.3g}{name}" if count < 1000 * unit else f"{count / unit:,.0f}{name}"
    return f"{count:,.0f}"


def _hours(hours: float) -> str:
    return _short(hours) if hours >= 100 else f"{hours:.2g}" if hours >= 0.01 else "<0.01"
