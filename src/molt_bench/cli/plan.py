"""`molt-bench plan`: what a config will take, before it is run."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.options import AsJson, not_negative, positive, probability
from molt_bench.cli.streams import camel_fields, print_json, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.report.analysis import dollars
from molt_bench.runs.stored_run import StoredRun
from molt_bench.study.pilot import Pilot, pilot_of
from molt_bench.study.planner import GAPS, Assumptions, Need, Planner


def plan(
    config: Annotated[str, typer.Argument(metavar="CONFIG", help="YAML or JSON config file.")],
    *,
    pilot: Annotated[
        str | None, typer.Option(metavar="RUN", help="An earlier run to take variance and costs from.")
    ] = None,
    gap: Annotated[
        float | None, typer.Option(metavar="MBB", callback=not_negative, help="Separate two agents this far apart.")
    ] = None,
    interval: Annotated[
        float | None, typer.Option(metavar="MBB", callback=positive, help="Estimate every result to within this.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(callback=probability, help="Confidence; the config's by default.")
    ] = None,
    latency: Annotated[
        float | None,
        typer.Option(metavar="S", callback=positive, help="Seconds per reply; by default the pilot's, or 5."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate what a config will take in hands, calls, dollars and hours before you spend anything."""
    planned = config_from(config)
    warn_ahead(planned)
    learnt = _pilot(pilot, planned) if pilot is not None else None
    planner = Planner(planned, pilot=learnt, confidence=confidence, latency_s=latency)
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
    run = StoredRun.open(folder)
    if _depth(run.config) != _depth(config):
        warn(f"{folder} was played {_depth(run.config):g} big blinds deep, not {_depth(config):g}")
    try:
        return pilot_of(
            run.config, run.result(keep_hands=True), run.exchanges().earlier, estimator=config.rating.estimator
        )
    except ConfigError as error:
        raise ConfigError(error.field, folder, error.expected) from error


def _depth(config: BenchmarkConfig) -> float:
    return config.game.stack / config.game.big_blind


def _plan_table(needs: Sequence[Need], *, models: bool) -> Table:
    """Return the table, at most 80 columns wide."""
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


def _remarks(needs: Sequence[Need], assumed: Assumptions) -> list[str]:
    """Explain what the rows do not: limits, prices, ties."""
    lines = []
    limits = [*dict.fromkeys(need.beyond for need in needs if need.beyond)]
    if limits:
        lines.append(f"* More than stop.budget allows ({', '.join(limits)}): the run would stop first.")
    unpriced = [model.id for model in assumed.models if model.usd_per_call is None]
    if unpriced:
        lines.append(f"No price is known for {', '.join(unpriced)}, which does not make it free: see llm.prices.")
    if any(need.outcome == "tied" for need in needs):
        lines.append(
            f"Tied: confidently within {assumed.tie_margin:g} of each other before they can be ordered "
            "(stop.adjacentConfidence.tieMarginMbb)."
        )
    return lines


def _assumed(assumed: Assumptions) -> str:
    """Describe the assumptions in one sentence."""
    source = (
        f"as in the pilot's {assumed.pilot_seed_pairs:,}" if assumed.pilot_seed_pairs else "a prior from scripted bots"
    )
    parts = [
        f"a seed pair of {assumed.hands:,} hands has a standard deviation of {assumed.deviation:,.0f} "
        f"({source}, {assumed.estimator})",
        *([f"all {assumed.pairings:,} pairings play equally often"] if assumed.pairings > 1 else []),
        f"neighbours are one gap apart, with {100 * assumed.confidence:.4g}% confidence for all of them together, "
        "however often you look",
    ]
    alike: dict[str, list[str]] = {}
    for model in assumed.models:
        calls = (
            f"{model.calls_per_hand:.2g} calls per hand, {model.input_tokens:,.0f} tokens in "
            f"({model.cached_tokens:,.0f} cached), {model.output_tokens:,.0f} out, {model.latency_s:.3g} s "
            f"({'pilot' if model.measured else 'prior'})"
        )
        alike.setdefault(calls, []).append(model.id)
    parts += [f"{' and '.join(names)}: {calls}" for calls, names in alike.items()]
    return f"Assumptions, in thousandths of a big blind per hand: {'; '.join(parts)}."


def _plain_assumptions(assumed: Assumptions) -> dict[str, Any]:
    return {
        "confidence": assumed.confidence,
        "tieMarginMbb": assumed.tie_margin,
        "estimator": assumed.estimator,
        "seedPairSdMbb": assumed.deviation,
        "handsPerSeedPair": assumed.hands,
        "pilotSeedPairs": assumed.pilot_seed_pairs,
        "pairings": assumed.pairings,
        "models": [camel_fields(model) for model in assumed.models],
    }


def _plain_need(need: Need) -> dict[str, Any]:
    fields = camel_fields(need)
    target, beyond = fields.pop("target"), fields.pop("beyond")
    return {"halfWidthMbb" if need.outcome == "interval" else "gapMbb": target, **fields, "beyondBudget": beyond}
