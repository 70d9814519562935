"""Options that several commands share."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import click

from molt_bench.agents.external.box import OFF, REQUIRED
from molt_bench.agents.kinds import kind_of
from molt_bench.cli.completion import agent_lists, config_fields, executors, run_folders
from molt_bench.cli.parser import CONFIDENCE, COUNT, SHARE, WHOLE, flag, grouped
from molt_bench.cli.streams import notice, print_json
from molt_bench.entry_points import CORE_EXECUTORS, EXECUTORS, points
from molt_bench.study.gate import Speed
from molt_bench.suggestions import one_of

PATH: Final = click.Path()
run_folder_argument = click.argument("folder", metavar="RUN", help="Folder of the run.", shell_complete=run_folders)
AGENT: Final[Mapping[str, Any]] = {
    "metavar": "AGENT",
    "help": "Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL.",
    "shell_complete": agent_lists,
}
param_option = click.option(
    "--param", "params", metavar="KEY=VALUE", multiple=True, help="A param of the agent; repeatable."
)
run_agents_option = click.option(
    "--run-agents", is_flag=True, help="Run the agents that the run names, if their code is the recorded one."
)
resume_option = click.option(
    "--resume", "resume_last", is_flag=True, help="Resume the last unfinished run of this config."
)
_JSON: Final = "Print one JSON object to standard output and nothing else."
json_option = click.option("--json", "as_json", is_flag=True, help=_JSON)


def _box(ctx: click.Context, param: click.Parameter, value: bool | None) -> str | None:  # noqa: FBT001 - as click has it
    """Return the setting that `--sandbox` or `--no-sandbox` stands for; None without either."""
    return None if value is None else REQUIRED if value else OFF


def sandbox_flag(who: str) -> Any:
    """Return the field for `--sandbox`: the setting of those who play."""
    about = f"Play {who} in a sandbox, or not; by default, programs only, where possible."
    return flag(about, "--sandbox/--no-sandbox", callback=_box)


sandbox_option = click.option(
    "--sandbox/--no-sandbox",
    default=None,
    callback=_box,
    help="Play in a sandbox or not; by default, programs do where possible.",
)


@dataclass(frozen=True, kw_only=True)
class Printing:
    """How much a command prints, and in which form; the same for all commands that have both flags.

    Attributes:
        saved: Of a gate, the files that it writes as well, each in the form that its ending says.
        speed: Of a gate, how long decisions take, if that was measured.
    """

    quiet: bool = flag("Print nothing but warnings and errors.", default=False)
    as_json: bool = flag(_JSON, "--json", default=False)
    saved: tuple[str, ...] = ()
    speed: Speed | None = None

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


printing_options = grouped(Printing, "printing")


@dataclass(frozen=True)
class ConfigOptions:
    """The config file, which every command that needs one takes in the same two ways."""

    file: str | None
    config: str | None

    def path(self) -> str | None:
        """Return the path of the file; None if there is none."""
        if self.file is not None and self.config is not None:
            raise click.BadParameter("cannot be used with FILE, which is the same", param_hint="--config")
        if self.file and ("," in self.file or kind_of(self.file).built_in) and not os.path.exists(self.file):
            # A list of participants without its flag, or one that a space has cut in two.
            before = click.get_current_context().params.get("participants")
            meant = ",".join(filter(None, (before, self.file)))
            said = f"no such file: {self.file}; did you mean '--participants {meant}'?"
            raise click.BadParameter(said, param_hint="FILE")
        return self.file if self.config is None else self.config

    def required(self) -> str:
        """Return the path of the file, which has to be given."""
        path = self.path()
        if path is None:
            raise click.BadParameter("a config is needed: FILE, or --config FILE", param_hint="FILE")
        return path


config_options = grouped(
    ConfigOptions,
    "config_file",
    click.argument(
        "file", metavar="[FILE]", required=False, type=PATH, help="YAML or JSON config file; or --config FILE."
    ),
    click.option("--config", metavar="FILE", type=PATH, help="The same as FILE."),
)


def _executor(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if value not in CORE_EXECUTORS and value.partition(":")[0] not in points(EXECUTORS):
        raise click.BadParameter(f"must be {one_of([*CORE_EXECUTORS, *points(EXECUTORS)], value)}, not {value!r}")
    return value


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run is played and what is printed; none of it changes a result."""

    executor: str = flag(
        "auto, inline, async, processes, ray or ray:ADDRESS: where games run; never changes a result.",
        default="auto",
        metavar="WHERE",
        callback=_executor,
        shell_complete=executors,
    )
    workers: int | None = flag("Worker processes; one per core by default.", type=COUNT)
    games_at_once: int | None = flag("Games in progress on the event loop.", type=COUNT)
    no_preflight: bool = flag("Skip the test call to programs, servers and models before the run.", default=False)
    no_cost_limit: bool = flag(
        "Start a run that costs money without a limit, or with one that seems too low, and ask nothing.", default=False
    )
    fail_on_faults: float | None = flag(
        "Exit with status 1 if an agent has faults in more than this share of its hands.", type=SHARE
    )
    quiet: bool = flag("Print the result only, without progress.", default=False)
    as_json: bool = flag(_JSON, "--json", default=False)
    saved: tuple[str, ...] = ()
    speed: Speed | None = None

    @property
    def talks(self) -> bool:
        """Whether more is printed than the result."""
        return not (self.quiet or self.as_json)

    def printing(self) -> Printing:
        """Return how the result is printed, which no run keeps to itself."""
        return Printing(as_json=self.as_json, saved=self.saved, speed=self.speed)


run_options = grouped(RunOptions, "options")


def set_flag(about: str) -> Any:
    """Return the field for `--set`, which can be repeated."""
    return flag(about, "--set", default=(), metavar="FIELD=VALUE", shell_complete=config_fields)


@dataclass(frozen=True, kw_only=True)
class StopOptions:
    """A new stop rule for a run that exists."""

    max_matches: int | None = flag("Continue until this many matches in total.", type=WHOLE)
    confidence: float | None = flag("Continue until the order is this certain.", type=CONFIDENCE)
    assignments: tuple[str, ...] = set_flag(
        "Set another field of stop, or one that decides nothing already played; repeatable."
    )
    forget_unaccounted: bool = flag("Requests whose cost is not known were not billed, as you know.", default=False)

    def fields(self) -> dict[str, float | None]:
        """Return the config fields that the flags set; None where a flag is absent."""
        return {"stop.budget.maxMatches": self.max_matches, "stop.adjacentConfidence.threshold": self.confidence}


stop_options = grouped(StopOptions, "stop")


def is_debug() -> bool:
    """Return whether `--debug` precedes the command."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get("debug"))
