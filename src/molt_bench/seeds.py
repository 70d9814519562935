"""Randomness by label: every random number of a run is a hash of a seed and the name of its use.

Nothing here has state, so the order in which games are played never changes what is dealt.
"""

from hashlib import sha256
from typing import TypeAlias

from molt_bench.errors import ConfigError

#: A seed as users write it. The int 7 and the text "7" are two different seeds.
Seed: TypeAlias = int | str


def label_bytes(label: Seed) -> bytes:
    """Write one label so that no two lists of labels ever give the same bytes.

    Type and length stand before the text, so ("ab", "c") differs from ("a", "bc") and 7 from "7".
    """
    if isinstance(label, bool) or not isinstance(label, int | str):
        raise ConfigError("seed", label, "an int or a string")
    if isinstance(label, int):
        # Hexadecimal, since Python refuses to write ints of over 4,300 digits in decimal.
        return b"i%b;" % hex(label).encode()
    try:
        text = label.encode()
    except UnicodeEncodeError:
        raise ConfigError("seed", label, "text that UTF-8 can write") from None
    return b"s%d:%b;" % (len(text), text)


def derive(seed: Seed, *labels: Seed) -> int:
    """Return the 256-bit number that belongs to `seed` and `labels`.

    >>> derive("s1", "agent", 0) == derive("s1", "agent", 0) != derive("s1", "agent", 1)
    True
    """
    return int.from_bytes(sha256(b"".join(map(label_bytes, (seed, *labels)))).digest(), "big")


def seed_pool(master_seed: Seed, count: int, *, start: int = 0) -> list[str]:
    """Return the seeds number `start` to `start + count - 1` of the pool that `master_seed` names.

    >>> seed_pool("demo", 2, start=1) == seed_pool("demo", 3)[1:]
    True
    """
    if count < 1:
        raise ConfigError("seeds", count, "at least 1")
    return [f"{derive(master_seed, 'pool', index):064x}"[:16] for index in range(start, start + count)]
