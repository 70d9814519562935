"""Ending a program for good: its process group, what escaped from it, its zombie and its folder."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

#: The variable by which everything that a program started can be told; its value is the program's folder.
TAG: Final = "MOLT_BENCH_AGENT"
#: Looks at the process table before one gives up on what starts processes faster than they are ended.
_SWEEPS: Final = 100


def sweep(process: "subprocess.Popen[bytes]", folder: str, owner: int) -> None:
    """End a program and all it started, reap it and remove its folder.

    Args:
        process: The program; it leads a process group.
        folder: Its folder, which is also its tag.
        owner: The process that started it; a fork of that one must leave it alone.
    """
    if os.getpid() != owner:
        return
    try:
        with _undisturbed():
            _end(process, folder)
    except KeyboardInterrupt:  # one that had come already: nobody else would sweep
        with _undisturbed():
            _end(process, folder)
        raise


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Put signals off for a moment: nobody would sweep again after a Ctrl-C in the middle of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(process: "subprocess.Popen[bytes]", folder: str) -> None:
    # The group before the zombie is reaped: from then on its number could be another's.
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    for _ in range(_SWEEPS):
        escaped = tagged(folder)
        if not escaped:
            break
        for pid in escaped:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
    _remove(folder)


def tagged(tag: str) -> list[int]:
    """Return the processes with this tag that are alive; none where the system has no /proc."""
    mark = f"{TAG}={tag}".encode()
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    found = []
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/environ", "rb", buffering=0) as file:
                    if mark in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:  # another user's, or gone
                continue
    return found


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):  # it may have locked itself out of folders of its own
        for path, _, _ in os.walk(folder):
            with suppress(OSError):
                Path(path).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
