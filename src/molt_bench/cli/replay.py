"""`molt-bench replay`: rerun a whole benchmark from its records and compare every file."""

from pathlib import Path

import click
from msgspec import UNSET

from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.arena.replayed_games import Replayed, replay_games, without_answers
from molt_bench.bench.result import RunResult
from molt_bench.cli.options import Printing, printing_options, root_option, run_agents_option, run_folder_argument
from molt_bench.cli.parser import Command
from molt_bench.cli.permission import ask_permission
from molt_bench.cli.run_result import show_result
from molt_bench.cli.streams import warn
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifact_check import check_artifacts
from molt_bench.report.artifacts import write_artifacts
from molt_bench.runs.conclusion import by_earlier_version, naming_version
from molt_bench.runs.file_lock import being_written
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.header import unasked_code
from molt_bench.runs.stored_run import NEVER_RUN, StoredRun


@click.command(cls=Command)
@run_folder_argument
@click.option("--output", metavar="DIR", type=click.Path(), help="Write the new files to this folder.")
@root_option
@run_agents_option
@printing_options
def replay(folder: str, output: str | None, root: str | None, *, run_agents: bool, printing: Printing) -> None:
    """Rerun a whole benchmark from its records, calling no model, and compare every file.

    Examples:
      molt-bench replay benchmark-results/2026-01-31T12-00-00
      molt-bench replay benchmark-results/2026-01-31T12-00-00 --output again --quiet
    """
    stored = StoredRun.open(folder, root=root)
    target = Path(output) if output is not None else None
    if target is not None and being_written(target / JOURNAL):
        raise ConfigError("--output", output, "another folder: a run is still going in this one")
    going = being_written(stored.folder / JOURNAL)
    replayed, found = replay_run(stored, run_agents=run_agents)
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
        for warning in write_artifacts(found, target):
            warn(warning)
    show_result(found, output or folder, printing)
    earlier = by_earlier_version(stored.header)
    if earlier is not None:
        warn(earlier)
    if going:
        warn("the run is still going, so its files were not compared")
        return
    files = check_artifacts(stored, found)
    files.raise_if_wrong(folder)
    if files.missing:
        are = "is" if len(files.missing) == 1 else "are"
        raise MoltBenchError(f"{folder}: {', '.join(files.missing)} {are} missing")
    exchanges = sum(each.exchanges for each in found.result.usage)
    if not printing.quiet:
        print(
            f"Replayed {len(stored.games):,} games and {exchanges:,} exchanges without calling a model"
            f"{f' ({replayed})' if str(replayed) else ''}: all files are identical, byte for byte: "
            f"{', '.join(files.same)}."
        )
        for line in files.notes():
            print(line)


def replay_run(stored: StoredRun, *, run_agents: bool) -> tuple[Replayed, Analysis]:
    """Replay the games of a run, and return them and the result; only with permission are its agents run."""
    permission = ask_permission(stored, without_answers(stored), run_agents=True) if run_agents else BUILT_IN
    with naming_version(stored.header):
        replayed = replay_games(stored, permission)
    result = stored.result(content=replayed.content, permission=permission)
    _warn_of_policies(stored, result, permission)
    return replayed, Analysis(result)


def _warn_of_policies(stored: StoredRun, result: RunResult, permission: Permission) -> None:
    """Warn of policies that a replayed result does without, or that it takes the run's word for."""
    for warning in result.warnings:
        if NEVER_RUN in warning:
            warn(warning)
    stated = stored.header.stated_policies
    unasked = [] if stated is UNSET else [name for name in unasked_code(stored.config, permission) if name in stated]
    for name in unasked:
        warn(f"{name!r}: margins that follow from its policy are as the run recorded them, {NEVER_RUN}")
