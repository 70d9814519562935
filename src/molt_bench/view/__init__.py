"""View: the pages of a run, down to each hand; served on this machine or written as one file."""

from math import isfinite

#: An interval this wide, in big blinds per 100 hands, says nothing at all.
_NOTHING_KNOWN = 1e8


def rounded(value: float | None, digits: int = 3) -> float | None:
    """Round a number for JSON to so many decimals; None if it says nothing.

    >>> rounded(1.23456), rounded(float("inf")), rounded(None), rounded(-0.0001, 2)
    (1.235, None, None, 0.0)
    """
    if value is None or not isfinite(value) or abs(value) >= _NOTHING_KNOWN:
        return None
    return round(value, digits) + 0.0
