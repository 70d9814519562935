"""Keys: never in a log, a record or an error."""

from typing import Final

_SECRET: Final = "[key]"
#: What is shorter is no secret, such as the "none" that some servers want.
_SHORTEST_KEY: Final = 8


def without(text: str, key: str) -> str:
    """Return a text without the key in it."""
    return text.replace(key, _SECRET) if len(key) >= _SHORTEST_KEY else text
