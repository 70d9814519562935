"""What takes most of a run's time, compiled: the luck of a game's hands, equities, and a hand against a range.

Each has a twin in plain Python that gives the same bytes. The twin is used where there was no C compiler, and where the
environment has `MOLT_BENCH_PURE=1`. A kernel stays only as long as a run takes over 15% longer without it. Its tables
come from `molt_bench.poker`. A kernel that is given something odd returns None, and its twin says what is wrong.
"""

import os
from importlib import import_module
from typing import Any, Final

#: The environment variable that turns them off.
PURE_VARIABLE: Final = "MOLT_BENCH_PURE"
#: The version of the C files that goes with these Python files, as in `kernels.h`.
VERSION: Final = 20


def _found() -> Any:
    if os.environ.get(PURE_VARIABLE, "") not in ("", "0"):
        return None
    try:
        found = import_module("molt_bench.kernels._compiled")
    except ImportError:
        return None
    return found if found.VERSION == VERSION else None  # another one was left behind by an older version


#: The module of the compiled functions; None for pure Python.
compiled: Final = _found()
