"""`molt-bench run`: play a benchmark."""

from typing import Annotated, Any

import msgspec
import typer

from molt_bench.cli.completion import agent_lists, config_fields, policies
from molt_bench.cli.options import ConfigOptions, RunOptions, is_debug


class BenchmarkOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to play; flags override the config file."""

    participants: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=r"Such as tight,my_bot.py:make,llm:openai:gpt-4.1; write \, for a comma inside a command.",
            autocompletion=agent_lists,
        ),
    ] = None
    seeds: Annotated[int | None, typer.Option(help="Seeds per match; each is played twice, seats swapped.")] = None
    hands: Annotated[int | None, typer.Option(help="Hands per game.")] = None
    master_seed: Annotated[
        str | None, typer.Option(help="Determines all seeds; anyone can see it in the process list.")
    ] = None
    master_seed_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="File with a secret master seed; or $MOLT_BENCH_MASTER_SEED.")
    ] = None
    seeds_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="File of seeds to play instead of drawn ones.")
    ] = None
    max_matches: Annotated[int | None, typer.Option(help="Stop after this many matches.")] = None
    confidence: Annotated[float | None, typer.Option(help="Stop once the order of neighbours is this certain.")] = None
    scheduler: Annotated[
        str | None, typer.Option(metavar="POLICY", help="How the next pairing is chosen.", autocompletion=policies)
    ] = None
    reference: Annotated[
        str | None, typer.Option(metavar="ID", help="A gauntlet: everybody plays this one alone, ranked by the result.")
    ] = None
    output_dir: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder in which every run gets its own folder.")
    ] = None
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Set any config field, as in game.stack=5000; repeatable.",
            autocompletion=config_fields,
        ),
    ] = None
    name: Annotated[str, typer.Option(help="A name for the run; it changes no result.")] = ""
    note: Annotated[str, typer.Option(help="A note on the run, for its readers.")] = ""
    resume: Annotated[bool, typer.Option("--resume", help="Resume the last unfinished run of this config.")] = False

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


def run(context: typer.Context, file: ConfigOptions, benchmark: BenchmarkOptions, options: RunOptions) -> None:
    """Run a benchmark (the default command).

    Examples:
      molt-bench run
      molt-bench run --participants tag,tight,random --hands 100 --confidence 0.9
      molt-bench run bench.yaml --set game.stack=5000 --quiet
    """
    # Imported here, so that the help is quick.
    from molt_bench.cli.config_flags import config_to_run
    from molt_bench.cli.live_run import resume_run, start_run
    from molt_bench.runs.about import About
    from molt_bench.runs.folder import last_run
    from molt_bench.runs.master_seed import secret_from

    if benchmark.master_seed is not None and benchmark.master_seed_file is not None:
        raise typer.BadParameter("cannot be used with --master-seed", param_hint="--master-seed-file")
    config = config_to_run(file.path(), benchmark.fields(), benchmark.set_ or [])
    about = About(benchmark.name.strip(), benchmark.note.strip())
    about.check()
    secret = secret_from(benchmark.master_seed_file)
    if benchmark.master_seed is not None:
        secret = None
    unfinished = last_run(config, secret) if benchmark.resume else None
    if unfinished is not None:
        resume_run(str(unfinished), options, secret=secret, debug=is_debug(context), own=config)
    else:
        start_run(config, options, secret=secret, about=about, debug=is_debug(context))
