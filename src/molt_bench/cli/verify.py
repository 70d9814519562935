"""`molt-bench verify`: are the games of a run identical when replayed, and do its files follow from them?"""

import click
from msgspec import UNSET

from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.arena.replayed_games import replay_games, without_answers
from molt_bench.bench.result import RunResult
from molt_bench.cli.options import Printing, printing_options, root_option, run_agents_option, run_folder_argument
from molt_bench.cli.parser import Command
from molt_bench.cli.permission import ask_permission
from molt_bench.cli.streams import warn
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifact_check import check_artifacts
from molt_bench.runs.conclusion import by_earlier_version, naming_version
from molt_bench.runs.header import unasked_code
from molt_bench.runs.journal import missing_games
from molt_bench.runs.stored_run import NEVER_RUN, StoredRun


@click.command(cls=Command)
@run_folder_argument
@root_option
@run_agents_option
@printing_options
def verify(folder: str, root: str | None, *, run_agents: bool, printing: Printing) -> None:
    """Replay every game of a run, check that it is identical and that every file follows from it.

    Only built-in bots play again. Everybody else's answers come from the record.

    Examples:
      molt-bench verify benchmark-results/2026-01-31T12-00-00
      molt-bench verify benchmark-results/2026-01-31T12-00-00 --json
    """
    stored = StoredRun.open(folder, root=root)
    permission = ask_permission(stored, without_answers(stored), run_agents=True) if run_agents else BUILT_IN
    with naming_version(stored.header):
        replayed = replay_games(stored, permission)
    result = stored.result(content=replayed.content, permission=permission)
    _warn_of_policies(stored, result, permission)
    files = check_artifacts(stored, Analysis(result))
    files.raise_if_wrong(folder)
    ended = stored.stop_reason is not None
    missing = None if ended else missing_games([stored.header, *stored.lines])
    line = f"{folder}: all {len(stored.games):,} games are identical when replayed"
    earlier = by_earlier_version(stored.header)
    if earlier is not None:
        line += f"; {earlier}"
    if not ended:
        line += f"; the run has not ended{f': {missing}' if missing else ''}"
    if str(replayed):
        line += f"; {replayed}"
    content = {
        "runDir": folder,
        "identical": True,
        "games": len(stored.games),
        "ended": ended,
        "missing": missing,
        "playedAgain": replayed.again,
        "onRecord": replayed.on_record,
        "files": {"same": files.same, "missing": files.missing, "notChecked": files.unchecked},
    }
    same = f"  as the journal gives them: {', '.join(files.same)}"
    printing.answer(content, lambda: print(line, same, *files.notes(), sep="\n"))


def _warn_of_policies(stored: StoredRun, result: RunResult, permission: Permission) -> None:
    """Warn of policies that the result does without, or that it takes the run's word for."""
    for warning in result.warnings:
        if NEVER_RUN in warning:
            warn(warning)
    stated = stored.header.stated_policies
    unasked = [] if stated is UNSET else [name for name in unasked_code(stored.config, permission) if name in stated]
    for name in unasked:
        warn(f"{name!r}: margins that follow from its policy are as the run recorded them, {NEVER_RUN}")
