"""`molt-bench resume`: continue a run."""

import click

from molt_bench.cli import run_or_resume
from molt_bench.cli.options import (
    ResumeOptions,
    RunOptions,
    run_agents_option,
    run_folder_argument,
    run_options,
)
from molt_bench.cli.parser import Command, grouped


@click.command(cls=Command)
@run_folder_argument
@grouped(ResumeOptions, "changes")
@run_options
@run_agents_option
def resume(folder: str, changes: ResumeOptions, options: RunOptions, *, run_agents: bool) -> None:
    """Resume an interrupted run, or extend a finished one with a new limit, on the same decks.

    Examples:
      molt-bench resume benchmark-results/2026-01-31T12-00-00
      molt-bench resume benchmark-results/2026-01-31T12-00-00 --max-matches 40
      molt-bench resume benchmark-results/2026-01-31T12-00-00 --set game.actionTimeoutS=300
    """
    run_or_resume.resume_run(folder, options, changes=changes, run_agents=run_agents)
