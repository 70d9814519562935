"""`molt-bench run`: play a benchmark."""

import click

from molt_bench.cli import config_flags, run_or_resume
from molt_bench.cli.options import BenchmarkOptions, RunOptions, resume_option, run_options
from molt_bench.cli.parser import Command, grouped, set_by
from molt_bench.runs import master_seed


@click.command(cls=Command)
@grouped(BenchmarkOptions, "benchmark")
@resume_option
@run_options
def run(benchmark: BenchmarkOptions, *, resume_last: bool, options: RunOptions) -> None:
    """Run a benchmark (the default command).

    Examples:
      molt-bench run
      molt-bench run --participants tag,tight,random --hands 100 --confidence 0.9
      molt-bench run bench.yaml --set game.stack=5000 --quiet
    """
    if benchmark.master_seed is not None and benchmark.master_seed_file is not None:
        raise click.BadParameter("cannot be used with --master-seed", param_hint="--master-seed-file")
    config = config_flags.config_from(benchmark.path(), set_by(benchmark), benchmark.assignments)
    secret = master_seed.secret_from(benchmark.master_seed_file) if benchmark.master_seed is None else None
    run_or_resume.start_run(config, options, secret=secret, resume_last=resume_last)
