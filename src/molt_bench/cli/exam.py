"""`molt-bench exam`: the same decisions for everyone, valued by solved games."""

import os
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import click
import msgspec

from molt_bench.agents import permission
from molt_bench.arena import cast, status
from molt_bench.cli import config_flags
from molt_bench.cli.completion import agent_names, config_fields
from molt_bench.cli.live_options import ConnectionOptions
from molt_bench.cli.options import PATH, Printing, printing_options, set_flag
from molt_bench.cli.parser import Command, Number, flag, grouped
from molt_bench.cli.streams import agreed, can_ask, console, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.exam import cost, result, stored_exam, table
from molt_bench.runs import folder
from molt_bench.serve import live_exam

#: As many as an exam may have: `molt_bench.exam.answer_file.MOST_QUESTIONS`.
_QUESTIONS = Number("N", int, lambda value: 1 <= value <= 10_000, "a whole number from 1 to 10,000")
_WHO: Final = "PARTICIPANT"
#: How participants begin that may have a comma in them.
_WITH_COMMAS: Final = ("exec:", "acpc:", "http:", "https:")
#: Who sits the exam beside somebody who is alone.
_COMPANION = "blueprint"


@dataclass(frozen=True, kw_only=True)
class ExamOptions:
    """What is asked of whom."""

    questions: int = flag("Maximum number of questions.", default=400, type=_QUESTIONS)
    secret: bool = flag(
        "Draw new questions from a seed that is revealed at the end, and solve them here: seconds each.", default=False
    )
    config: str | None = flag("YAML or JSON config whose participants are asked.", metavar="FILE", type=PATH)
    assignments: tuple[str, ...] = set_flag(
        "Set any config field, as in stop.budget.maxCostUsd=1; repeatable.", config_fields
    )
    resume_last: bool = flag("Resume the last unfinished exam of the same participants.", "--resume", default=False)
    no_cost_limit: bool = flag("Start an exam that costs money and has no limit without asking first.", default=False)


@click.command(cls=Command)
@click.argument(
    "participants",
    nargs=-1,
    metavar="PARTICIPANT...",
    help="Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL, llm:MODEL, live: an agent that connects by itself, "
    "or you: yourself, in the terminal.",
    shell_complete=agent_names,
)
@grouped(ExamOptions, "options")
@grouped(ConnectionOptions, "connection")
@printing_options
def exam(
    participants: tuple[str, ...], options: ExamOptions, connection: ConnectionOptions, printing: Printing
) -> None:
    """Put the same decisions to everyone, and rank them by what they give away.

    A solved game gives the value of every answer, so the luck of the cards plays no part. Questions come in blocks
    until the order is sure or the money is spent.

    Examples:
      molt-bench exam tag tight --questions 50
      molt-bench exam tag --questions 50 --json
      molt-bench exam live tag --port 8700
    """
    config = _config(participants, options)
    live = any(each.kind.comes for each in config.participants)
    if not live and connection != ConnectionOptions():
        raise click.BadParameter("nobody connects without a live participant, such as live", param_hint=_WHO)
    unfinished = (
        stored_exam.last_exam(config, options.questions, secret=options.secret) if options.resume_last else None
    )
    if unfinished is not None:
        found = stored_exam.StoredExam.open(unfinished, read_only=False)
        if found.answers.header.count != options.questions:
            printing.notice(f"this exam began with at most {found.answers.header.count:,} questions, and keeps that")
    else:
        if options.resume_last:
            printing.notice("no exam of these participants is unfinished, so a new one begins")
        stored_exam.check_depths(config)
        cast.check_participants(config)
        _check_cost(config, options)
        where = folder.new_folder(config)
        found = stored_exam.StoredExam.begin(where, config, options.questions, secret=options.secret)
    printing.notice(f"the exam is in {found.folder}")

    def on_block(known: result.ExamResult) -> None:
        first = ", ".join(f"{each.id} {each.loss:.1f}" for each in known.participants[:5] if each.loss is not None)
        printing.notice(f"{known.asked:,} questions: lost per 100 decisions: {first}")

    with ExitStack() as hosting:  # guests are told that it is over while the result is printed
        try:
            settings = connection.settings(None, stay=connection.stay, on_stop=lambda: None) if live else None
            guests = hosting.enter_context(live_exam.served_exam(found, settings)) if settings is not None else None
            known = found.go_on(
                permission.OWN,
                guests=guests,
                observer=status.Observer(None, warn, None, printing.notice),
                warn=warn,
                on_block=on_block,
                on_solved=lambda count: printing.notice(f"{count:,} questions are solved") if count % 10 == 0 else None,
            )
            if guests is not None:
                guests.close("the exam is over")
        except KeyboardInterrupt:
            print(f"Interrupted. Resume with:\n  {_again(options)}", file=sys.stderr)
            sys.exit(130)
        content = {"examDir": str(found.folder), **msgspec.to_builtins(known), "note": table.MISLEADS}
        printing.answer(content, lambda: table.print_exam(known, console()))


def _again(options: ExamOptions) -> str:
    """Return the command that goes on with this exam."""
    return shlex.join(["molt-bench", *sys.argv[1:], *([] if options.resume_last else ["--resume"])])


def _may_have_commas(participant: str) -> bool:
    """Return whether a participant may be one that has commas: a command, a URL, or a file that is named so."""
    path = participant.rpartition(":")[0]
    return participant.startswith(_WITH_COMMAS) or ("," in path and os.path.exists(path))


def _config(participants: tuple[str, ...], options: ExamOptions) -> BenchmarkConfig:
    """Return the config; somebody who is alone is joined by the reference."""
    if not participants and options.config is None:
        raise click.BadParameter("somebody has to sit the exam, such as tag", param_hint=_WHO)
    joined = next((each for each in participants if "," in each and not _may_have_commas(each)), None)
    if joined is not None:
        message = f"spaces separate participants here; did you mean '{joined.replace(',', ' ')}'?"
        raise click.BadParameter(message, param_hint=_WHO)
    names = [*participants, *([_COMPANION] if len(participants) == 1 and options.config is None else [])]
    flags: dict[str, Any] = {"participants": ",".join(each.replace(",", "\\,") for each in names) or None}
    return config_flags.config_to_run(options.config, flags, options.assignments)


def _check_cost(config: BenchmarkConfig, options: ExamOptions) -> None:
    """Ask whether an exam without a limit may cost what it will, or refuse if nobody can answer."""
    limits = config.stop.budget
    limited = limits is not None and (limits.max_cost_usd is not None or limits.max_tokens is not None)
    if not config.models() or limited or options.no_cost_limit:
        return
    outlay = cost.outlay(config, options.questions)
    asked = f"This exam has no limit of cost (stop.budget.maxCostUsd): {outlay}. Go on?"
    if not can_ask() or not agreed(asked):
        raise click.BadParameter(
            f"a limit is needed, as with --set stop.budget.maxCostUsd=1, or --no-cost-limit: {outlay}",
            param_hint="--set",
        )
