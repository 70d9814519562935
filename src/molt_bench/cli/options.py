"""Options that several commands share, and the checks of their values."""

from typing import Annotated, Literal

import msgspec
import typer

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Folder of the run.")]
AgentName = Annotated[
    str, typer.Argument(metavar="AGENT", help="Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL.")
]
Params = Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A param of the agent; repeatable.")]
Root = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where the run's files are now, such as on another machine.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output and nothing else.")]


def positive(value: float | None) -> float | None:
    """Check a value that must be above 0."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter("must be a number above 0")
    return value


def not_negative(value: float | None) -> float | None:
    """Check a value that must be 0 or more."""
    return value if value == 0 else positive(value)


def probability(value: float | None) -> float | None:
    """Check a confidence."""
    if value is not None and not 0.5 < value < 1:
        raise typer.BadParameter("must be above 0.5 and below 1, such as 0.95")
    return value


def share(value: float | None) -> float | None:
    """Check a share of a whole."""
    if value is not None and not 0 <= value <= 1:
        raise typer.BadParameter("must be from 0 to 1, such as 0.1")
    return value


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is played and what is printed; none of it changes a result."""

    executor: Annotated[
        Literal["auto", "inline", "async", "processes", "ray"],
        typer.Option(help="Where games run; never changes a result."),
    ] = "auto"
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes; one per core by default.")] = None
    ray_address: Annotated[str | None, typer.Option(help="A running Ray cluster; by default, start one here.")] = None
    games_at_once: Annotated[int | None, typer.Option(min=1, help="Games in progress on the event loop.")] = None
    no_preflight: Annotated[
        bool, typer.Option("--no-preflight", help="Skip the test call to programs, servers and models before the run.")
    ] = False
    fail_on_faults: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", callback=share, help="Exit with status 1 if an agent has faults in more of its hands."
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the result only, without progress.")] = False
    as_json: AsJson = False


class StopOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A new stop rule for a run that exists."""

    max_matches: Annotated[int | None, typer.Option(help="Continue until this many matches in total.")] = None
    confidence: Annotated[float | None, typer.Option(help="Continue until the order is this certain.")] = None
    set_: Annotated[list[str] | None, typer.Option("--set", help="Set any other field of stop; repeatable.")] = None

    def fields(self) -> dict[str, float | None]:
        """Return the config fields that the flags set; None where a flag is absent."""
        return {"stop.budget.maxMatches": self.max_matches, "stop.adjacentConfidence.threshold": self.confidence}


def is_debug(context: typer.Context) -> bool:
    """Return whether `--debug` precedes the command."""
    return bool(context.find_root().params.get("debug"))
