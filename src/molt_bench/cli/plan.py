"""`molt-bench plan`: what a config will take, before it is run."""

from collections.abc import Sequence
from typing import Any

import click

from molt_bench.cli.completion import run_folders
from molt_bench.cli.config_flags import config_from, problems_of, warn_ahead
from molt_bench.cli.options import ConfigOptions, config_options, json_option
from molt_bench.cli.parser import NOT_NEGATIVE, Command, grouped
from molt_bench.cli.run import BenchmarkOptions
from molt_bench.cli.streams import VisibleConsole, camel_fields, print_json, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, raise_all
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.fitting_table import FittingTable
from molt_bench.report.number_text import dollars
from molt_bench.runs.run import Run
from molt_bench.study.before_a_run import what_the_budget_shows
from molt_bench.study.pilot import ModelNeeds, Pilot, pilot_of
from molt_bench.study.plan import Plan, Price


@click.command(cls=Command)
@config_options
@grouped(BenchmarkOptions, "benchmark")
@click.option(
    "--pilot", metavar="RUN", help="An earlier run to take variance and costs from.", shell_complete=run_folders
)
@click.option(
    "--gap",
    metavar="MBB",
    type=NOT_NEGATIVE,
    help="What it takes to order two agents that are this far apart; 10 mbb are 1 bb/100.",
)
@json_option
def plan(
    config_file: ConfigOptions, benchmark: BenchmarkOptions, pilot: str | None, gap: float | None, *, as_json: bool
) -> None:
    """Estimate what a config will take in hands, calls, dollars and hours before you spend anything.

    The first line says what its budget can show. The flags are those of run.

    Examples:
      molt-bench plan bench.yaml
      molt-bench plan --participants tag,llm:openai:gpt-4.1 --max-matches 40
      molt-bench plan bench.yaml --pilot benchmark-results/2026-01-31T12-00-00
      molt-bench plan bench.yaml --gap 100
    """
    file = config_file.required() if benchmark.participants is None else config_file.path()
    config = config_from(file, benchmark.fields(), benchmark.assignments)
    raise_all(problems_of(config, around=False))
    warn_ahead(config)
    planned = Plan(config, _pilot(pilot, config) if pilot is not None else None)
    most = planned.affordable()
    rows = {"match": planned.price(1), "opening": planned.price(planned.opening)}
    budget = None if most is None else planned.price(most)
    needs = None if gap is None else planned.deciding(gap)
    if as_json:
        shown = None if most is None else planned.shown_by(most)
        needed = (
            [] if needs is None else [{"gapMbb": gap, "outcome": needs[0], **camel_fields(planned.price(needs[1]))}]
        )
        found = {"gapMbb": None if shown is None else shown[0], **camel_fields(budget)} if budget is not None else None
        about = {name: camel_fields(price) for name, price in rows.items()}
        print_json({"assumed": _assumed(planned), **about, "budget": found, "needs": needed})
        return
    rows |= {} if budget is None else {"budget": budget}
    remarks = ["opening: every pairing plays the least number of seed pairs (scheduler.minSeedPairs)."]
    if gap is not None and needs is not None:
        name = f"gap {gap / MBB_PER_BB100:,.6g}"
        rows[name] = planned.price(needs[1])
        remarks.append(f"{name}: until two that are so many bb/100 apart are {needs[0]}.")
    if most is not None and any(price.matches > most for price in rows.values()):
        remarks.append("* More than stop.budget allows: the run would stop first.")
    if unpriced := [each.id for each in planned.models if each.usd_per_call is None]:
        remarks.append(f"No price is known for {', '.join(unpriced)}, which does not make it free: see llm.prices.")
    screen = VisibleConsole()
    if said := what_the_budget_shows(config, planned):
        screen.print(f"{said[0].upper()}{said[1:]}.")
    screen.print(_table(rows, models=bool(planned.models), most=most))
    for line in (*remarks, _assumptions(planned)):
        screen.print(line)


def _pilot(folder: str, config: BenchmarkConfig) -> Pilot:
    run = Run.open(folder)
    for note in run.notes:
        warn(note)
    then, now = (each.game.stack / each.game.big_blind for each in (run.config, config))
    if then != now:
        warn(f"{folder} was played {then:g} big blinds deep, not {now:g}")
    try:
        return pilot_of(run.config, run.result(), run.replies().earlier, estimator=config.rating.estimator)
    except ConfigError as error:
        raise ConfigError(error.field, folder, error.expected) from error


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
    """Say the same in one sentence."""
    config, count = plan.config, len(plan.pairs)
    source = f"as in the pilot's {plan.pilot.seed_pairs:,}" if plan.pilot.variances else "assumed"
    parts = [
        f"a seed pair of {2 * config.game.hands_per_game:,} hands has a standard deviation of "
        f"{plan.deviation / MBB_PER_BB100:,.0f} ({source}, {config.rating.estimator})",
        *([f"all {count:,} pairings play equally often"] if count > 1 else []),
    ]
    alike: dict[str, list[str]] = {}
    for model in plan.models:
        use, (least, most) = model.use, model.use.output_range
        spread = f" ({least:,.0f} to {most:,.0f})" if least < most else ""
        calls = (
            f"{use.calls_per_hand:.2g} calls per hand, {use.input_tokens:,.0f} tokens in "
            f"({use.cached_tokens:,.0f} cached), {use.output_tokens:,.0f} out{spread}, {model.latency_s:.3g} s "
            f"({'pilot' if model.measured else 'assumed'}; {model.asked})"
        )
        alike.setdefault(calls, []).append(model.id)
    parts += [f"{' and '.join(names)}: {calls}" for calls, names in alike.items()]
    return f"Assumptions, in bb/100: {'; '.join(parts)}."


def _table(rows: dict[str, Price], *, models: bool, most: int | None) -> FittingTable:
    """Return what each row takes; `most` are the matches that the budget allows."""
    headings = ("", "matches", "games", "hands", *(("calls", "dollars") if models else ()), "hours")
    table = FittingTable(headings, name="", spare=headings[:1:-1])
    for name, price in rows.items():
        counts: Sequence[int] = (price.matches, price.games, price.hands, *((price.calls,) if models else ()))
        # An unknown price is not free.
        usd = dollars(price.usd) + (" + ?" if price.usd is not None and price.unpriced else "")
        hours = _short(price.hours) if price.hours >= 100 else f"{price.hours:.2g}" if price.hours >= 0.01 else "<0.01"
        beyond = "*" if most is not None and price.matches > most else ""
        table.add_row(name + beyond, *map(_short, counts), *((usd,) if models else ()), hours)
    return table


def _short(count: float) -> str:
    """Format a number in at most six characters."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 10 * unit:
            return f"{count / unit:.3g}{name}" if count < 1000 * unit else f"{count / unit:,.0f}{name}"
    return f"{count:,.0f}"
