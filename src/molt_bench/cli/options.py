"""Options that several commands share, and what they may be set to."""

import re
from typing import Annotated, Literal

import typer

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run.")]
Executor = Annotated[
    Literal["auto", "inline", "async", "processes", "ray"],
    typer.Option(help="Where games run; never changes a result."),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Worker processes; one on every core by default.")]
RayAddress = Annotated[str | None, typer.Option(help="A running Ray cluster; by default one is started here.")]
GamesAtOnce = Annotated[int | None, typer.Option(min=1, help="Games under way on the event loop.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, only the result.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]
Participant = Annotated[
    str, typer.Argument(metavar="AGENT", help="Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL.")
]
Params = Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A param of it; may be repeated.")]


def positive(value: float | None) -> float | None:
    """Check an option that has to be above 0."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter("a number above 0 is needed")
    return value


def not_negative(value: float | None) -> float | None:
    """Check an option that may be 0."""
    return value if value == 0 else positive(value)


def probability(value: float | None) -> float | None:
    """Check an option that says how sure something has to be."""
    if value is not None and not 0.5 < value < 1:
        raise typer.BadParameter("a number above 0.5 and below 1 is needed, such as 0.95")
    return value


def two_blinds(value: str) -> str:
    """Check an option that names both blinds."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", value)
    if not found or not int(found[1]) <= int(found[2]) or not int(found[2]):
        raise typer.BadParameter("the small and the big blind in chips are needed, such as 50/100")
    return value


def show_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    """Print the version and end."""
    if wanted:
        from molt_bench._version import __version__

        typer.echo(f"molt-bench {__version__}")
        raise typer.Exit
