"""`molt-bench verify`: are the games of a run identical when replayed?"""

from molt_bench.arena.replayed_games import replay_games
from molt_bench.cli.options import Root, RunFolder
from molt_bench.cli.streams import warn
from molt_bench.runs.journal import missing_games
from molt_bench.runs.stored_run import StoredRun


def verify(folder: RunFolder, root: Root = None) -> None:
    """Replay every game of a run and check that it is identical; no model is called."""
    stored = StoredRun.open(folder, root=root)
    stored.result(content=replay_games(stored, warn=warn))
    line = f"{folder}: all {len(stored.games):,} games are identical when replayed"
    if stored.stop_reason is None:
        missing = missing_games([stored.header, *stored.lines])
        line += f"; the run has not ended{f': {missing}' if missing else ''}"
    print(line)
