"""`molt-bench verify`: are the games of a run identical when replayed, and do its files follow from them?"""

from molt_bench.arena.replayed_games import replay_games
from molt_bench.cli.options import Printing, Root, RunFolder
from molt_bench.cli.streams import warn
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifact_check import check_artifacts
from molt_bench.runs.conclusion import by_earlier_version, naming_version
from molt_bench.runs.journal import missing_games
from molt_bench.runs.stored_run import StoredRun


def verify(folder: RunFolder, root: Root = None, *, printing: Printing) -> None:
    """Replay every game of a run, check that it is identical and that every file follows from it; no model is called.

    Examples:
      molt-bench verify benchmark-results/2026-01-31T12-00-00
      molt-bench verify benchmark-results/2026-01-31T12-00-00 --json
    """
    stored = StoredRun.open(folder, root=root)
    with naming_version(stored.header):
        games = replay_games(stored, warn=warn)
    found = Analysis(stored.result(content=games))
    files = check_artifacts(stored, found)
    files.raise_if_wrong(folder)
    ended = stored.stop_reason is not None
    missing = None if ended else missing_games([stored.header, *stored.lines])
    line = f"{folder}: all {len(stored.games):,} games are identical when replayed"
    earlier = by_earlier_version(stored.header)
    if earlier is not None:
        line += f"; {earlier}"
    if not ended:
        line += f"; the run has not ended{f': {missing}' if missing else ''}"
    content = {"runDir": folder, "identical": True, "games": len(stored.games), "ended": ended, "missing": missing}
    printing.answer({**content, "files": files.plain()}, lambda: print("\n".join([line, *files.lines()])))
