"""`molt-bench compare`: is a new run better or worse than an old one?"""

import sys
from collections.abc import Sequence
from math import isfinite
from typing import Annotated, Any, Final

import msgspec
import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from molt_bench.cli.options import AsJson, not_negative, positive, probability
from molt_bench.cli.streams import print_json, tolerate_closed_pipe, warn
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.runs.header import recorded_harnesses
from molt_bench.runs.stored_run import StoredRun
from molt_bench.study import comparison
from molt_bench.study.comparison import Comparison, Difference, Run

#: The exit status of runs that cannot be compared.
_NOT_COMPARED: Final = 3


class VerdictOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What counts as a difference, and as a failure."""

    within: Annotated[
        float, typer.Option(metavar="MBB", callback=positive, help="Differences up to this do not matter.")
    ] = 250.0
    fail_below: Annotated[
        float | None,
        typer.Option(metavar="MBB", callback=not_negative, help="Exit with status 1 if an agent certainly lost more."),
    ] = None
    strict: Annotated[
        bool, typer.Option("--strict", help="With --fail-below: status 1 unless certainly none lost more.")
    ] = False
    confidence: Annotated[float, typer.Option(callback=probability, help="Confidence of the verdicts.")] = 0.95

    def failed(self, each: Difference) -> bool:
        """Return whether an agent's change is a failure."""
        if self.fail_below is None:
            return False
        return not each.kept(self.fail_below) if self.strict else each.lost(self.fail_below)


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="Folder of the earlier run.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Folder of the later run.")],
    *,
    agent: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Agent to compare: ID, or OLD_ID=NEW_ID; repeatable.")
    ] = None,
    verdict: VerdictOptions,
    as_json: AsJson = False,
) -> None:
    """Test whether a new run is better or worse than an old one, on the same cards where possible.

    Exit status: 0 if all is well, 1 for a loss by --fail-below, 2 for wrong usage,
    3 if there is nothing to compare (no such folder, an unreadable run, an unknown agent).
    """
    if verdict.strict and verdict.fail_below is None:
        raise typer.BadParameter("requires --fail-below", param_hint="--strict")
    try:
        found = _comparison(old, new, agent or [], verdict)
    except MoltBenchError as error:
        error.status = _NOT_COMPARED
        raise
    failed = [each for each in found.differences if verdict.failed(each)]
    with tolerate_closed_pipe():
        if as_json:
            runs = {"old": old, "new": new}
            print_json({**runs, **_plain_comparison(found, verdict, failed), "warnings": list(found.warnings)})
        else:
            _print_comparison(found, confidence=verdict.confidence, within=verdict.within)
    for warning in () if as_json else found.warnings:
        warn(warning)
    for each in failed:
        sure = f"{100 * verdict.confidence:.4g}% certain"
        reason = f"it is not {sure} that it did not lose" if verdict.strict else f"it is {sure} that it lost"
        print(f"molt-bench: {each.name}: {reason} more than {verdict.fail_below:,.6g} mbb per hand", file=sys.stderr)
    if failed:
        sys.exit(1)


def _comparison(old: str, new: str, agents: Sequence[str], verdict: VerdictOptions) -> Comparison:
    ids = [_both_ids(text) for text in agents]
    return comparison.compare(_run(old), _run(new), agents=ids, confidence=verdict.confidence, within=verdict.within)


def _both_ids(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not old or bool(equals) != bool(new) or "=" in new:
        raise ConfigError("--agent", text, "an id, or OLD_ID=NEW_ID")
    return old, new or old


def _run(folder: str) -> Run:
    stored = StoredRun.open(folder)
    skills = stored.exchanges().skills
    harnesses = recorded_harnesses(stored.header)
    return Run(folder, stored.config, stored.result(), stored.header.source_hashes, skills, harnesses)


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
        "Paired by seed on the same cards"
        if all(each.paired for each in found.differences)
        else "On different cards, so unpaired"
        if not any(each.paired for each in found.differences)
        else "On the same cards, except rows with two numbers of seed pairs"
    )
    console.print(f"{how}; in thousandths of a big blind per hand ({found.estimator}).")


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


def _plain_comparison(found: Comparison, verdict: VerdictOptions, failed: Sequence[Difference]) -> dict[str, Any]:
    return {
        "estimator": found.estimator,
        "confidence": verdict.confidence,
        "withinMbb": verdict.within,
        "agents": [_plain_difference(each, verdict.confidence) for each in found.differences],
        "failBelowMbb": verdict.fail_below,
        "strict": verdict.strict,
        "failed": [each.new_id for each in failed],
    }
