"""`molt-bench plan`: what a config will take, before it is run."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import click

from molt_bench.cli.completion import run_folders
from molt_bench.cli.config_flags import config_from, problems_of, warn_ahead
from molt_bench.cli.options import ConfigOptions, config_options, json_option
from molt_bench.cli.parser import NOT_NEGATIVE, POSITIVE, Command, flag, grouped
from molt_bench.cli.plan_tables import assumptions, plan_remarks, plan_sentences, plan_table
from molt_bench.cli.run import BenchmarkOptions
from molt_bench.cli.streams import camel_fields, console, print_json, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, raise_all
from molt_bench.records import MBB_PER_BB100
from molt_bench.runs.run import Run
from molt_bench.study.pilot import Pilot, pilot_of
from molt_bench.study.plan import Plan


@dataclass(frozen=True, kw_only=True)
class PlanFlags:
    """What is asked of a plan, and what it knows."""

    pilot: str | None = flag(
        "An earlier run to take variance and costs from; if it began this config, also what is left of it.",
        metavar="RUN",
        shell_complete=run_folders,
    )
    gap: float | None = flag(
        "What it takes to order two agents that are this far apart; 10 mbb are 1 bb/100.",
        metavar="MBB",
        type=NOT_NEGATIVE,
    )
    latency: float | None = flag("Seconds per reply; by default the pilot's, or 5.", metavar="S", type=POSITIVE)


@click.command(cls=Command)
@config_options
@grouped(BenchmarkOptions, "benchmark")
@grouped(PlanFlags, "flags")
@json_option
def plan(config_file: ConfigOptions, benchmark: BenchmarkOptions, flags: PlanFlags, *, as_json: bool) -> None:
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
    pilot = _pilot(flags.pilot, config) if flags.pilot is not None else None
    planned = Plan(config, pilot=pilot, latency_s=flags.latency)
    most = planned.affordable()
    gaps = [] if flags.gap is None else [(flags.gap, *planned.deciding(flags.gap))]
    rows = [("match", planned.price(1)), ("opening", planned.price(planned.opening))]
    rows += [] if most is None else [("budget", planned.price(most))]
    rows += [(f"gap {gap / MBB_PER_BB100:,.6g}", planned.price(matches)) for gap, _, matches in gaps]
    if as_json:
        print_json(_plain(planned, most, gaps))
        return
    screen = console()
    for line in plan_sentences(planned):
        screen.print(line)
    screen.print(plan_table(rows, models=bool(planned.models), most=most))
    beyond = most is not None and any(price.matches > most for _, price in rows)
    for line in plan_remarks(planned, [(gap, outcome) for gap, outcome, _ in gaps], beyond=beyond):
        screen.print(line)
    screen.print(assumptions(planned))


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


def _plain(planned: Plan, most: int | None, gaps: list[tuple[float, Any, int]]) -> dict[str, Any]:
    config, shown, run = planned.config, None if most is None else planned.shown_by(most), planned.to_decide()
    needs = [{"gapMbb": gap, "outcome": said, **camel_fields(planned.price(matches))} for gap, said, matches in gaps]
    gap = None if shown is None else shown[0]
    return {
        "assumed": {
            "estimator": config.rating.estimator,
            "seedPairSdMbb": planned.deviation,
            "handsPerSeedPair": 2 * config.game.hands_per_game,
            "pilotSeedPairs": 0 if planned.pilot is None else planned.pilot.seed_pairs,
            "pairings": len(planned.pairs),
            "models": [camel_fields(model) for model in planned.models],
        },
        "match": camel_fields(planned.price(1)),
        "opening": camel_fields(planned.price(planned.opening)),
        "budget": None if most is None else {"gapMbb": gap, **camel_fields(planned.price(most))},
        "needs": needs,
        "run": None if run is None else {"hands": run[0], "times": run[1] if isfinite(run[1]) else None},
    }
