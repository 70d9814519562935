"""`molt-bench run`: play a benchmark."""

from typing import TYPE_CHECKING, Any

import click
import msgspec

from molt_bench.cli.completion import agent_lists, config_fields, policies
from molt_bench.cli.options import (
    PATH,
    ConfigOptions,
    RunOptions,
    about_options,
    config_options,
    resume_option,
    run_options,
)
from molt_bench.cli.parser import NUMBER, WHOLE, Command, grouped
from molt_bench.lazy_import import lazy_import
from molt_bench.runs.about import About

if TYPE_CHECKING:
    from molt_bench.cli import config_flags, run_lifecycle
    from molt_bench.runs import folder, master_seed
else:
    config_flags, run_lifecycle = (
        lazy_import("molt_bench.cli.config_flags"),
        lazy_import("molt_bench.cli.run_lifecycle"),
    )
    folder, master_seed = lazy_import("molt_bench.runs.folder"), lazy_import("molt_bench.runs.master_seed")


class BenchmarkOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to play; flags override the config file."""

    participants: str | None
    seeds: int | None
    hands: int | None
    master_seed: str | None
    master_seed_file: str | None
    seeds_file: str | None
    max_matches: int | None
    confidence: float | None
    scheduler: str | None
    reference: str | None
    output_dir: str | None
    assignments: tuple[str, ...]

    def fields(self) -> dict[str, Any]:
        """Return the config fields that the flags set; None where a flag is absent."""
        return {
            "participants": self.participants,
            "seeds.perMatch": self.seeds,
            "game.handsPerGame": self.hands,
            "seeds.masterSeed": self.master_seed,
            "seeds.file": self.seeds_file,
            "stop.budget.maxMatches": self.max_matches,
            "stop.adjacentConfidence.threshold": self.confidence,
            "scheduler.policy": self.scheduler,
            "scheduler.reference": self.reference,
            "outputDir": self.output_dir,
        }

    def secret(self) -> str | None:
        """Return the secret master seed; None if there is none, or one on the command line."""
        if self.master_seed is not None and self.master_seed_file is not None:
            raise click.BadParameter("cannot be used with --master-seed", param_hint="--master-seed-file")
        return master_seed.secret_from(self.master_seed_file) if self.master_seed is None else None


benchmark_options = grouped(
    BenchmarkOptions,
    "benchmark",
    click.option(
        "--participants",
        metavar="LIST",
        help=r"Such as tight,my_bot.py:make,llm:openai:gpt-4.1; write \, for a comma inside a command.",
        shell_complete=agent_lists,
    ),
    click.option("--seeds", type=WHOLE, help="Seeds per match; each is played twice, seats swapped."),
    click.option("--hands", type=WHOLE, help="Hands per game."),
    click.option("--master-seed", metavar="TEXT", help="Determines all seeds; anyone can see it in the process list."),
    click.option(
        "--master-seed-file",
        metavar="FILE",
        type=PATH,
        help="File with a secret master seed; or $MOLT_BENCH_MASTER_SEED.",
    ),
    click.option("--seeds-file", metavar="FILE", type=PATH, help="File of seeds to play instead of drawn ones."),
    click.option("--max-matches", type=WHOLE, help="Stop after this many matches."),
    click.option("--confidence", type=NUMBER, help="Stop once the order of neighbours is this certain."),
    click.option("--scheduler", metavar="POLICY", help="How the next pairing is chosen.", shell_complete=policies),
    click.option("--reference", metavar="ID", help="A gauntlet: everybody plays this one alone, ranked by the result."),
    click.option("--output-dir", metavar="DIR", type=PATH, help="Folder in which every run gets its own folder."),
    click.option(
        "--set",
        "assignments",
        metavar="FIELD=VALUE",
        multiple=True,
        help="Set any config field, as in game.stack=5000; repeatable.",
        shell_complete=config_fields,
    ),
)


@click.command(cls=Command)
@config_options()
@benchmark_options
@about_options
@resume_option
@run_options
def run(
    config_file: ConfigOptions, benchmark: BenchmarkOptions, about: About, *, resume_last: bool, options: RunOptions
) -> None:
    """Run a benchmark (the default command).

    Examples:
      molt-bench run
      molt-bench run --participants tag,tight,random --hands 100 --confidence 0.9
      molt-bench run bench.yaml --set game.stack=5000 --quiet
    """
    config = config_flags.config_to_run(config_file.path(), benchmark.fields(), benchmark.assignments)
    about.check()
    secret = benchmark.secret()
    unfinished = folder.last_run(config, secret) if resume_last else None
    if unfinished is not None:
        run_lifecycle.resume_run(str(unfinished), options, secret=secret, own=config)
    else:
        run_lifecycle.start_run(config, options, secret=secret, about=about)
