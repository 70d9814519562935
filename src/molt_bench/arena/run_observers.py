"""Those that plug-ins have told how a run goes; one that fails is a warning, and is told no more."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from molt_bench.bench.result import RunResult
from molt_bench.entry_points import OBSERVERS, broken, loaded, points
from molt_bench.plugin import RunObserver


class RunObservers:
    """The observers of one session of a run, by the names of their entry points.

    Attributes:
        problems: What went wrong with them; `warn` is told, too, once the run has begun.
    """

    def __init__(self, warn: Callable[[str], None] | None) -> None:
        self._warn = None
        self._observers: dict[str, RunObserver] = {}
        found, self.problems = loaded(OBSERVERS)
        for name, make in found.items():
            try:
                self._observers[name] = make()
            except Exception as error:  # foreign code: it may raise anything
                self._drop(name, error)
        self._warn = warn

    def tell(self, event: Literal["started", "seated", "game_over", "match_over"], *about: Any) -> None:
        """Tell them of an event, by the name of their method."""
        for name, each in [*self._observers.items()]:
            try:
                getattr(each, event)(*about)
            except Exception as error:  # as above
                self._drop(name, error)

    def ended(self, result: RunResult, folder: Path | None) -> Iterator[str]:
        """Tell them that the run has ended, and return their lines, which they may make when these are read."""
        returned: dict[str, Iterable[str]] = {}
        for name, each in [*self._observers.items()]:
            try:
                returned[name] = each.ended(result, folder)
            except Exception as error:  # as above
                self._drop(name, error)
        return self._lines(returned)

    def _lines(self, returned: Mapping[str, Iterable[str]]) -> Iterator[str]:
        for name, lines in returned.items():
            try:
                yield from [str(line) for line in lines]
            except Exception as error:  # as above
                self._drop(name, error)

    def _drop(self, name: str, error: Exception) -> None:
        self._observers.pop(name, None)
        said = broken(points(OBSERVERS)[name], error, ", so it is told no more of this run")
        self.problems.append(said)
        if self._warn is not None:
            self._warn(said)
