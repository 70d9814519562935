"""What plug-ins show on the pages of a run: one that fails is left out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from molt_bench.plugin import PAGES, Section, loaded
from molt_bench.plugins.view.open_run import Deal, OpenRun
from molt_bench.report.rows import DealtHand

T = TypeVar("T")


class Sections:
    """The sections of all plug-ins for one run."""

    def __init__(self, run: OpenRun) -> None:
        self._run = run
        makers = loaded(PAGES)[0]
        self._sections: dict[str, Section | None] = dict.fromkeys(makers)
        for name, make in makers.items() if run.sections else ():
            self._sections[name] = _or_none(lambda make=make: make(run.run))  # type: ignore[misc]

    def data(self) -> dict[str, Mapping[str, Any] | None]:
        """Return what the page of the run shows of each, by its name; None for nothing."""
        return self._each(lambda section: section.data(self._run.shows))

    def deals(self) -> list[Deal]:
        """Return the deals that they link to."""
        found = self._each(lambda section: [*section.deals()])
        return [deal for deals in found.values() for deal in deals or ()]

    def costs(self) -> Mapping[tuple[int, int, str], tuple[list[int], list[int]]] | None:
        """Return what each hand cost players A and B, in mbb, by the first that knows it."""
        return next((costs for costs in self._each(lambda section: section.costs()).values() if costs), None)

    def hand(self, dealt: DealtHand, max_actions: int) -> dict[str, Sequence[Mapping[str, Any] | None] | None]:
        """Return what the page of a hand shows of each of its decisions."""
        return self._each(lambda section: section.hand(dealt, max_actions))

    def _each(self, ask: Callable[[Section], T]) -> dict[str, T | None]:
        return {
            name: None if section is None else _or_none(lambda section=section: ask(section))  # type: ignore[misc]
            for name, section in self._sections.items()
        }


def _or_none(act: Callable[[], T]) -> T | None:
    try:
        return act()
    except Exception:  # foreign code: it may raise anything
        return None
