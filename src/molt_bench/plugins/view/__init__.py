"""View: the pages of runs, down to each hand, in the browser, in one file, or as a site."""

from math import isfinite
from typing import Final

from molt_bench.plugin import LazyCommand

VIEW: Final = LazyCommand(
    "View runs in the browser, in progress or finished: results, confidence, every hand from both sides.",
    "molt_bench.plugins.view.command:view",
    "Read results",
    "view",
)
#: An interval this wide, in big blinds per 100 hands, says nothing at all.
_NOTHING_KNOWN: Final = 1e8
#: Far more than are shown: a number that is rounded twice may come out wrong (1.449 as 1.45, and that as 1.5).
_DIGITS: Final = 9


def rounded(value: float | None) -> float | None:
    """Return a number for JSON without noise in its last digits; None if it says nothing.

    >>> rounded(0.1 + 0.2), rounded(float("inf")), rounded(None), rounded(-1e-12)
    (0.3, None, None, 0.0)
    """
    if value is None or not isfinite(value) or abs(value) >= _NOTHING_KNOWN:
        return None
    return round(value, _DIGITS) + 0.0
