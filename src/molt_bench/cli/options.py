"""Options that several commands share, and the checks of their values."""

import os
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
import typer

from molt_bench.cli.completion import agent_names, run_folders, stop_fields
from molt_bench.cli.streams import notice, print_json

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Folder of the run.", autocompletion=run_folders)]
AgentName = Annotated[
    str,
    typer.Argument(
        metavar="AGENT",
        help="Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL.",
        autocompletion=agent_names,
    ),
]
Params = Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A param of the agent; repeatable.")]
Root = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where the run's files are now, such as on another machine.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output and nothing else.")]


class Printing(msgspec.Struct, frozen=True, kw_only=True):
    """How much a command prints, and in which form; the same for all commands that have both flags."""

    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but warnings and errors.")] = False
    as_json: AsJson = False

    def answer(self, content: Mapping[str, Any], show: Callable[[], None]) -> None:
        """Print an answer as the user wants it: its content as JSON, by a function, or not at all."""
        if self.as_json:
            print_json(content)
        elif not self.quiet:
            show()

    def notice(self, text: str) -> None:
        """Print what is good to know to standard error, if the user wants more than the answer."""
        if not self.quiet and not self.as_json:
            notice(text)


def positive(value: float | None) -> float | None:
    """Check a value that must be above 0."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter("must be a number above 0")
    return value


def not_negative(value: float | None) -> float | None:
    """Check a value that must be 0 or more."""
    return value if value == 0 else positive(value)


def at_least_one(value: int | None) -> int | None:
    """Check a count."""
    if value is not None and value < 1:
        raise typer.BadParameter("must be a whole number of at least 1")
    return value


def port_number(value: int | None) -> int | None:
    """Check a port."""
    if value is not None and not 0 <= value <= 65535:
        raise typer.BadParameter("must be a port from 0 to 65535, where 0 picks a free one")
    return value


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


class ConfigOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The config file, which every command that needs one takes in the same two ways."""

    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", show_default=False, help="YAML or JSON config file; or --config FILE."),
    ] = None
    config: Annotated[str | None, typer.Option(metavar="FILE", help="The same as FILE.")] = None

    def path(self) -> str | None:
        """Return the path of the file; None if there is none."""
        if self.file is not None and self.config is not None:
            raise typer.BadParameter("cannot be used with FILE, which is the same", param_hint="--config")
        if self.file is not None and not os.path.exists(self.file) and _looks_like_players(self.file):
            raise typer.BadParameter(f"no such file; did you mean '--participants {self.file}'?", param_hint="FILE")
        return self.file if self.config is None else self.config

    def required(self) -> str:
        """Return the path of the file, which has to be given."""
        path = self.path()
        if path is None:
            raise typer.BadParameter("a config is needed: FILE, or --config FILE", param_hint="FILE")
        return path


def _looks_like_players(text: str) -> bool:
    """Return whether a word is a list of participants rather than the name of a file."""
    from molt_bench.agents.kinds import BUILTIN_AGENTS  # loaded when needed, for a fast start

    return "," in text or text in BUILTIN_AGENTS


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is played and what is printed; none of it changes a result."""

    executor: Annotated[
        Literal["auto", "inline", "async", "processes", "ray"],
        typer.Option(
            metavar="WHERE", help="auto, inline, async, processes or ray: where games run; never changes a result."
        ),
    ] = "auto"
    workers: Annotated[
        int | None, typer.Option(callback=at_least_one, help="Worker processes; one per core by default.")
    ] = None
    ray_address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A running Ray cluster; by default, start one here.")
    ] = None
    games_at_once: Annotated[
        int | None, typer.Option(callback=at_least_one, help="Games in progress on the event loop.")
    ] = None
    no_preflight: Annotated[
        bool, typer.Option("--no-preflight", help="Skip the test call to programs, servers and models before the run.")
    ] = False
    no_cost_limit: Annotated[
        bool, typer.Option("--no-cost-limit", help="Begin a run that costs money and has no limit, without asking.")
    ] = False
    fail_on_faults: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", callback=share, help="Exit with status 1 if an agent has faults in more of its hands."
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the result only, without progress.")] = False
    as_json: AsJson = False

    def printing(self) -> Printing:
        """Return how the result is printed, which no run keeps to itself."""
        return Printing(as_json=self.as_json)


class StopOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A new stop rule for a run that exists."""

    max_matches: Annotated[int | None, typer.Option(help="Continue until this many matches in total.")] = None
    confidence: Annotated[float | None, typer.Option(help="Continue until the order is this certain.")] = None
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Set any other field of stop; repeatable.",
            autocompletion=stop_fields,
        ),
    ] = None

    def fields(self) -> dict[str, float | None]:
        """Return the config fields that the flags set; None where a flag is absent."""
        return {"stop.budget.maxMatches": self.max_matches, "stop.adjacentConfidence.threshold": self.confidence}


def is_debug(context: typer.Context) -> bool:
    """Return whether `--debug` precedes the command."""
    return bool(context.find_root().params.get("debug"))
