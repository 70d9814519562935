"""`molt-bench verify`: are the games of a run identical when replayed?"""

from molt_bench.cli.options import Root, RunFolder
from molt_bench.cli.replay import replay_games
from molt_bench.runs.journal import games_in, missing_games, stop_reason_in


def verify(folder: RunFolder, root: Root = None) -> None:
    """Replay every game of a run and check that it is identical; no model is called."""
    content, _ = replay_games(folder, root)
    line = f"{folder}: all {len(games_in(content.lines)):,} games are identical when replayed"
    if stop_reason_in(content.lines) is None:
        missing = missing_games([content.header, *content.lines])
        line += f"; the run has not ended{f': {missing}' if missing else ''}"
    print(line)
