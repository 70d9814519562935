"""`molt-bench verify`: are the games of a run identical when replayed, and do its files follow from them?"""

from collections.abc import Mapping
from typing import Any, Final

import click

from molt_bench.agents.permission import BUILT_IN
from molt_bench.arena.replayed_games import replay_games, without_answers
from molt_bench.cli.options import Printing, printing_options, run_agents_option, run_folder_argument
from molt_bench.cli.parser import Command
from molt_bench.cli.permission import permission_for
from molt_bench.cli.streams import warn
from molt_bench.errors import MoltBenchError
from molt_bench.report.artifact_check import Kind, check_artifacts
from molt_bench.report.run_rows import Rows
from molt_bench.runs.run import Run

_KINDS: Final[Mapping[str, Kind]] = {
    "same": "same",
    "missing": "missing",
    "stale": "stale",
    "notChecked": "unchecked",
}
_SAID: Final = {
    "same": "as the journal gives them",
    "missing": "missing",
    "stale": "out of date, since the run went on (write them anew with `molt-bench report` or `export`)",
    "notChecked": "not checked",
}


@click.command(cls=Command)
@run_folder_argument
@run_agents_option
@printing_options
def verify(folder: str, *, run_agents: bool, printing: Printing) -> None:
    """Replay every game of a run, and check that all its files follow from the games.

    Only built-in bots play again. All other answers come from the record.

    Examples:
      molt-bench verify benchmark-results/2026-01-31T12-00-00
      molt-bench verify benchmark-results/2026-01-31T12-00-00 --json
    """
    stored = Run.open(folder, same_version=True)
    permission = permission_for(stored, without_answers(stored), run_agents=True) if run_agents else BUILT_IN
    replayed = replay_games(stored, permission)
    result = stored.result(recount=True)
    files = check_artifacts(stored, Rows(result))
    for problem in files.problems:
        warn(problem)
    if differing := files.of("differing"):
        verb = "differs" if len(differing) == 1 else "differ"
        raise MoltBenchError(f"{folder}: {', '.join(differing)} {verb} from what the journal gives")
    ended = stored.ending is not None
    line = f"{folder}: all {len(stored.games):,} games are identical when replayed"
    if not ended:
        line += "; the run has not ended"
    if str(replayed):
        line += f"; {replayed}"
    content: dict[str, Any] = {
        "runDir": folder,
        "identical": True,
        "games": len(stored.games),
        "ended": ended,
        "playedAgain": replayed.again,
        "onRecord": replayed.on_record,
        "files": {key: files.of(kind) for key, kind in _KINDS.items()},
    }
    told = [f"  {_SAID[key]}: {', '.join(names)}" for key, names in content["files"].items() if names]
    printing.answer(content, lambda: print(line, *told, sep="\n"))
