"""Modules that are loaded when they are first used, so that programs start fast.

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = lazy_import("numpy")

Type checkers see an ordinary import. At run time `np.exp` loads numpy; annotations that name it have to be quoted.
"""

from importlib import import_module
from types import ModuleType
from typing import Any


class _LazyModule(ModuleType):
    """A module that becomes a copy of the real one on first use, and from then on costs no more than that."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # somebody looks at it, as `inspect` and doctest do at everything in a file
            raise AttributeError(name)
        module = import_module(self.__name__)
        vars(self).update(vars(module))
        self.__class__ = ModuleType  # type: ignore[assignment]
        return getattr(module, name)


def lazy_import(name: str) -> ModuleType:
    """Return a module that is loaded when one of its names is first used; a missing one raises ImportError then."""
    return _LazyModule(name)
