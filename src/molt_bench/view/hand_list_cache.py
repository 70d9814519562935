"""The lists of hands of the runs that were looked at last, kept as they are sent: compressed, once."""

import gzip
from hashlib import blake2b
from threading import Lock
from typing import Final, Self, TypeAlias

import msgspec

from molt_bench.view.hand_columns import hand_columns, listing, packed_hands
from molt_bench.view.run_cache import CachedRun

#: A run, and whether its list of hands is packed.
_Name: TypeAlias = tuple[str, bool]
#: How many lists are kept, compressed: 100,000 hands take half a megabyte.
_KEPT: Final = 4
#: Bytes that are not worth compressing.
_SMALL: Final = 1000


class Body:
    """A body that is compressed when that is asked for, once.

    Attributes:
        tag: A hash of its text.
        small: Whether it is not worth compressing.
    """

    def __init__(self, text: bytes) -> None:
        self.tag = blake2b(text, digest_size=12).hexdigest()
        self.small = len(text) <= _SMALL
        self._text: bytes | None = text
        self._packed: bytes | None = None

    @property
    def text(self) -> bytes:
        """The body itself."""
        return gzip.decompress(self.packed) if self._text is None else self._text

    @property
    def packed(self) -> bytes:
        """The body, compressed quickly: 100,000 hands take 30 ms and shrink to a seventh."""
        if self._packed is None:
            self._packed = gzip.compress(self.text, compresslevel=1, mtime=0)
        return self._packed

    def kept(self) -> Self:
        """Keep it compressed only, since it stays in memory."""
        if not self.small and self.packed:
            self._text = None
        return self


class HandListCache:
    """The lists of hands of some runs. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._making: dict[_Name, Lock] = {}
        self._known: dict[_Name, tuple[object, Body]] = {}

    def body(self, cached: CachedRun, *, packed: bool) -> Body:
        """Return the list of a run, `packed` for a page, or as JSON.

        Whoever asks while it is made waits for it, and nobody else does.
        """
        name = cached.run.id, packed
        with self._lock:
            making = self._making.setdefault(name, Lock())
        with making:
            with cached.reading:
                run = cached.run
                # A line of the journal without a game may reveal the cards of earlier ones.
                state = run.journal_hash, run.journal_size, run.status, run.grades.known() is not None
                known = self._known.get(name)
                if known is not None and known[0] == state:
                    return known[1]
                listed = listing(run)
            made = packed_hands(run, listed) if packed else msgspec.json.encode(hand_columns(run, listed=listed))
            body = Body(made).kept()
            with self._lock:
                others = [(key, each) for key, each in self._known.items() if key != name]
                self._known = {**dict(others[1 - _KEPT :]), name: (state, body)}
            return body
