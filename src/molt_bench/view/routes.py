"""The paths of the viewer's data, and what answers each of them."""

import re
from collections.abc import Callable
from typing import Any, Final

from molt_bench.view.library import Library

_NUMBER: Final = r"(0|[1-9][0-9]{0,8})"
_RUN: Final = r"api/runs/([^/]+)"
#: The paths of the data; a run is named first, the numbers follow.
_ROUTES: Final[dict[str, Callable[..., Any]]] = {
    r"api/runs\.json": Library.run_list,
    r"api/exams\.json": Library.exam_list,
    r"api/exams/([^/]+)\.json": Library.exam_page,
    r"api/history\.json": Library.history,
    r"api/pools\.json": Library.pools,
    rf"{_RUN}\.json": Library.run_page,
    rf"{_RUN}/names\.json": Library.names,
    rf"{_RUN}/hands\.json": Library.hand_columns,
    rf"{_RUN}/match/{_NUMBER}\.json": Library.match_page,
    rf"{_RUN}/lines/{_NUMBER}\.json": Library.played_hands,
    rf"{_RUN}/hand/{_NUMBER}/{_NUMBER}/{_NUMBER}\.json": Library.hand_page,
}
_PAIR: Final = r"api/compare/([^/]+)/([^/]+)\.json"


def answer(library: Library, path: str) -> Any | None:
    """Return the data of a path without a leading slash, decoded once; None if there is no such path."""
    for pattern, make in _ROUTES.items():
        found = re.fullmatch(pattern, path)
        if found:
            return make(library, *found.groups()[:1], *map(int, found.groups()[1:]))
    pair = re.fullmatch(_PAIR, path)
    return library.side_by_side(pair[1], pair[2]) if pair else None


def run_of(path: str, page: str = "") -> str | None:
    """Return the run if a path is the page of a run, or another page of it.

    >>> run_of("api/runs/mine.json"), run_of("api/runs/mine/search.json", "/search"), run_of("api/runs.json")
    ('mine', 'mine', None)
    """
    found = re.fullmatch(rf"{_RUN}{page}\.json", path)
    return found[1] if found else None
