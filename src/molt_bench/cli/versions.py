"""The versions that decide what a run gives, and how fast, in one line."""

import platform

from molt_bench import kernels
from molt_bench._version import BENCH_VERSION, __version__


def about_this_machine() -> str:
    """Return the versions of the program, of what it plays and of Python, and whether the kernels are compiled."""
    how = "compiled" if kernels.compiled else "not compiled"
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return f"molt-bench {__version__} (bench version {BENCH_VERSION}, kernels {how}, {python})"
