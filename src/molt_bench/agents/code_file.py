"""Files of Python code, found and read without running anything: neither the code nor the packages around it."""

import os
import stat
import sys
from collections.abc import Sequence
from errno import EINVAL
from functools import cached_property
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder

import msgspec


class CodeFile(msgspec.Struct, frozen=True, dict=True):
    """A file of code: its absolute path with links followed, and its bytes, read once."""

    path: str
    content: bytes

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the bytes."""
        return sha256(self.content).hexdigest()


def code_file(source: str) -> CodeFile | None:
    """Return the file of `path/to/file.py` or of a module; None if there is no such module, or it has no file.

    Raises OSError if the file cannot be read.
    """
    if source.endswith(".py"):
        path = source
    else:
        spec = module_spec(source)
        if spec is None or not spec.has_location or spec.origin is None:
            return None
        path = spec.origin
    real = os.path.realpath(path)
    with open(real, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a device may never end
            raise OSError(EINVAL, "not a file", real)
        return CodeFile(real, file.read())


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; opening a pipe without a writer would block otherwise."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def module_spec(module: str) -> ModuleSpec | None:
    """Return where a module comes from. `importlib.util.find_spec` would import the packages that it lies in."""
    path: Sequence[str] | None = None
    found, parts = None, module.split(".")
    for at, part in enumerate(parts):
        found = (
            _found(".".join(parts[: at + 1]), path) if part.isidentifier() and (not at or path is not None) else None
        )
        if found is None:
            return None
        path = found.submodule_search_locations
    return found


def _found(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        if finder is PathFinder:
            # The current folder comes first, as with `python -m`.
            found = PathFinder.find_spec(name, ["", *sys.path] if path is None else path)
        else:
            found = finder.find_spec(name, path)
        if found is not None:
            return found
    return None
