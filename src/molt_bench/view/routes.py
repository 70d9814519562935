"""Routes: from the path of a request to its JSON."""

import re
from collections.abc import Callable
from typing import Any, Final

from molt_bench.view.library import Library

_NUMBER: Final = r"(0|[1-9][0-9]{0,8})"
_RUN: Final = r"api/runs/([^/]+)"
_ROUTES: Final[list[tuple[re.Pattern[str], Callable[..., Any]]]] = [
    (re.compile(r"api/runs\.json"), lambda library: library.run_list()),
    (re.compile(r"api/history\.json"), lambda library: library.history()),
    (re.compile(rf"{_RUN}\.json"), lambda library, run: library.run_page(run)),
    (re.compile(rf"{_RUN}/hands\.json"), lambda library, run: library.hand_columns(run)),
    (
        re.compile(rf"{_RUN}/match/{_NUMBER}\.json"),
        lambda library, run, match: library.match_page(run, int(match)),
    ),
    (
        re.compile(rf"{_RUN}/hand/{_NUMBER}/{_NUMBER}/{_NUMBER}\.json"),
        lambda library, run, match, seed, hand: library.hand_page(run, int(match), int(seed), int(hand)),
    ),
]


def answer(library: Library, path: str) -> Any | None:
    """Return the data of a path, or None if there is no such path.

    Args:
        library: The runs.
        path: Without a leading slash, decoded once.

    Raises:
        ConfigError: There is no such run, match or hand.
        JournalError: The run cannot be read.
    """
    for pattern, make in _ROUTES:
        found = pattern.fullmatch(path)
        if found:
            return make(library, *found.groups())
    return None


def run_of(path: str) -> str | None:
    """Return the run if a path is the page of a run."""
    found = _ROUTES[2][0].fullmatch(path)
    return found[1] if found else None
