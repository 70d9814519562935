"""Cases of parametrised tests: some in every run of the tests, and all of them in the slow suites."""

from collections.abc import Iterable

import pytest


def one_in(every: int, cases: Iterable[object]) -> list[object]:
    """Return cases for `parametrize`: the first of `every` so many is always run, the others are slow."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if at % every == 0 else pytest.mark.slow)
        for at, case in enumerate(cases)
    ]
