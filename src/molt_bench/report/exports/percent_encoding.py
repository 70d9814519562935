"""Names in formats without quoting: characters with a meaning there are percent-encoded, as in a URL."""

import re
from functools import lru_cache
from urllib.parse import quote


@lru_cache(maxsize=1024)
def plain_name(text: str, special: str) -> str:
    r"""Escape a name for a format without quoting: special characters are percent-encoded, as in a URL.

    >>> plain_name("a: b%\n", ":")
    'a%3A b%25%0A'
    """
    written = "".join([char if char.isprintable() and char not in special + "%" else quote(char, "") for char in text])
    # Spaces at either end would be lost.
    return re.sub("^ +| +$", lambda spaces: "%20" * len(spaces[0]), written)
