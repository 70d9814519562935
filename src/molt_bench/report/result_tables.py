"""The result of a run on the terminal: leaderboard, reference bots, costs and faults, as tables."""

from collections.abc import Mapping
from math import isfinite

from rich.console import Console
from rich.text import Text

from molt_bench.bench.endings import said_of
from molt_bench.rating.verdicts import surely
from molt_bench.report.analysis import Analysis
from molt_bench.report.claims import disagreements, sentences, way_on
from molt_bench.report.costs import CostNumbers, cost_numbers, dollars, unaccounted_line
from molt_bench.report.explanation import raw_and_corrected
from molt_bench.report.fitting_table import FittingTable
from molt_bench.report.headline import headline
from molt_bench.report.number_text import duration, signed
from molt_bench.report.totals import hands_text, played_games, totals
from molt_bench.runs.folder import resume_command


def print_result(found: Analysis, console: Console, *, folder: str | None = None) -> None:
    """Print the leaderboard, how much was played, why it stopped, the headline, and where the files are."""
    result = found.result
    console.print(leaderboard_table(found))
    if found.measured_against is not None and found.reference is None:
        console.print(reference_table(found, found.measured_against))
    if result.usage:
        console.print(cost_table(cost_numbers(found), found.shown))
        print_faults(found, console)
    if result.unaccounted.requests:
        _say(console, unaccounted_line(result))
    played = totals(result)
    matches = "match" if played["matches"] == 1 else "matches"
    warmup = sum(game.spec.warmup_hands for game in played_games(result.matches))
    hands_per_second = played["hands"] / result.seconds if result.seconds else 0.0
    console.print(
        f"{played['matches']:,} {matches}, {played['games']:,} games, {hands_text(played['hands'], warmup)} in "
        f"{duration(result.seconds)} ({hands_per_second:{',.0f' if hands_per_second >= 10 else '.2g'}} hands/s)",
        highlight=False,
    )
    if result.matches:
        times = found.hands_by_chips
        saved = (
            f" By chips alone, this would take {times:.1f} times the hands."
            if times is not None and times >= 1.1
            else ""
        )
        _say(console, f"{raw_and_corrected(found)}{saved}")
    for sentence in sentences(found):
        _say(console, sentence)
    for stage in result.history:
        stopped = "" if stage.ending is None else f", where it had stopped: {stage.ending.said(found.shown)}"
        _say(console, f"Extended after match {stage.matches:,}{stopped}.")
    _say(console, f"Stopped: {said_of(result.ending, found.shown)}.")
    if said := headline(found):
        _say(console, " ".join(said), "bold")
        for sentence in disagreements(found):
            _say(console, sentence)
    if folder:
        console.print(f"Results: {folder}", highlight=False, soft_wrap=True)
        flags = way_on(found)
        if flags is not None:
            command = resume_command(folder, result.config, flags)
            console.print(f"To continue: {command}", highlight=False, soft_wrap=True)


def _say(console: Console, text: str, style: str = "") -> None:
    """Print a sentence: on a screen in lines that end between words, elsewhere as one line."""
    console.print(Text(text, style), soft_wrap=not console.is_terminal)


def leaderboard_table(found: Analysis) -> FittingTable:
    """Return the final table: whole in 80 columns, without the least important figures in fewer."""
    rate = "bb/100" if found.reference is None else "bb/100 v ref"
    headings = (rate, "±", "sure", "raw", "W-L-D", "faults", "mu±sigma")
    spare = ("mu±sigma", "W-L-D", "raw", "faults", "sure", "±")
    if not found.by_margins:
        spare = ("raw", "W-L-D", "faults", "±", rate, "sure")
    table = FittingTable("agent", *headings, before=["#"], spare=spare)
    for row in found.rows:
        rating = row.rating
        table.add_row(
            row.rank_text(),
            Text(f"{_name(found, rating.id)}"),
            "-" if row.bb_per_100 is None else _signed(row.bb_per_100),
            "ref" if row.reference else f"{row.half_width:.1f}" if isfinite(row.half_width) else "-",
            "-" if not row.ranked else "" if row.better_than_next is None else surely(row.better_than_next),
            "-" if row.raw is None else _signed(row.raw[0]),
            f"{rating.wins}-{rating.losses}-{rating.draws}",
            str(sum(row.faults.values())),
            f"{rating.mu:.1f}±{rating.sigma:.1f}",
        )
    return table


def _name(found: Analysis, name: str) -> str:
    """Return the name of a row; with how the model was asked, where that differs."""
    way = found.reply_forms.get(name) if found.mixes_reply_forms else None
    return found.shown[name] if way is None else f"{found.shown[name]} ({way})"


def reference_table(found: Analysis, reference: str) -> FittingTable:
    """Return what everybody wins from the one that all are measured against, in their own games alone."""
    table = FittingTable("agent", "bb/100 v ref", "±", width=40)
    for row in found.rows:
        cells = ["ref" if row.rating.id == reference else "-", ""]
        if row.from_reference is not None:
            won, half_width = row.from_reference
            cells = [_signed(won), f"{half_width:.1f}"]
        table.add_row(Text(_name(found, row.rating.id)), *cells)
    return table


def cost_table(rows: list[CostNumbers], names: Mapping[str, str]) -> FittingTable:
    """Return what the language models used: whole in 80 columns, without the least important figures in fewer."""
    headings = ("tok in", "cached", "tok out", "cost", "$/hand", "$/100 dec", "p50 s", "p95 s")
    spare = ("$/100 dec", "cached", "p50 s", "tok in", "tok out", "p95 s", "$/hand")
    table = FittingTable("model", *headings, spare=spare)
    for row in rows:
        usage = row.usage
        table.add_row(
            Text(names[usage.id]),
            _count(usage.input_tokens),
            f"{usage.cached_tokens / usage.input_tokens:.0%}" if usage.input_tokens else "-",
            _count(usage.output_tokens),
            dollars(usage.cost_usd) if usage.cost_usd is not None or usage.replies else "-",
            "-" if row.usd_per_hand is None else dollars(row.usd_per_hand),
            "-" if row.usd_per_100_decisions is None else dollars(row.usd_per_100_decisions),
            _seconds(usage.latency_p50_s),
            _seconds(usage.latency_p95_s),
        )
    return table


def print_faults(found: Analysis, console: Console) -> None:
    """Print how language models were asked, and their faults by kind."""
    numbers = {row.rating.id: row for row in found.rows}
    for usage in found.result.usage:
        faults = numbers[usage.id].faults
        said = ", ".join(f"{count} {kind}" for kind, count in sorted(faults.items())) or "no faults"
        line = f"{found.shown[usage.id]}: {usage.exchanges:,} calls ({found.reply_forms[usage.id]}), {said}"
        _say(console, line)


def _signed(value: float) -> str:
    """Format big blinds in at most six characters, or seven from 100,000 on.

    >>> _signed(12.34), _signed(-2593.5), _signed(-0.01)
    ('+12.3', '-2594', '0.0')
    """
    return signed(value) if abs(value) < 1000 else f"{value:+.0f}"


def _count(tokens: int) -> str:
    """Format a number of tokens in at most six characters."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            return f"{tokens / unit:.3g}{name}"
    return str(tokens)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
