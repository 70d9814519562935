"""Compiled versions of the few functions that take most of a run's time, where they were built.

Each has a twin in plain Python that gives the same bytes, and that is used where there was no C compiler, or where the
environment has `MOLT_BENCH_PURE=1`. A kernel stays only as long as a run, or the bare engine, takes over 15% longer
without it. The tables come from `molt_bench.poker`: the C files know how seven cards are looked up and how cards are
drawn, and no other rule. A kernel that is given something odd returns None, and its twin says what is wrong.
"""

import os
from importlib import import_module
from typing import Any, Final

#: The environment variable that turns them off.
PURE_VARIABLE: Final = "MOLT_BENCH_PURE"
#: The version of the C files that goes with these Python files, as in `kernels.h`.
VERSION: Final = 19


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
