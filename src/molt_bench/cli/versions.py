"""The versions that decide what a run gives, and how fast, in one line."""

import platform
from typing import TYPE_CHECKING

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.lazy_import import lazy_import

if TYPE_CHECKING:
    from molt_bench import kernels
else:
    kernels = lazy_import("molt_bench.kernels")


def about_this_machine() -> str:
    """Return the versions of the program, of what it plays and of Python, and whether the kernels are compiled."""
    how = "compiled" if kernels.compiled else "not compiled"
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return f"molt-bench {__version__} (bench version {BENCH_VERSION}, kernels {how}, {python})"
