"""What belongs to a process of a program: all that descends from it, and how that is ended."""

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from time import monotonic
from typing import Final

#: The variable that marks all that a program starts; its value is the program's folder.
TAG: Final = "MOLT_BENCH_AGENT"
#: Seconds for what is killed to be gone.
_DYING_S: Final = 5.0
#: Whether the system can tell that a process has ended without reaping it: macOS cannot.
_LOOKS: Final = hasattr(os, "waitid")


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a process has ended. Where that is possible it is not reaped: its number stays its own."""
    if not _LOOKS:
        return process.poll() is not None
    with suppress(ChildProcessError):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True


def end_group(process: "subprocess.Popen[bytes]", folder: str, owner: int) -> None:
    """End a program with all that it started and can be found, and remove its folder; not from a fork of the bench."""
    if os.getpid() != owner:
        return
    for pid in () if folder else descendants(process.pid)[1:2]:
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.kill(pid, signal.SIGKILL)  # all in a box ends with the process below its first, which then ends itself
            process.wait(_DYING_S)
    with suppress(ProcessLookupError, PermissionError):
        if process.returncode is None or not _LOOKS:  # its number cannot be another's before it is reaped
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_DYING_S)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    if folder:
        _kill_strays(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _kill_strays(tag: str) -> None:
    """End processes that left the group of their program, as daemons do: its tag is in their environment."""
    wanted, deadline = f"{TAG}={tag}".encode(), monotonic() + _DYING_S
    left = True
    while left and monotonic() < deadline:
        left = False
        for pid in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
            with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    os.kill(int(pid), signal.SIGKILL)
                    left = True


def descendants(pid: int) -> list[int]:
    """Return a process and what descends from it, parents first; where the system does not tell, the process alone."""
    found = [pid]
    for each in found:  # it grows
        with suppress(OSError), open(f"/proc/{each}/task/{each}/children", encoding="ascii") as file:
            found += map(int, file.read().split())
    return found


def is_stopped(pid: int) -> bool:
    """Return whether a signal or a debugger has stopped a process, or one of those that descend from it."""
    for each in descendants(pid):
        with suppress(OSError), open(f"/proc/{each}/stat", encoding="utf-8", errors="replace") as file:
            if file.read().rpartition(")")[2].split()[0] in ("T", "t"):
                return True
    return False
