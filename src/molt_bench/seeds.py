"""Seeds: every random number of a run is a hash of a seed and a label for its use.

Nothing here has state, so the order of the games never changes the cards.
"""

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Final, TypeAlias

from molt_bench.errors import ConfigError
from molt_bench.files import text_of
from molt_bench.visible_text import shown

#: The environment variable for a secret master seed.
MASTER_SEED_VARIABLE: Final = "MOLT_BENCH_MASTER_SEED"

#: A seed as users write it. The int 7 and the string "7" are different seeds.
Seed: TypeAlias = int | str

#: Size limit of a seed file.
_MOST_BYTES: Final = 10_000_000


def label_bytes(label: Seed) -> bytes:
    """Encode a label so that no two lists of labels give the same bytes.

    Type and length precede the text, so ("ab", "c") differs from ("a", "bc") and 7 from "7".
    """
    if type(label) is int:
        # Hexadecimal, since Python refuses to convert ints of over 4,300 decimal digits.
        return b"i%#x;" % label
    if isinstance(label, str):
        try:
            text = label.encode()
        except UnicodeEncodeError:
            raise ConfigError("seed", label, "text that UTF-8 can write") from None
        return b"s%d:%b;" % (len(text), text)
    raise ConfigError("seed", label, "an int or a string")


def derive(seed: Seed, *labels: Seed) -> int:
    """Return the 256-bit number for `seed` and `labels`.

    >>> derive("s1", "agent", 0) == derive("s1", "agent", 0) != derive("s1", "agent", 1)
    True
    """
    return int.from_bytes(sha256(b"".join(map(label_bytes, (seed, *labels)))).digest(), "big")


def derive_last(seed: Seed, *labels: Seed) -> Callable[..., int]:
    """Return `derive` with all labels but the last ones given, for many numbers whose labels begin alike.

    >>> derive_last("s1", "agent")(0) == derive("s1", "agent", 0)
    True
    """
    begun = b"".join(map(label_bytes, (seed, *labels)))
    return lambda *last: int.from_bytes(sha256(begun + b"".join(map(label_bytes, last))).digest(), "big")


def derived_seed(seed: Seed, *labels: Seed) -> str:
    """Return a 128-bit seed for `seed` and `labels`, from which neither can be recovered.

    >>> len(derived_seed("s1", "deck"))
    32
    """
    return f"{derive(seed, *labels):064x}"[:32]


def seed_pool(master_seed: Seed, count: int, *, start: int = 0) -> list[str]:
    """Return seeds number `start` to `start + count - 1` of the pool of `master_seed`.

    >>> seed_pool("demo", 2, start=1) == seed_pool("demo", 3)[1:]
    True
    """
    if count < 1:
        raise ConfigError("seeds", count, "at least 1")
    number = derive_last(master_seed, "pool")
    return [f"{number(index):064x}"[:16] for index in range(start, start + count)]


def load_seeds(path: str) -> list[Seed]:
    """Read seeds from a file: a JSON list, or one seed per line. Whatever looks like an int is one.

    Raises:
        ConfigError: The file cannot be read, is empty, or has a seed twice.
    """
    text = text_of(path, field="seeds.file", most_bytes=_MOST_BYTES)
    seeds: list[Seed]
    if text.lstrip().startswith("["):
        try:
            seeds = json.loads(text)
        except json.JSONDecodeError as error:
            raise ConfigError("seeds.file", path, f"a JSON list (line {error.lineno}: {error.msg})") from error
        except RecursionError as error:
            raise ConfigError("seeds.file", path, "a JSON list of ints and texts alone") from error
        except ValueError as error:
            raise ConfigError("seeds.file", path, "ints of at most 4,000 digits") from error
    elif text.lstrip().startswith("{"):
        raise ConfigError("seeds.file", path, "a JSON list, or one seed per line, not a JSON object")
    else:
        seeds = [_seed_from_text(line.strip()) for line in text.splitlines()]
        while seeds and seeds[-1] == "":
            seeds.pop()
    if not seeds:
        raise ConfigError("seeds.file", path, "at least one seed")
    seen: set[tuple[type, Seed]] = set()
    for number, seed in enumerate(seeds, start=1):
        if seed == "" or isinstance(seed, bool) or not isinstance(seed, int | str):
            raise ConfigError("seeds.file", path, f"an int or a text as seed {number}, not {shown(seed)}")
        if (type(seed), seed) in seen:
            raise ConfigError(
                "seeds.file", path, f"every seed once, and seed {number}, {shown(seed)}, was there before"
            )
        seen.add((type(seed), seed))
        label_bytes(seed)
    return seeds


def _seed_from_text(text: str) -> Seed:
    return int(text) if re.fullmatch(r"0|-?[1-9][0-9]{0,4000}", text) else text
