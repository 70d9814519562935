"""The result of a run on the terminal: the verdict, the leaderboard, what it cost, and how to go on."""

import shlex
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from molt_bench.bench.endings import said_of
from molt_bench.rating.verdicts import surely
from molt_bench.report.explanation import units
from molt_bench.report.fitting_table import FittingTable
from molt_bench.report.number_text import dollars, duration, signed
from molt_bench.report.row_types import AgentRow
from molt_bench.report.run_rows import Rows
from molt_bench.report.totals import hands_text, totals, unaccounted_line
from molt_bench.report.verdict import headline, listed, remarks, way_on
from molt_bench.runs.folder import resume_command

#: Rows of the table; of more agents, those at the top and those with something open.
_ROWS: Final = 20
_TOP: Final = 5
#: Remarks that are printed; the others are part of the explanation.
_REMARKS: Final = 3


def print_result(rows: Rows, console: Console, *, folder: str | None = None, explained: bool = False) -> None:
    """Print the verdict, the leaderboard, what was played, what to know of it, where the files are, and how to go on.

    `explained`: everything will be explained, so that nothing is left out here.
    """
    result = rows.result
    if said := headline(rows):
        _say(console, " ".join(said), "bold")
    shown = rows.agents if explained else contested(rows)
    console.print(leaderboard_table(rows, shown))
    if left := len(rows.agents) - len(shown):
        _say(console, f"{left:,} more agents, whose place is certain or who stand lower, are in leaderboard.json.")
    if result.usage:
        console.print(cost_table(rows))
    if result.unaccounted.requests:
        _say(console, unaccounted_line(result))
    if text := _faults(rows):
        _say(console, text)
    if text := units(rows):
        _say(console, text)
    _say(console, _played(rows))
    for each in result.extensions:
        stopped = "" if each.ending is None else f", where it had stopped: {each.ending.said(rows.names)}"
        _say(console, f"Extended after match {each.matches:,}{stopped}.")
    _say(console, f"Stopped: {said_of(result.ending, rows.names)}.")
    told = remarks(rows)
    kept = told if explained else told[:_REMARKS]
    for sentence in kept:
        _say(console, sentence)
    if folder:
        _print_ways(rows, console, folder, more=len(told) - len(kept), explained=explained)


def _print_ways(rows: Rows, console: Console, folder: str, *, more: int, explained: bool) -> None:
    """Print where the files are, how to learn more, and how to go on."""
    console.print(f"Results: {folder}", highlight=False, soft_wrap=True)
    if not explained and rows.result.matches:
        besides = f" ({more:,} more remarks)" if more else ""
        command = f"molt-bench report {shlex.quote(folder)} --explain"
        console.print(f"Every number explained{besides}: {command}", highlight=False, soft_wrap=True)
    flags = way_on(rows)
    if flags is not None:
        command = resume_command(folder, rows.result.config, flags)
        console.print(f"To continue: {command}", highlight=False, soft_wrap=True)


def _faults(rows: Rows) -> str:
    """Say how many faults of each kind agents made; "" if none made any."""
    said = [f"{rows.names[row.id]} ({row.faults_text})" for row in rows.agents if row.faults]
    return f"Faults: {listed(said)}." if said else ""


def _played(rows: Rows) -> str:
    seconds, played = rows.result.seconds, totals(rows.result)
    matches = "match" if played["matches"] == 1 else "matches"
    speed = played["hands"] / seconds if seconds else 0.0
    return (
        f"{played['matches']:,} {matches}, {played['games']:,} games, {hands_text(rows.result)} in "
        f"{duration(seconds)} ({speed:{',.0f' if speed >= 10 else '.2g'}} hands/s)"
    )


def _say(console: Console, text: str, style: str = "") -> None:
    """Print a sentence: on a screen in lines that end between words, elsewhere as one line."""
    console.print(Text(text, style), soft_wrap=not console.is_terminal)


def contested(rows: Rows) -> Sequence[AgentRow]:
    """Return all agents; of very many those at the top, those with something open, and those without a rank."""
    if len(rows.agents) <= _ROWS:
        return rows.agents
    open_ = {name for lead in rows.leads if lead.verdict == "open" for name in (lead.above, lead.below)}
    wanted = [row for at, row in enumerate(rows.agents) if at < _TOP or row.id in open_ or row.rank_range is None]
    return wanted[:_ROWS]


def leaderboard_table(rows: Rows, agents: Sequence[AgentRow]) -> FittingTable:
    """Return the final table: whole in 80 columns, without the least important figures in fewer."""
    rate = "bb/100" if rows.reference is None else "bb/100 v ref"
    headings = ("#", "agent", rate, "±", "sure", "raw", "W-L-D", "faults", "mu±sigma")
    spare = ("mu±sigma", "W-L-D", "raw", "faults", "sure", "±")
    if not rows.by_margins:
        spare = ("raw", "W-L-D", "faults", "±", rate, "sure")
    table = FittingTable(headings, name="agent", spare=spare)
    for row in agents:
        name = rows.names[row.id]
        way = f" ({rows.reply_forms[row.id]})" if rows.mixes_reply_forms and row.id in rows.reply_forms else ""
        half = "-" if row.bb_per_100_half_width is None else f"{row.bb_per_100_half_width:,.1f}"
        sure = "" if row.better_than_next is None else surely(row.better_than_next)
        table.add_row(
            row.rank_text,
            Text(f"{name}{way}"),
            signed(row.bb_per_100),
            "ref" if row.id == rows.reference else half,
            "-" if row.ranked is False else sure,
            signed(row.raw_bb_per_100),
            f"{row.wins}-{row.losses}-{row.draws}",
            str(row.fault_count),
            f"{row.mu:.1f}±{row.sigma:.1f}",
        )
    return table


def cost_table(rows: Rows) -> FittingTable:
    """Return what the language models used: whole in 80 columns, without the least important figures in fewer."""
    headings = ("model", "tok in", "cached", "tok out", "cost", "$/hand", "$/100 dec", "p50 s", "p95 s")
    spare = ("$/100 dec", "cached", "p50 s", "tok in", "tok out", "p95 s", "$/hand")
    table = FittingTable(headings, name="model", spare=spare)
    for name, row in rows.costs.items():
        usage = row.usage
        table.add_row(
            Text(rows.names[name]),
            _count(usage.input_tokens),
            f"{usage.cached_tokens / usage.input_tokens:.0%}" if usage.input_tokens else "-",
            _count(usage.output_tokens),
            dollars(usage.cost_usd) if usage.cost_usd is not None or usage.replies else "-",
            *("-" if usd is None else dollars(usd) for usd in (row.usd_per_hand, row.usd_per_100_decisions)),
            *("-" if seconds is None else f"{seconds:.1f}" for seconds in (usage.latency_p50_s, usage.latency_p95_s)),
        )
    return table


def _count(tokens: int) -> str:
    """Format a number of tokens in at most six characters."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            return f"{tokens / unit:.3g}{name}"
    return str(tokens)
