"""Numbers for JSON: finite, and with no more digits than needed."""

from math import isfinite

#: An interval this wide, in big blinds per 100 hands, says nothing at all.
_NOTHING_KNOWN = 1e8


def rounded(value: float | None, digits: int = 3) -> float | None:
    """Round a number to so many decimals; None if it says nothing.

    >>> rounded(1.23456), rounded(float("inf")), rounded(None), rounded(-0.0001, 2)
    (1.235, None, None, 0.0)
    """
    if value is None or not isfinite(value) or abs(value) >= _NOTHING_KNOWN:
        return None
    return round(value, digits) + 0.0
