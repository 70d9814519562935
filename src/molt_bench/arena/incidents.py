"""Incidents: what happens to the programs of a run besides faults of their own, for the user to know."""

from collections.abc import Callable

from molt_bench.agents.external.supervised_program import Remains
from molt_bench.records import GameRecord


class Incidents:
    """Signals that ended or stopped programs, and processes that could not be ended.

    Args:
        tell: Tells the user; called once for each participant and kind of incident.
    """

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        self._tell = tell
        self._signalled: set[str] = set()
        self._remains: dict[str, Remains] = {}

    def take_game(self, record: GameRecord) -> None:
        """Take note of a finished game; its record keeps the signals for the report."""
        for fault in record.faults:
            name = record.players[fault.player]
            if fault.kind == "signal" and name not in self._signalled:
                self._signalled.add(name)
                if self._tell is not None:
                    self._tell(f"{name}: {fault.said}")

    def take_remains(self, participant: str, remains: Remains) -> None:
        """Take note of what is left of a program."""
        before = self._remains.get(participant)
        self._remains[participant] = remains if before is None else before.with_(remains)
        if before is None and self._tell is not None:
            self._tell(f"{participant}: {remains}")

    def left(self) -> tuple[str, ...]:
        """Return a line for each participant of which something is left; no record has them."""
        return tuple(f"{name}: {remains}" for name, remains in sorted(self._remains.items()))
