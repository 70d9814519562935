"""The limits of a program that plays: its environment variables, memory and processor time."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress

from molt_bench.agents.external.cleanup import TAG


def environment_of(folder: str, passed_on: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program: of ours only PATH and what is passed on, so none of our API keys."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": folder,
        "TMPDIR": folder,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        **passed_on,
        TAG: folder,
    }


def limit(pid: int, *, memory_mb: int, cpu_seconds: int) -> None:
    """Limit a process and its future children, on systems that can: Linux."""
    if sys.platform != "linux":
        return
    import resource  # only on Linux

    megabytes = memory_mb * 1024 * 1024
    # Data rather than address space: some runtimes reserve far more addresses than they use.
    wanted = {
        resource.RLIMIT_DATA: (megabytes, megabytes),
        resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 5),
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, (soft, hard) in wanted.items():
        with suppress(OSError, ValueError, OverflowError):
            _, most = resource.prlimit(pid, kind)
            bound = hard if most == resource.RLIM_INFINITY else min(hard, most)
            resource.prlimit(pid, kind, (min(soft, bound), bound))
