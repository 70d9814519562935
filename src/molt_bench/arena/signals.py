"""Signals that ended or stopped programs of a run, which may not be their own fault, for the user to know."""

from collections.abc import Callable

from molt_bench.records import GameRecord


class SignalsTold:
    """Tells of signals that ended or stopped programs, once for each participant; the records keep all for the report.

    Args:
        tell: Tells the user.
    """

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        self._tell = tell
        self._told: set[str] = set()

    def take_game(self, record: GameRecord) -> None:
        """Take note of a finished game."""
        for fault in record.faults:
            name = record.players[fault.player]
            if fault.kind == "signal" and name not in self._told:
                self._told.add(name)
                if self._tell is not None:
                    self._tell(f"{name}: {fault.said}")
