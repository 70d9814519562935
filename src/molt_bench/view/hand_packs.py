"""Packs: what a published site has of a match in one file, of which a page reads the part that it needs.

A pack is a sequence of pieces, each compressed by itself: the page of the match, the lines of its hands, then some
hands each. The index says where each piece begins, how long it is, and what it has. A web host that knows ranges sends
a piece alone.
"""

import gzip
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec

from molt_bench.files import write_whole

#: Hands in a piece: what a reader of one hand fetches, with its neighbours.
_IN_A_PIECE: Final = 24


def write_pack(path: Path, first: Iterable[dict[str, Any]], hands: Iterable[dict[str, Any]]) -> list[list[Any]]:
    """Write the pages of a match and of its hands as one file, and return its index: [offset, length, names] each.

    `first` are pieces by the names of what they have; hands are named by seed pair and number.
    """
    index: list[list[Any]] = []
    pieces = list[bytes]()
    for pages in _pieces(first, hands):
        packed = gzip.compress(msgspec.json.encode(pages), mtime=0)
        index.append([sum(map(len, pieces)), len(packed), [*pages]])
        pieces.append(packed)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, b"".join(pieces))
    return index


def _pieces(first: Iterable[dict[str, Any]], hands: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from first
    rest = iter(hands)
    while some := [*islice(rest, _IN_A_PIECE)]:
        yield {f"{page['seedIndex']}/{page['hand']}": page for page in some}
