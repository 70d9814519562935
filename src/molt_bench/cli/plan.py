"""`molt-bench plan`: what a config will take, before it is run."""

from collections.abc import Mapping
from typing import Any

import click

from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.console import VisibleConsole
from molt_bench.cli.options import RUN_FOLDER, BenchmarkOptions, json_option
from molt_bench.cli.parser import Command, grouped, set_by
from molt_bench.cli.streams import camel_fields, print_json, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.fitting_table import FittingTable
from molt_bench.report.number_text import dollars
from molt_bench.runs.run import Run
from molt_bench.study.before_a_run import what_the_budget_shows
from molt_bench.study.pilot import ModelNeeds, Pilot, pilot_of
from molt_bench.study.plan import Plan, Price


@click.command(cls=Command)
@grouped(BenchmarkOptions, "benchmark")
@click.option("--pilot", metavar="RUN", type=RUN_FOLDER, help="An earlier run to take variance and costs from.")
@json_option
def plan(benchmark: BenchmarkOptions, pilot: str | None, *, as_json: bool) -> None:
    """Estimate what a config will take in hands, calls, dollars and hours before you spend anything.

    The first line says what its budget can show. The flags are those of run. With a run of the same config, the row
    `order` says what it takes until every two neighbours are ordered or tied.

    Examples:
      molt-bench plan bench.yaml
      molt-bench plan --participants tag,llm:openai:gpt-4.1 --max-matches 40
      molt-bench plan bench.yaml --pilot benchmark-results/2026-01-31T12-00-00
    """
    benchmark.check()
    config = config_from(benchmark.path(), set_by(benchmark), benchmark.assignments, players=True)
    warn_ahead(config)
    planned = Plan(config) if pilot is None else Plan(config, _pilot(pilot, config))
    most, deciding = planned.affordable(), planned.pilot.deciding
    matches = {"match": 1, "opening": planned.opening, "budget": most, "order": deciding}
    rows = {name: None if count is None else planned.price(count) for name, count in matches.items()}
    if as_json:
        shown = None if most is None else planned.shown_by(most)
        prices = {name: None if price is None else camel_fields(price) for name, price in rows.items()}
        print_json({"gapMbb": None if shown is None else shown[0], **prices, "assumed": _assumed(planned)})
        return
    screen = VisibleConsole()
    if said := what_the_budget_shows(config, planned):
        screen.print(f"{said[0].upper()}{said[1:]}.")
    screen.print(_table(rows, models=bool(planned.models), most=most))
    for line in (*_remarks(planned, rows, most), _assumptions(planned)):
        screen.print(line)


def _pilot(folder: str, config: BenchmarkConfig) -> Pilot:
    run = Run.open(folder)
    for note in run.notes:
        warn(note)
    then, now = (each.game.stack / each.game.big_blind for each in (run.config, config))
    if then != now:
        warn(f"{folder} was played {then:g} big blinds deep, not {now:g}")
    try:
        return pilot_of(run.result(), run.replies().earlier, config)
    except ConfigError as error:
        raise ConfigError(error.field, folder, error.expected) from error


def _table(rows: Mapping[str, Price | None], *, models: bool, most: int | None) -> FittingTable:
    """Return what each row takes; `most` are the matches that the budget allows."""
    headings = ("", "matches", "games", "hands", *(("calls", "dollars") if models else ()), "hours")
    table = FittingTable(headings, name="", spare=headings[:1:-1])
    for name, price in rows.items():
        if price is not None:
            counts = (price.matches, price.games, price.hands, *((price.calls,) if models else ()))
            # An unknown price is not free.
            usd = dollars(price.usd) + (" + ?" if price.usd is not None and price.unpriced else "")
            hours = f"{price.hours:.2g}" if price.hours >= 0.01 else "<0.01"
            beyond = "*" if most is not None and price.matches > most else ""
            table.add_row(name + beyond, *map(_short, counts), *((usd,) if models else ()), hours)
    return table


def _remarks(plan: Plan, rows: Mapping[str, Price | None], most: int | None) -> list[str]:
    """Say what the rows are, and what is not in them."""
    found = ["opening: every pairing plays the least number of seed pairs (scheduler.minSeedPairs)."]
    if rows["order"] is not None:
        found.append("order: until every two neighbours are ordered or tied, if the pilot's leads stay as they are.")
    if most is not None and any(price is not None and price.matches > most for price in rows.values()):
        found.append("* More than stop.budget allows: the run would stop first.")
    if unpriced := [each.id for each in plan.models if each.usd_per_call is None]:
        found.append(f"No price is known for {', '.join(unpriced)}, which does not make it free: see llm.prices.")
    return found


def _assumed(plan: Plan) -> dict[str, Any]:
    return {
        "estimator": plan.config.rating.estimator,
        "seedPairSdMbb": plan.deviation,
        "handsPerSeedPair": 2 * plan.config.game.hands_per_game,
        "pilotSeedPairs": plan.pilot.seed_pairs,
        "pairings": len(plan.pairs),
        "models": [_model(each) for each in plan.models],
    }


def _model(needs: ModelNeeds) -> dict[str, Any]:
    fields = camel_fields(needs)
    return {**camel_fields(fields.pop("use")), **fields}


def _assumptions(plan: Plan) -> str:
    """Say what is assumed in one sentence."""
    config, count = plan.config, len(plan.pairs)
    source = "assumed" if plan.pilot.deviation is None else f"as in the pilot's {plan.pilot.seed_pairs:,}"
    parts = [
        f"a seed pair of {2 * config.game.hands_per_game:,} hands has a standard deviation of "
        f"{plan.deviation / MBB_PER_BB100:,.0f} ({source}, {config.rating.estimator})",
        *([f"all {count:,} pairings play equally often"] if count > 1 else []),
    ]
    alike: dict[str, list[str]] = {}
    for model in plan.models:
        alike.setdefault(_calls(model), []).append(model.id)
    parts += [f"{' and '.join(names)}: {calls}" for calls, names in alike.items()]
    return f"Assumptions, in bb/100: {'; '.join(parts)}."


def _calls(model: ModelNeeds) -> str:
    use = model.use
    return (
        f"{use.calls_per_hand:.2g} calls per hand, {use.input_tokens:,.0f} tokens in "
        f"({use.cached_tokens:,.0f} cached), {use.output_tokens:,.0f} out, {model.latency_s:.3g} s "
        f"({'pilot' if model.measured else 'assumed'}; {model.asked})"
    )


def _short(count: float) -> str:
    """Format a number in at most six characters."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 10 * unit:
            return f"{count / unit:.3g}{name}" if count < 1000 * unit else f"{count / unit:,.0f}{name}"
    return f"{count:,.0f}"
