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
NoPreflight = Annotated[
    bool, typer.Option("--no-preflight", help="Do not ask programs, servers and models once before the first card.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, only the result.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]
Participant = Annotated[
    str, typer.Argument(metavar="AGENT", help="Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL.")
]
Root = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where the files that the run names are now, as on another machine.")
]
Participants = Annotated[
    str | None,
    typer.Option(help=r"Such as tight,my_bot.py:make,llm:openai:gpt-4.1; write \, for a comma inside a command."),
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


def share(value: float | None) -> float | None:
    """Check an option that is a part of a whole."""
    if value is not None and not 0 <= value <= 1:
        raise typer.BadParameter("a number from 0 to 1 is needed, such as 0.1")
    return value


def debugging(context: typer.Context) -> bool:
    """Say whether `--debug` stands before the command that is running."""
    return bool(context.find_root().params.get("debug"))


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

        print(f"molt-bench {__version__}")
        raise typer.Exit


ExportFormat = Annotated[
    Literal["phh", "pokerstars", "acpc", "ohh", "csv", "parquet", "latex"], typer.Option("--format", help="Which.")
]
HtmlFile = Annotated[str | None, typer.Option(metavar="FILE", help="One page that holds the run and every view of it.")]
FiguresFolder = Annotated[str | None, typer.Option(metavar="DIR", help="A folder that gets figures for a paper.")]
PlannedGap = Annotated[
    float | None, typer.Option(metavar="MBB", callback=not_negative, help="Separate two that are so far apart.")
]
PlannedInterval = Annotated[
    float | None, typer.Option(metavar="MBB", callback=positive, help="Know every result within so much.")
]
PlannedConfidence = Annotated[
    float | None, typer.Option(callback=probability, help="How sure; left out, what the config says.")
]
PlannedLatency = Annotated[
    float | None, typer.Option(metavar="S", callback=positive, help="Seconds a reply; left out, the pilot's, or 5.")
]
ComparedAgents = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="Whom to compare: ID, or OLD_ID=NEW_ID; may be repeated.")
]
ComparedWithin = Annotated[
    float, typer.Option(metavar="MBB", callback=positive, help="A difference that does not matter.")
]
FailOnFaults = Annotated[
    float | None,
    typer.Option(metavar="SHARE", callback=share, help="Status 1 if anybody made faults in more of its hands."),
]
FailBelow = Annotated[
    float | None, typer.Option(metavar="MBB", callback=not_negative, help="Status 1 if it surely lost more.")
]
MasterSeed = Annotated[str | None, typer.Option(help="Names the pool of seeds; seen by all in the list of processes.")]
MasterSeedFile = Annotated[
    str | None, typer.Option(metavar="FILE", help="A file with a secret one; or $MOLT_BENCH_MASTER_SEED.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address.")]
Strict = Annotated[bool, typer.Option("--strict", help="With --fail-below: status 1 unless it surely lost no more.")]
Version = Annotated[
    bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
]
