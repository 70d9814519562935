"""Numbers and items that are computed when somebody asks for them, and once."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar, overload

_Key = TypeVar("_Key")
_Item = TypeVar("_Item")


class Lookup(Mapping[_Key, float]):
    """Numbers of participants or pairs, each computed when somebody asks for it, and once."""

    def __init__(self, keys: Collection[_Key], compute: Callable[[_Key], float]) -> None:
        self._keys = keys
        self._compute = compute
        self._known: dict[_Key, float] = {}

    def __getitem__(self, key: _Key) -> float:
        if key not in self._known:
            if key not in self._keys:
                raise KeyError(key)
            self._known[key] = self._compute(key)
        return self._known[key]

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class Later(Sequence[_Item]):
    """Items that are computed when somebody looks at them, and once."""

    def __init__(self, compute: Callable[[], Sequence[_Item]]) -> None:
        self._compute = compute

    @cached_property
    def _items(self) -> Sequence[_Item]:
        return self._compute()

    @overload
    def __getitem__(self, at: int) -> _Item: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[_Item]: ...
    def __getitem__(self, at: int | slice) -> _Item | Sequence[_Item]:
        return self._items[at]

    def __len__(self) -> int:
        return len(self._items)
