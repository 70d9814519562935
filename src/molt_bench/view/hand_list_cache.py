"""The lists of hands of the runs that were looked at last, kept as they are sent."""

from threading import Lock
from typing import Final, NamedTuple, TypeAlias

import msgspec

from molt_bench.view.compressed_body import Body
from molt_bench.view.hand_columns import hand_columns, listing, packed_hands
from molt_bench.view.run_cache import CachedRun

#: A run, and whether its list of hands is packed.
_Name: TypeAlias = tuple[str, bool]
#: How many lists are kept, compressed: 100,000 hands take half a megabyte.
_KEPT: Final = 4


class _State(NamedTuple):
    """What a list of hands depends on: a line of the journal without a game may reveal the cards of earlier ones."""

    journal: str
    size: int
    status: str
    sections: tuple[str, ...]


class HandListCache:
    """The lists of hands of some runs. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._making: dict[_Name, Lock] = {}
        self._known: dict[_Name, tuple[_State, Body]] = {}

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
                state = _State(run.journal_hash, run.journal_size, run.status, run.known_sections)
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
