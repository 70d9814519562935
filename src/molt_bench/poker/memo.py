"""Results that are computed many at once, which is much faster, and remembered."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Memo(Generic[_Key, _Value]):
    """Remembers the values of keys; once there are more than `most`, the older half is dropped.

    `compute` returns the values of many keys, in their order.
    """

    def __init__(self, compute: Callable[[Sequence[_Key]], Sequence[_Value]], most: int) -> None:
        self._compute = compute
        self._most = most
        self._known: dict[_Key, _Value] = {}

    def prepare(self, keys: Iterable[_Key]) -> None:
        """Compute what is about to be asked for and not known yet."""
        known = self._known
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if not missing:
            return
        if len(known) > self._most:
            for key in [*islice(known, len(known) // 2)]:
                del known[key]
        known.update(zip(missing, self._compute(missing), strict=True))

    def of(self, key: _Key) -> _Value:
        """Return the value of a key."""
        found = self._known.get(key)
        if found is None:
            self.prepare((key,))
            found = self._known[key]
        return found

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()
