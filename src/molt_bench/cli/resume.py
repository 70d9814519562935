"""`molt-bench resume`: continue a run."""

import typer

from molt_bench.cli.consent import RunAgents
from molt_bench.cli.options import RunFolder, RunOptions, StopOptions, is_debug


def resume(
    context: typer.Context,
    folder: RunFolder,
    stop: StopOptions,
    options: RunOptions,
    *,
    run_agents: RunAgents = False,
) -> None:
    """Resume an interrupted run, or extend a finished one with a new limit, on the same decks.

    Examples:
      molt-bench resume benchmark-results/2026-01-31T12-00-00
      molt-bench resume benchmark-results/2026-01-31T12-00-00 --max-matches 40
    """
    from molt_bench.cli.live_run import resume_run  # here, so that the help is quick

    resume_run(folder, options, stop=stop, debug=is_debug(context), run_agents=run_agents)
