"""molt-bench: which agent plays better heads-up no-limit hold'em, and how sure are we?

A name is loaded when it is first asked for, so that `import molt_bench` and the help of the command are quick. The
names are in `__init__.pyi`, where type checkers find them.
"""

import re
from importlib import import_module
from pathlib import Path

_IMPORT = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)
_HOMES = {name: home for home, name in _IMPORT.findall(Path(__file__).with_suffix(".pyi").read_text("utf-8"))}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'molt_bench' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
