"""Deciding: what a run will take before it is started, and whether a new one is worse than an old one."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from math import isfinite
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.cli.piping import readers_may_leave
from molt_bench.cli.streams import print_json
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.report.costs import dollars
from molt_bench.runs.folder import journal_in, opened, recorder_in
from molt_bench.study.comparison import Comparison, Difference, Run, compare
from molt_bench.study.pilot import Pilot, pilot_of
from molt_bench.study.planner import GAPS, Assumptions, Need, Planner

#: The exit status where two runs cannot be compared.
_NOT_COMPARED: Final = 3


def show_plan(
    config: BenchmarkConfig,
    *,
    pilot: str | None,
    gap: float | None,
    interval: float | None,
    confidence: float | None,
    latency_s: float | None,
    as_json: bool,
) -> None:
    """Print what a config will take, by the gap that is to be seen."""
    learnt = _pilot(pilot, config) if pilot is not None else None
    planner = Planner(config, pilot=learnt, confidence=confidence, latency_s=latency_s)
    gaps = GAPS if gap is None and interval is None else () if gap is None else (gap,)
    needs = [planner.to_separate(each) for each in gaps]
    needs += [] if interval is None else [planner.to_interval(interval)]
    if as_json:
        print_json({"assumed": _plain_assumptions(planner.assumed), "needs": [*map(_plain_need, needs)]})
        return
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(_plan_table(needs, models=bool(planner.assumed.models)))
    for line in _remarks(needs, planner.assumed):
        console.print(line)
    console.print(_assumed(planner.assumed))


def _pilot(folder: str, config: BenchmarkConfig) -> Pilot:
    path = journal_in(folder).parent
    earlier, content = opened(str(path))
    recorder = recorder_in(path, content, read_only=True)
    with redirect_stdout(sys.stderr):  # agents asked for their policy may print
        result = run_benchmark(earlier, known=content, recorder=recorder, play=False)
    if _depth(earlier) != _depth(config):
        _warn(f"{folder} was played {_depth(earlier):g} big blinds deep, not {_depth(config):g}")
    try:
        return pilot_of(earlier, result, recorder.earlier, estimator=config.rating.estimator)
    except ConfigError as error:
        raise ConfigError(error.field, folder, error.expected) from error


def _depth(config: BenchmarkConfig) -> float:
    return config.game.stack / config.game.big_blind


def _plan_table(needs: Sequence[Need], *, models: bool) -> Table:
    """Return the table; it fits in 80 columns."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("gap", "outcome", "seed pairs", "games", "hands"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("calls", "dollars", "hours", "one by one") if models else ("hours",):
        table.add_column(heading, justify="right", no_wrap=True)
    for need in needs:
        sign = "±" if need.outcome == "interval" else ""
        table.add_row(
            f"{sign}{need.target:,.6g}",
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


def _dollars(need: Need) -> str:
    """Write the dollars; what has no price is not free."""
    if need.usd is None or not need.unpriced:
        return dollars(need.usd)
    return f"{dollars(need.usd)} + ?"


def _short(count: float) -> str:
    """Write a number in at most six characters."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 10 * unit:
            return f"{count / unit:.3g}{name}" if count < 1000 * unit else f"{count / unit:,.0f}{name}"
    return f"{count:,.0f}"


def _hours(hours: float) -> str:
    return _short(hours) if hours >= 100 else f"{hours:.2g}" if hours >= 0.01 else "<0.01"


def _remarks(needs: Sequence[Need], assumed: Assumptions) -> list[str]:
    """Say what the rows do not: limits, prices, ties."""
    said = []
    limits = [*dict.fromkeys(need.beyond for need in needs if need.beyond)]
    if limits:
        said.append(f"* More than stop.budget allows ({', '.join(limits)}): the run would end before.")
    unpriced = [model.id for model in assumed.models if model.usd_per_call is None]
    if unpriced:
        said.append(f"No price is known of {', '.join(unpriced)}, which does not make it free: see llm.prices.")
    if any(need.outcome == "tied" for need in needs):
        said.append(
            f"Tied: surely within {assumed.tie_margin:g} of each other, before an order is sure "
            "(stop.adjacentConfidence.tieMarginMbb)."
        )
    return said


def _assumed(assumed: Assumptions) -> str:
    """Say in one sentence what is assumed."""
    source = (
        f"as in the pilot's {assumed.pilot_seed_pairs:,}" if assumed.pilot_seed_pairs else "a prior from scripted bots"
    )
    said = [
        f"a seed pair of {assumed.hands:,} hands varies by {assumed.deviation:,.0f} ({source}, {assumed.estimator})",
        *([f"all {assumed.pairings:,} pairings play equally often"] if assumed.pairings > 1 else []),
        f"neighbours are one gap apart, and to be {100 * assumed.confidence:.4g}% sure, all together and however often "
        "one looks",
    ]
    alike: dict[str, list[str]] = {}
    for model in assumed.models:
        needs = (
            f"asked {model.calls_per_hand:.2g} times a hand, {model.input_tokens:,.0f} tokens in "
            f"({model.cached_tokens:,.0f} cached), {model.output_tokens:,.0f} out, {model.latency_s:.3g} s "
            f"({'pilot' if model.measured else 'prior'})"
        )
        alike.setdefault(needs, []).append(model.id)
    said += [f"{' and '.join(names)}: {needs}" for needs, names in alike.items()]
    return f"Assumed, in thousandths of a big blind a hand: {'; '.join(said)}."


def _plain_assumptions(assumed: Assumptions) -> dict[str, Any]:
    return {
        "confidence": assumed.confidence,
        "tieMarginMbb": assumed.tie_margin,
        "estimator": assumed.estimator,
        "seedPairSdMbb": assumed.deviation,
        "handsPerSeedPair": assumed.hands,
        "pilotSeedPairs": assumed.pilot_seed_pairs,
        "pairings": assumed.pairings,
        "models": [
            {
                "id": model.id,
                "callsPerHand": model.calls_per_hand,
                "inputTokens": model.input_tokens,
                "cachedTokens": model.cached_tokens,
                "outputTokens": model.output_tokens,
                "latencyS": model.latency_s,
                "usdPerCall": model.usd_per_call,
                "measured": model.measured,
            }
            for model in assumed.models
        ],
    }


def _plain_need(need: Need) -> dict[str, Any]:
    return {
        "halfWidthMbb" if need.outcome == "interval" else "gapMbb": need.target,
        "outcome": need.outcome,
        "seedPairs": need.seed_pairs,
        "matches": need.matches,
        "games": need.games,
        "hands": need.hands,
        "calls": need.calls,
        "tokens": need.tokens,
        "usd": need.usd,
        "unpriced": list(need.unpriced),
        "hours": need.hours,
        "hoursOneByOne": need.hours_one_by_one,
        "beyondBudget": need.beyond,
    }


def compare_runs(
    old: str,
    new: str,
    *,
    agents: Sequence[str],
    within: float,
    fail_below: float | None,
    strict: bool,
    confidence: float,
    as_json: bool,
) -> None:
    """Print how a new run differs from an old one; exit with status 1 if that is a failure.

    Raises:
        MoltBenchError: They cannot be compared; its status is 3, so that nobody takes that for a failure.
    """
    try:
        pairs = [_both_ids(text) for text in agents]
        # Before any run is opened, since that changes to the folder where it was started.
        before, after = journal_in(old).parent, journal_in(new).parent
        found = compare(_run(old, before), _run(new, after), agents=pairs, confidence=confidence, within=within)
    except MoltBenchError as error:
        error.status = _NOT_COMPARED
        raise
    failed = [
        each
        for each in found.differences
        if fail_below is not None and (not each.kept(fail_below) if strict else each.lost(fail_below))
    ]
    content = {
        "old": old,
        "new": new,
        "estimator": found.estimator,
        "confidence": confidence,
        "withinMbb": within,
        "agents": [_plain_difference(each, confidence) for each in found.differences],
        "failBelowMbb": fail_below,
        "strict": strict,
        "failed": [each.new_id for each in failed],
        "warnings": list(found.warnings),
    }
    with readers_may_leave():
        if as_json:
            print_json(content)
        else:
            _print_comparison(found, confidence=confidence, within=within)
    for warning in () if as_json else found.warnings:
        _warn(warning)
    for each in failed:
        sure = f"{100 * confidence:.4g}% sure"
        said = f"it is not {sure} that it did not lose" if strict else f"it is {sure} that it lost"
        print(f"molt-bench: {each.name}: {said} more than {fail_below:,.6g} mbb a hand", file=sys.stderr)
    if failed:
        sys.exit(1)


def _both_ids(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not old or bool(equals) != bool(new) or "=" in new:
        raise ConfigError("--agent", text, "an id, or OLD_ID=NEW_ID")
    return old, new or old


def _run(name: str, path: Path) -> Run:
    config, content = opened(str(path))
    recorder = recorder_in(path, content, read_only=True)
    with redirect_stdout(sys.stderr):  # agents asked for their policy may print
        result = run_benchmark(config, known=content, recorder=recorder, play=False)
    return Run(name, config, result, content.header.source_hashes, recorder.skills)


def _print_comparison(found: Comparison, *, confidence: float, within: float) -> None:
    console = Console(markup=False, emoji=False, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("agent", overflow="fold", max_width=22)
    for heading in ("opponents", "seed pairs", "old", "new", "change"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(f"±{100 * confidence:.4g}%", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for each in found.differences:
        half = each.change.half_width(confidence)
        table.add_row(
            Text(each.name),
            str(len(each.opponents)),
            " / ".join(f"{count:,}" for count in each.seed_pairs),
            f"{each.old:+,.0f}",
            f"{each.new:+,.0f}",
            f"{each.change.mean:+,.0f}",
            f"{half:,.0f}" if isfinite(half) else "-",
            f"within {within:g}" if each.verdict == "within" else each.verdict,
        )
    console.print(table)
    how = (
        "Seed pair by seed pair on the same cards"
        if all(each.paired for each in found.differences)
        else "On different cards, so not pair by pair"
        if not any(each.paired for each in found.differences)
        else "On the same cards, but those with two numbers of seed pairs"
    )
    console.print(f"{how}; in thousandths of a big blind a hand ({found.estimator}).")


def _plain_difference(each: Difference, confidence: float) -> dict[str, Any]:
    low, high = each.change.interval(confidence)
    return {
        "oldId": each.old_id,
        "newId": each.new_id,
        "opponents": dict(each.opponents),
        "paired": each.paired,
        "seedPairs": list(each.seed_pairs),
        "oldMbb": each.old,
        "newMbb": each.new,
        "changeMbb": each.change.mean,
        "lowMbb": low if isfinite(low) else None,
        "highMbb": high if isfinite(high) else None,
        "verdict": each.verdict,
    }


def _warn(warning: str) -> None:
    print(f"molt-bench: warning: {warning}", file=sys.stderr)
