"""Hosts that wait for their game: each is started in a new box while the game before is played.

A host takes a tenth of a second to load Python and our modules. Until its game begins, it is told nothing: neither
which agent it will play nor what happened in any game. It is used once, like every box.
"""

import atexit
import os
from collections.abc import Hashable
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeAlias

from molt_bench.agents.external.supervised_program import SupervisedProgram
from molt_bench.agents.sandbox.box_keeper import keeper
from molt_bench.agents.sandbox.boxed_program import BoxedProgram, started_program
from molt_bench.agents.sandbox.choice import Boxed
from molt_bench.agents.sandbox.visible_files import hidden_folders

#: Hosts that wait at once: for whoever plays, and for whoever is asked for its odds.
_MOST: Final = 2
#: Seconds that a host waits for a game; then it is ended.
_PATIENCE_S: Final = 30.0
#: How a host is started: all that its command has, and the runs that its box hides.
_Start: TypeAlias = tuple[Hashable, ...]


class _Waiting:
    """A host that waits, and is looked at."""

    def __init__(self, start: _Start, program: BoxedProgram | SupervisedProgram) -> None:
        self._start, self.program, self._since = start, program, monotonic()

    def look(self) -> bool:
        """End it if it has waited for too long; return whether it has to be looked at again."""
        with _lock:
            waits = self in _waiting.get(self._start, ())
            if waits and monotonic() - self._since < _PATIENCE_S:
                return True
            if waits:
                _waiting[self._start].remove(self)
        if waits:
            self.end()
        return False

    def end(self) -> None:
        self.program.sweep(os.getpid(), lambda _: None)


_waiting: dict[_Start, list[_Waiting]] = {}
#: How often all hosts have been ended.
_ends = 0
_lock = Lock()


def host_for(command: Boxed) -> BoxedProgram | SupervisedProgram:
    """Return a host that has been told nothing yet. Raises OSError or ValueError if it cannot be started."""
    with _lock:
        waiting = _waiting.get(_start_of(command))
        found = waiting.pop(0) if waiting else None
    if found is not None and not found.program.ended:
        return found.program
    if found is not None:
        found.end()
    return started_program(command, piped=True)


def another_after(command: Boxed) -> None:
    """Have a host started for the next game, unless this is the first: there may be no other.

    It is called once a game has begun, which would else share the processor with the start of that host.
    """
    if command.box is None:
        return
    start = _start_of(command)
    with _lock:
        is_first = start not in _waiting
        missing = _MOST - len(_waiting.setdefault(start, []))
        ends = _ends
    if missing > 0 and not is_first:
        keeper().soon(lambda: _add(start, command, ends=ends))


def _start_of(command: Boxed) -> _Start:
    variables = tuple(sorted(command.environment.items()))
    return command.words, command.box, command.shown, variables, repr(command.settings), hidden_folders()


def _add(start: _Start, command: Boxed, *, ends: int) -> None:
    """Start a host that waits, unless there are enough, or all have been ended since it was asked for."""
    with _lock:
        if ends != _ends or len(_waiting.get(start, ())) >= _MOST:
            return
    try:
        added = _Waiting(start, started_program(command, piped=True))
    except (OSError, ValueError):  # whoever needs one will see why
        return
    with _lock:
        waits = ends == _ends
        if waits:
            _waiting.setdefault(start, []).append(added)
    if waits:
        keeper().watch(added)
    else:
        added.end()


def end_all() -> None:
    """End all hosts that wait, and those that are being started."""
    global _ends
    with _lock:
        _ends += 1
        found = [each for some in _waiting.values() for each in some]
        _waiting.clear()
    for each in found:
        each.end()


def _none_yet(*_: Any) -> None:
    """Forget the hosts of the process that this one is a fork of."""
    global _lock
    _lock = Lock()
    _waiting.clear()


atexit.register(end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_none_yet)
