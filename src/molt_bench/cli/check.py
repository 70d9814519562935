"""`molt-bench check`: is an agent fit to play, and if not, why?"""

import sys
from typing import Any, Final

import click
from rich.text import Text

from molt_bench.agents.kinds import box_label, kind_of
from molt_bench.arena.cast import greeted
from molt_bench.cli.agent_argument import AgentOptions, maker_of
from molt_bench.cli.console import VisibleConsole
from molt_bench.cli.options import Printing, printing_options
from molt_bench.cli.parser import COUNT, POSITIVE, Command, grouped
from molt_bench.cli.streams import camel_fields, notice
from molt_bench.errors import ConfigError
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.specs import NO_BOX, ParticipantSpec
from molt_bench.testing import SEATINGS, SPARRING_PARTNERS, TABLES, AgentReport, check_agent
from molt_bench.visible_text import printable

#: Defaults: hands against each opponent at each table, and seconds per answer.
_HANDS: Final = 60
_TIMEOUT_S: Final = 10.0
#: A language model is paid per call, so it meets one opponent, for this many hands at each table.
_MODEL_HANDS: Final = 2
_MODEL_PARTNERS: Final = ("maniac",)
#: Approximate decisions per hand.
_CALLS_PER_HAND: Final = 4


@click.command(cls=Command)
@grouped(AgentOptions, "wanted")
@click.option("--hands", type=COUNT, help="Hands against each opponent at each table.")
@click.option("--timeout-s", metavar="S", type=POSITIVE, help="Seconds per answer.")
@printing_options
def check(wanted: AgentOptions, *, hands: int | None, timeout_s: float | None, printing: Printing) -> None:
    """Check whether an agent is fit to play: faults, speed, repeatability; status 1 if it is not.

    With --quiet, print nothing about an agent that is fit.

    Examples:
      molt-bench check tag
      molt-bench check my_bot.py:make --hands 20 --json
    """
    spec = wanted.spec()
    if kind_of(spec.type).in_person:
        raise ConfigError("AGENT", wanted.agent, "an agent that answers by itself")
    try:
        report = _run_checks(spec, hands=hands, timeout_s=timeout_s, printing=printing)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    told = printing if report.ok else Printing(as_json=printing.as_json)
    told.answer(_plain(wanted.agent, report), lambda: _print(report))
    if not report.ok:
        sys.exit(1)


def _run_checks(
    spec: ParticipantSpec, *, hands: int | None, timeout_s: float | None, printing: Printing
) -> AgentReport:
    model = kind_of(spec.type).paid
    partners = _MODEL_PARTNERS if model else SPARRING_PARTNERS
    each = hands or (_MODEL_HANDS if model else _HANDS)
    limit_s = timeout_s if model or timeout_s is not None else _TIMEOUT_S
    make = maker_of(spec, timeout_s=limit_s)
    if model:
        calls = each * _CALLS_PER_HAND * (len(TABLES) * len(partners) * len(SEATINGS) + 4)
        if not printing.quiet:  # it costs money, so it is told with --json, too
            notice(f"{spec.id} will be called about {calls:,} times; --hands changes that")
    # A server or a model that is not there, or code that cannot be loaded in its box, fails before the first game.
    kind = kind_of(spec.type)
    boxed_code = kind.takes_params and box_label(spec) not in (None, NO_BOX)
    if kind.remote or boxed_code:
        run_in_new_loop(greeted(spec.id, getattr(make(), "greet", None)))
    return check_agent(make=make, hands=each, action_timeout_s=limit_s or _TIMEOUT_S, partners=partners)


def _print(report: AgentReport) -> None:
    screen = VisibleConsole(soft_wrap=True)
    first, _, rest = printable(str(report)).partition("\n")
    screen.print(Text(first, "bold green" if report.ok else "bold red"))
    screen.print(Text(rest))


def _plain(name: str, report: AgentReport) -> dict[str, Any]:
    faults = [camel_fields(fault) for fault in report.examples]
    for fault in faults:
        fault["traceback"] = fault.pop("trace") or None
    return {
        "participant": name,
        "name": report.name,
        "fit": report.ok,
        "checks": [
            {"claim": each.claim, "ok": not each.problems, "required": each.required, "problems": [*each.problems]}
            for each in report.checks
        ],
        "faults": faults,
        "decisions": report.decisions,
        "latencyMs": {
            "median": 1000 * report.latency.median,
            "p95": 1000 * report.latency.p95,
            "slowest": 1000 * report.latency.slowest,
        },
        "repeats": report.repeats,
    }
