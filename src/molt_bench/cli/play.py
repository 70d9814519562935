"""`molt-bench play`: a person against an agent."""

import re
import secrets
from typing import Annotated, Literal

import msgspec
import typer

from molt_bench.cli.agent_argument import agent_from, maker_of
from molt_bench.cli.options import AgentName, Params, at_least_one
from molt_bench.cli.streams import console
from molt_bench.person.session import Session, play_session


def _two_blinds(value: str) -> str:
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value)
    if not found or not int(found[1]) <= int(found[2]) or not int(found[2]):
        raise typer.BadParameter("must be the small and the big blind in chips, such as 50/100")
    return value


class TableOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to play at the table."""

    hands: Annotated[int, typer.Option(callback=at_least_one, help="Hands to play.")] = 20
    stack: Annotated[
        int, typer.Option(callback=at_least_one, metavar="BB", help="Starting stack of every hand, in big blinds.")
    ] = 100
    blinds: Annotated[
        str, typer.Option(metavar="SB/BB", callback=_two_blinds, help="Small and big blind, in chips.")
    ] = "50/100"
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="Determines the cards; random by default.")] = None
    seat: Annotated[Literal["button", "big_blind"], typer.Option(help="Your seat in the first hand.")] = "button"
    show_odds: Annotated[bool, typer.Option("--show-odds", help="Show your equity and the pot odds.")] = False
    show_reference: Annotated[
        bool, typer.Option("--show-reference", help="Show what the reference bot would do, and grade what you did.")
    ] = False
    duplicate: Annotated[bool, typer.Option("--duplicate", help="Then play the same cards again, seats swapped.")] = (
        False
    )


def play(agent: AgentName, *, param: Params = None, table: TableOptions) -> None:
    """Play against an agent yourself, in the terminal.

    Examples:
      molt-bench play tag
      molt-bench play tight --hands 5 --seed monday --show-odds
    """
    small, _, big = table.blinds.partition("/")
    session = Session(
        agent=agent,
        params=tuple(param or ()),
        hands=table.hands,
        stack=table.stack,
        blinds=(int(small), int(big)),
        seed=secrets.token_hex(4) if table.seed is None else table.seed,
        seat=table.seat,
        show_odds=table.show_odds,
        show_reference=table.show_reference,
        duplicate=table.duplicate,
    )
    opponent = agent_from(agent, param or [])
    play_session(session, opponent.id, maker_of(opponent, seed=session.seed), console())
