"""Options that several commands share."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import click

from molt_bench.agents.external.box import OFF, REQUIRED
from molt_bench.agents.kinds import kind_of
from molt_bench.cli.parser import CONFIDENCE, COUNT, SHARE, WHOLE, flag, grouped
from molt_bench.cli.streams import notice, print_json
from molt_bench.entry_points import CORE_EXECUTORS, EXECUTORS, points
from molt_bench.study.gate import Speed
from molt_bench.suggestions import one_of

PATH: Final = click.Path()
RUN_FOLDER: Final = click.Path(readable=False)
AGENT: Final = "Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL."
run_folder_argument = click.argument("folder", metavar="RUN", type=RUN_FOLDER, help="Folder of the run.")
run_agents_option = click.option(
    "--run-agents", is_flag=True, help="Run the agents that the run names, if their code has not changed."
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
    about = f"Play {who} in a sandbox, or not. By default, only programs play in one, where possible."
    return flag(about, "--sandbox/--no-sandbox", callback=_box, sets="sandbox")


def param_flag(about: str, name: str = "--param") -> Any:
    """Return the field for params of an agent, which can be repeated."""
    return flag(f"{about}; repeatable.", name, default=(), metavar="KEY=VALUE")


def set_flag(about: str) -> Any:
    """Return the field for `--set`, which can be repeated."""
    return flag(about, "--set", default=(), metavar="FIELD=VALUE")


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


@dataclass(frozen=True, kw_only=True)
class ConfigOptions:
    """The config file, which every command that needs one takes in the same two ways."""

    file: str | None = flag("YAML or JSON config file; or --config FILE.", "[FILE]", type=PATH)
    config: str | None = flag("The same as FILE.", metavar="FILE", type=PATH)

    def path(self) -> str | None:
        """Return the path of the file; None if there is none."""
        if self.file is not None and self.config is not None:
            raise click.BadParameter("cannot be used with FILE, which is the same", param_hint="--config")
        if self.file and ("," in self.file or kind_of(self.file).built_in) and not os.path.exists(self.file):
            # A list of participants without its flag, or one that a space has cut in two.
            meant = ",".join(filter(None, (getattr(self, "participants", None), self.file)))
            said = f"no such file: {self.file}; did you mean '--participants {meant}'?"
            raise click.BadParameter(said, param_hint="FILE")
        return self.file if self.config is None else self.config


@dataclass(frozen=True, kw_only=True)
class PlayersOptions(ConfigOptions):
    """A config file, or who plays, or both."""

    participants: str | None = flag(
        r"Who plays, such as human,tight,my_bot.py:make,llm:openai:gpt-4.1; write \, for a comma inside a command.",
        metavar="LIST",
        sets="participants",
    )

    def check(self) -> None:
        """Refuse to go on without either."""
        if self.path() is None and self.participants is None:
            said = "a config is needed: FILE, or --config FILE, or --participants LIST"
            raise click.BadParameter(said, param_hint="FILE")


@dataclass(frozen=True, kw_only=True)
class StopOptions:
    """When a run stops: the flags that a run which exists takes as well."""

    max_matches: int | None = flag("Stop after this many matches in total.", type=WHOLE, sets="stop.budget.maxMatches")
    confidence: float | None = flag(
        "Stop once the order of neighbours is this certain.",
        type=CONFIDENCE,
        sets="stop.adjacentConfidence.threshold",
    )


@dataclass(frozen=True, kw_only=True)
class ResumeOptions(StopOptions):
    """What changes when a run goes on."""

    assignments: tuple[str, ...] = set_flag(
        "Change another stop rule, or a setting that affects no result, as in game.actionTimeoutS=300; repeatable."
    )
    forget_unaccounted: bool = flag("Count requests of unknown cost as not billed.", default=False)


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions(StopOptions, PlayersOptions):
    """What to play; flags override the config file."""

    seeds: int | None = flag(
        "Seeds per match; each is played twice, with seats swapped.", type=WHOLE, sets="seeds.perMatch"
    )
    hands: int | None = flag("Hands per game.", type=WHOLE, sets="game.handsPerGame")
    master_seed: str | None = flag(
        "Determines all decks. Anyone on this machine can see it in the process list.",
        metavar="TEXT",
        sets="seeds.masterSeed",
    )
    master_seed_file: str | None = flag(
        "File with a secret master seed; $MOLT_BENCH_MASTER_SEED may hold one, too.", metavar="FILE", type=PATH
    )
    seeds_file: str | None = flag(
        "File of seeds to use instead of drawing them.", metavar="FILE", type=PATH, sets="seeds.file"
    )
    scheduler: str | None = flag(
        "How the next pairing is chosen; with gauntlet, everyone plays only the first participant.",
        metavar="POLICY",
        sets="scheduler.policy",
    )
    sandbox: str | None = sandbox_flag("all programs and Python files")
    output_dir: str | None = flag(
        "Folder for runs; each gets a folder of its own.", metavar="DIR", type=PATH, sets="outputDir"
    )
    assignments: tuple[str, ...] = set_flag("Set any config field, as in game.stack=5000; repeatable.")


def _executor(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if value not in CORE_EXECUTORS and value.partition(":")[0] not in points(EXECUTORS):
        raise click.BadParameter(f"must be {one_of([*CORE_EXECUTORS, *points(EXECUTORS)], value)}, not {value!r}")
    return value


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run is played and what is printed; none of it changes a result."""

    executor: str = flag(
        "Where games run: auto, inline, async, processes, ray or ray:ADDRESS. The result is the same.",
        default="auto",
        metavar="WHERE",
        callback=_executor,
    )
    workers: int | None = flag("Worker processes; one per core by default.", type=COUNT)
    games_at_once: int | None = flag("Games in progress on the event loop.", type=COUNT)
    no_preflight: bool = flag("Skip the test call to programs, servers and models before the run.", default=False)
    no_cost_limit: bool = flag(
        "Start even if a run that costs money has no limit, or one that seems too low.", default=False
    )
    fail_on_faults: float | None = flag(
        "Exit with status 1 if an agent makes faults in more than this share of its hands.", type=SHARE
    )
    quiet: bool = flag("Print only the result, without progress.", default=False)
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


def is_debug() -> bool:
    """Return whether `--debug` precedes the command."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get("debug"))
