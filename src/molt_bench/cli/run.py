"""`molt-bench run`: play a benchmark."""

from dataclasses import dataclass
from typing import Any

import click

from molt_bench.cli import config_flags, run_or_resume
from molt_bench.cli.completion import agent_lists
from molt_bench.cli.options import (
    PATH,
    ConfigOptions,
    RunOptions,
    config_options,
    resume_option,
    run_options,
    sandbox_flag,
    set_flag,
)
from molt_bench.cli.parser import CONFIDENCE, WHOLE, Command, flag, grouped
from molt_bench.runs import master_seed


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions:
    """What to play; flags override the config file."""

    participants: str | None = flag(
        r"Such as human,tight,my_bot.py:make,llm:openai:gpt-4.1; write \, for a comma inside a command.",
        metavar="LIST",
        shell_complete=agent_lists,
    )
    seeds: int | None = flag("Seeds per match; each is played twice, with seats swapped.", type=WHOLE)
    hands: int | None = flag("Hands per game.", type=WHOLE)
    master_seed: str | None = flag("Determines all seeds; anyone can see it in the process list.", metavar="TEXT")
    master_seed_file: str | None = flag(
        "File with a secret master seed; or $MOLT_BENCH_MASTER_SEED.", metavar="FILE", type=PATH
    )
    seeds_file: str | None = flag("File of seeds to use instead of drawing them.", metavar="FILE", type=PATH)
    max_matches: int | None = flag("Stop after this many matches.", type=WHOLE)
    confidence: float | None = flag("Stop once the order of neighbours is this certain.", type=CONFIDENCE)
    scheduler: str | None = flag("How the next pairing is chosen.", metavar="POLICY")
    reference: str | None = flag(
        "Play a gauntlet: everyone plays this participant only, and is ranked by the result.", metavar="ID"
    )
    sandbox: str | None = sandbox_flag("all programs and Python files")
    output_dir: str | None = flag("Folder for runs; each gets a folder of its own.", metavar="DIR", type=PATH)
    assignments: tuple[str, ...] = set_flag("Set any config field, as in game.stack=5000; repeatable.")

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
            "sandbox": self.sandbox,
            "outputDir": self.output_dir,
        }

    def secret(self) -> str | None:
        """Return the secret master seed; None if there is none, or one on the command line."""
        if self.master_seed is not None and self.master_seed_file is not None:
            raise click.BadParameter("cannot be used with --master-seed", param_hint="--master-seed-file")
        return master_seed.secret_from(self.master_seed_file) if self.master_seed is None else None


@click.command(cls=Command)
@config_options
@grouped(BenchmarkOptions, "benchmark")
@resume_option
@run_options
def run(config_file: ConfigOptions, benchmark: BenchmarkOptions, *, resume_last: bool, options: RunOptions) -> None:
    """Run a benchmark (the default command).

    Examples:
      molt-bench run
      molt-bench run --participants tag,tight,random --hands 100 --confidence 0.9
      molt-bench run bench.yaml --set game.stack=5000 --quiet
    """
    config = config_flags.config_to_run(config_file.path(), benchmark.fields(), benchmark.assignments)
    run_or_resume.start_or_go_on(config, options, secret=benchmark.secret(), resume_last=resume_last)
