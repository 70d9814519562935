"""`molt-bench plan`: what a config will take, before it is run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
from rich import box
from rich.table import Table

from molt_bench.agents.llm.money.expected_use import COMPREHENSION
from molt_bench.cli.completion import run_folders
from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.options import ConfigOptions, config_options, json_option
from molt_bench.cli.output import notes_on
from molt_bench.cli.parser import CONFIDENCE, COUNT, NOT_NEGATIVE, POSITIVE, Command, flag, grouped
from molt_bench.cli.streams import camel_fields, console, print_json, warn
from molt_bench.config.participants import REFERENCES
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.report.costs import dollars
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.stored_run import StoredRun
from molt_bench.study.pilot import AGAINST_REFERENCE, Pilot, has_reference, pilot_of
from molt_bench.study.planner import GAPS, Assumptions, Need, Planner, PlannerOptions
from molt_bench.study.purchase import WITH_DICE, Bought, what_it_buys


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What is asked of a plan, and what it assumes."""

    pilot: str | None = flag(
        "An earlier run to take variance and costs from.", metavar="RUN", shell_complete=run_folders
    )
    gap: float | None = flag("Separate two agents this far apart.", metavar="MBB", type=NOT_NEGATIVE)
    interval: float | None = flag("Estimate every result to within this.", metavar="MBB", type=POSITIVE)
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
@config_options()
@grouped(PlanOptions, "options")
@json_option
def plan(config_file: ConfigOptions, options: PlanOptions, *, as_json: bool) -> None:
    """Estimate what a config will take in hands, calls, dollars and hours before you spend anything.

    With --dollars or --hands: what a budget buys, as the smallest gap that can be told apart for each way to spend it.

    Examples:
      molt-bench plan bench.yaml
      molt-bench plan bench.yaml --pilot benchmark-results/2026-01-31T12-00-00 --gap 100
      molt-bench plan bench.yaml --hands 100000
    """
    by_budget = options.by_budget()
    planned = config_from(config_file.required())
    warn_ahead(planned)
    settings: PlannerOptions = {
        "pilot": _pilot(options.pilot, planned) if options.pilot is not None else None,
        "confidence": options.confidence,
        "latency_s": options.latency,
    }
    if by_budget:
        found = what_it_buys(planned, hands=options.hands, usd=options.usd, **settings)
        _print_budget(found, options.hands, options.usd, as_json=as_json)
        return
    planner = Planner(planned, **settings)
    gap, interval = options.gap, options.interval
    gaps = GAPS if gap is None and interval is None else () if gap is None else (gap,)
    needs = [planner.to_separate(each) for each in gaps]
    needs += [] if interval is None else [planner.to_interval(interval)]
    if as_json:
        print_json({"assumed": _plain_assumptions(planner.assumed), "needs": [*map(_plain_need, needs)]})
        return
    screen = console()
    screen.print(_plan_table(needs, models=bool(planner.assumed.models)))
    for line in [*_remarks(needs, planner.assumed), *_about_reference([planned], planner.assumed)]:
        screen.print(line)
    screen.print(_assumed(planner.assumed))


def _print_budget(found: Sequence[Bought], hands: int | None, usd: float | None, *, as_json: bool) -> None:
    """Print what a budget buys in each way."""
    own = found[0].assumed
    if as_json:
        budget = {"hands": hands, "usd": usd}
        ways = [_plain_bought(each) for each in found]
        print_json({"budget": budget, "assumed": _plain_assumptions(own), "ways": ways})
        return
    screen = console()
    screen.print(_budget_table(found, models=bool(own.models), both=hands is not None and usd is not None))
    for line in [*_budget_remarks(found), *_about_reference([each.way.config for each in found], own)]:
        screen.print(line)
    screen.print(_assumed(own))


def _budget_table(found: Sequence[Bought], *, models: bool, both: bool) -> Table:
    """Return what a budget buys; at most 80 columns wide."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("policy", overflow="fold", max_width=22)
    if models:
        table.add_column("harness", no_wrap=True)
    for heading in ("pair-\nings", "seed\npairs", "hands", *(("dollars",) if models else ()), "gap"):
        table.add_column(heading, justify="right", no_wrap=True)
    if both:
        table.add_column("limit", no_wrap=True)
    for each in found:
        need = each.need
        if need is None:
            dear = each.limit == "dollars"
            cells = ["-", "-" if dear else f">={each.least:,.0f}", *([f">={dollars(each.least)}" if dear else "-"])]
        else:
            cells = [f"{need.seed_pairs:,}", _short(need.hands), _dollars(need)]
        table.add_row(
            _policy(each) + ("*" if need is not None and need.beyond else ""),
            *([each.way.harness] if models else []),
            f"{each.assumed.pairings:,}",
            *(cells if models else cells[:2]),
            "-" if need is None else f"{need.target:,.3g}" if need.target < 100 else f"{need.target:,.0f}",
            *([each.limit] if both else []),
        )
    return table


def _policy(each: Bought) -> str:
    scheduler = each.way.config.scheduler
    return scheduler.policy if scheduler.reference is None else f"{scheduler.policy} ({scheduler.reference})"


def _budget_remarks(found: Sequence[Bought]) -> list[str]:
    """Explain what a gap is, and what each way assumes."""
    tie = found[0].assumed.tie_margin
    lines = [
        "Gap: neighbours this far apart will be ordered, closer ones left open or called tied "
        f"(within {tie:g}), in thousandths of a big blind per hand."
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
    if any(each.way.harness == "log-probs" for each in found):
        lines.append(
            "log-probs: the probabilities of a model's replies count as its published dice. Assumed: the same tokens, "
            f"{WITH_DICE[1]:.0%} of the variance left against a built-in bot and {WITH_DICE[2]:.0%} between two models "
            "that decide before they explain."
        )
    if any(each.way.harness == "no comprehension" for each in found):
        lines.append(
            f"no comprehension: assumed to spare {COMPREHENSION.input} tokens in and {COMPREHENSION.output} out a call."
        )
    return lines


def _about_reference(configs: Sequence[BenchmarkConfig], assumed: Assumptions) -> list[str]:
    """Say what is assumed of the pairings of the built-in reference, if it plays and there is no pilot."""
    if assumed.pilot_seed_pairs or not any(has_reference(config) for config in configs):
        return []
    played = {each.type for config in configs for each in config.participants}
    names = " or ".join([name for name in REFERENCES if name in played])
    return [f"Pairings with {names}: assumed to have {AGAINST_REFERENCE:.0%} of the variance of others (AIVAT)."]


def _plain_bought(each: Bought) -> dict[str, Any]:
    scheduler, need = each.way.config.scheduler, each.need
    return {
        "policy": scheduler.policy,
        "reference": scheduler.reference,
        "referenceAdded": each.way.added,
        "harness": each.way.harness,
        "pairings": each.assumed.pairings,
        "varianceLeft": each.way.variance,
        "limit": each.limit,
        "least": each.least,
        "buys": None if need is None else _plain_need(need),
    }


def _pilot(folder: str, config: BenchmarkConfig) -> Pilot:
    run = StoredRun.open(folder)
    for note in notes_on(run.content, run.folder / JOURNAL):
        warn(note)
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
            f"({'pilot' if model.measured else 'prior'}; {model.harness})"
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
