"""Suggestions for a mistyped word: did you mean this name, and which ones are known."""

import difflib
from collections.abc import Collection, Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message that suggests the nearest known name, whatever its case; "" if none is near.

    >>> did_you_mean("tigth", ["random", "tight"]), did_you_mean("hands_per_gmae", ["handsPerGame"])
    ("; did you mean 'tight'?", "; did you mean 'handsPerGame'?")
    >>> did_you_mean("something else", ["random", "tight"])
    ''
    """
    alike = {_bare(name): name for name in known}
    near = difflib.get_close_matches(_bare(word), alike, n=1)
    return f"; did you mean {alike[near[0]]!r}?" if near else ""


def one_of(known: Collection[str], word: str) -> str:
    """Return what to expect in place of an unknown word: one of the known ones, and the nearest of them."""
    return f"one of {', '.join(known)}{did_you_mean(word, known)}"


def _bare(name: str) -> str:
    """Return a name as it sounds: a user who mistypes one may not know how it is spelt."""
    return name.lower().replace("_", "").replace("-", "")
