"""`molt-bench plan`: what a config will take, before it is run."""

from dataclasses import dataclass
from typing import Any

import click
from rich.table import Table

from molt_bench.cli.completion import run_folders
from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.options import ConfigOptions, config_options, json_option
from molt_bench.cli.parser import CONFIDENCE, COUNT, NOT_NEGATIVE, POSITIVE, Command, flag, grouped
from molt_bench.cli.plan_tables import (
    assumptions,
    budget_remarks,
    budget_table,
    plan_remarks,
    plan_table,
)
from molt_bench.cli.run_result import notes_on
from molt_bench.cli.streams import camel_fields, console, print_json, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.stored_run import StoredRun
from molt_bench.study.before_a_run import what_the_budget_shows
from molt_bench.study.budget_reach import Bought, what_it_buys
from molt_bench.study.pilot import Pilot, pilot_of
from molt_bench.study.planner import GAPS, Assumptions, Need, Planner, PlannerOptions
from molt_bench.study.whole_run import WholeRun, whole_run


@dataclass(frozen=True, kw_only=True)
class PlanFlags:
    """What is asked of a plan, and what it assumes."""

    pilot: str | None = flag(
        "An earlier run to take variance and costs from.", metavar="RUN", shell_complete=run_folders
    )
    gap: float | None = flag(
        "What it takes to order two agents that are this far apart; 10 mbb are 1 bb/100.",
        metavar="MBB",
        type=NOT_NEGATIVE,
    )
    interval: float | None = flag(
        "What it takes to know every result to within this much.", metavar="MBB", type=POSITIVE
    )
    usd: float | None = flag("Say what this much money buys.", "--dollars", metavar="USD", type=POSITIVE)
    hands: int | None = flag("Say what this many hands buy.", type=COUNT)
    confidence: float | None = flag("Confidence; the config's by default.", type=CONFIDENCE)
    latency: float | None = flag("Seconds per reply; by default the pilot's, or 5.", metavar="S", type=POSITIVE)

    def by_budget(self) -> bool:
        """Return whether a budget is given rather than a goal; both are wrong usage."""
        found = self.usd is not None or self.hands is not None
        for name, goal in (("--gap", self.gap), ("--interval", self.interval)):
            if found and goal is not None:
                raise click.BadParameter("cannot be used with --dollars or --hands", param_hint=name)
        return found


@click.command(cls=Command)
@config_options
@grouped(PlanFlags, "flags")
@json_option
def plan(config_file: ConfigOptions, flags: PlanFlags, *, as_json: bool) -> None:
    """Estimate what a config will take in hands, calls, dollars and hours before you spend anything.

    With --dollars or --hands, it says what a budget buys: for each way to spend it, the smallest gap between two agents
    that the run can tell apart.

    Examples:
      molt-bench plan bench.yaml
      molt-bench plan bench.yaml --pilot benchmark-results/2026-01-31T12-00-00 --gap 100
      molt-bench plan bench.yaml --hands 100000
    """
    by_budget = flags.by_budget()
    planned = config_from(config_file.required())
    warn_ahead(planned)
    settings: PlannerOptions = {
        "pilot": _pilot(flags.pilot, planned) if flags.pilot is not None else None,
        "confidence": flags.confidence,
        "latency_s": flags.latency,
    }
    if by_budget:
        found = what_it_buys(planned, hands=flags.hands, usd=flags.usd, **settings)
        assumed = found[0].assumed
        budget, ways = {"hands": flags.hands, "usd": flags.usd}, [_plain_bought(each) for each in found]
        content = {"budget": budget, "assumed": _plain_assumptions(assumed), "ways": ways}
        table, remarks = (
            budget_table(found, both=flags.hands is not None and flags.usd is not None),
            budget_remarks(found),
        )
    else:
        planner = Planner(planned, **settings)
        assumed = planner.assumed
        content, table, remarks = _by_gaps(planner, flags)
    if as_json:
        print_json(content)
        return
    screen = console()
    for each in (table, *remarks, assumptions(assumed)):
        screen.print(each)


def _by_gaps(planner: Planner, flags: PlanFlags) -> tuple[dict[str, Any], Table, list[str]]:
    """Return what the whole run and the gaps take: for programs, as a table, and what is remarked on it."""
    gaps = GAPS if flags.gap is None and flags.interval is None else () if flags.gap is None else (flags.gap,)
    whole = whole_run(planner) if gaps == GAPS else None
    needs = [planner.to_separate(each) for each in gaps]
    needs += [] if flags.interval is None else [planner.to_interval(flags.interval)]
    content = {
        "assumed": _plain_assumptions(planner.assumed),
        "wholeRun": None if whole is None else _plain_whole(whole),
        "needs": [_plain_need(each) for each in needs],
    }
    shown = what_the_budget_shows(planner.config, planner)
    table = plan_table(needs, whole, models=bool(planner.assumed.models))
    return content, table, plan_remarks(needs, whole, planner.assumed, shown)


def _pilot(folder: str, config: BenchmarkConfig) -> Pilot:
    run = StoredRun.open(folder)
    for note in notes_on(run.content, run.folder / JOURNAL):
        warn(note)
    then, now = (each.game.stack / each.game.big_blind for each in (run.config, config))
    if then != now:
        warn(f"{folder} was played {then:g} big blinds deep, not {now:g}")
    try:
        return pilot_of(
            run.config, run.result(keep_hands=True), run.exchanges().earlier, estimator=config.rating.estimator
        )
    except ConfigError as error:
        raise ConfigError(error.field, folder, error.expected) from error


def _plain_bought(each: Bought) -> dict[str, Any]:
    scheduler, need = each.way.config.scheduler, each.need
    return {
        "policy": scheduler.policy,
        "reference": scheduler.reference,
        "referenceAdded": each.way.added,
        "pairings": each.assumed.pairings,
        "limit": each.limit,
        "least": each.least,
        "buys": None if need is None else _plain_need(need),
    }


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


def _plain_whole(whole: WholeRun) -> dict[str, Any]:
    return {
        "number": None if whole.number is None else _plain_need(whole.number),
        "least": _plain_need(whole.least),
        "most": _plain_need(whole.most),
        "pilotMatches": whole.pilot_matches,
        "advisedPilotMatches": whole.advised,
    }


def _plain_need(need: Need) -> dict[str, Any]:
    fields = camel_fields(need)
    target, beyond = fields.pop("target"), fields.pop("beyond")
    return {"halfWidthMbb" if need.outcome == "interval" else "gapMbb": target, **fields, "beyondBudget": beyond}
