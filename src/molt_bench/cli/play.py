"""`molt-bench play`: a person against an agent."""

import re
import secrets
from typing import Any

import click

from molt_bench.cli.agent_argument import agent_from, maker_of
from molt_bench.cli.options import AGENT, param_option, sandbox_from, sandbox_option
from molt_bench.cli.parser import COUNT, Command, grouped
from molt_bench.cli.streams import console
from molt_bench.person.play_session import Session, play_session


class Blinds(click.ParamType[tuple[int, int]]):
    """The small and the big blind in chips."""

    name = "SB/BB"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return both blinds."""
        found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value)
        if not found or not int(found[1]) <= int(found[2]) or not int(found[2]):
            self.fail("must be the small and the big blind in chips, such as 50/100", param, ctx)
        return int(found[1]), int(found[2])


@click.command(cls=Command)
@grouped(
    Session,
    "session",
    click.argument("agent", **AGENT),
    param_option,
    sandbox_option,
    click.option("--hands", type=COUNT, default=20, help="Hands to play."),
    click.option("--stack", metavar="BB", type=COUNT, default=100, help="Starting stack of every hand, in big blinds."),
    click.option("--blinds", type=Blinds(), default="50/100", help="Small and big blind, in chips."),
    click.option(
        "--seed",
        metavar="TEXT",
        default=lambda: secrets.token_hex(4),
        show_default=False,
        help="Determines the cards; random by default.",
    ),
    click.option(
        "--seat", type=click.Choice(["button", "big_blind"]), default="button", help="Your seat in the first hand."
    ),
    click.option("--show-odds", is_flag=True, help="Show your equity and the pot odds."),
    click.option(
        "--show-reference", is_flag=True, help="Show what the reference bot would do, and grade what you did."
    ),
    click.option("--duplicate", is_flag=True, help="Then play the same cards again with seats swapped."),
)
def play(session: Session) -> None:
    """Play against an agent yourself, in the terminal.

    Examples:
      molt-bench play tag
      molt-bench play tight --hands 5 --seed monday --show-odds
    """
    opponent = agent_from(session.agent, session.params, sandbox_from(session.sandbox))
    play_session(session, opponent.id, maker_of(opponent, seed=session.seed), console())
