"""The processes of a program that plays: their limits, and cleaning up after them."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

#: The variable that marks everything a program started; its value is the program's folder.
TAG: Final = "MOLT_BENCH_AGENT"
#: Passes over the process table before giving up on a program that forks faster than it can be killed.
_SWEEPS: Final = 100


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


def sweep(process: "subprocess.Popen[bytes]", folder: str, owner: int) -> None:
    """Kill a program, which leads a process group, and all it started; reap it and remove its folder, which is its tag.

    `owner` is the process that started it; a fork of that process must leave the program alone.
    """
    if os.getpid() != owner:
        return
    try:
        with _undisturbed():
            _end(process, folder)
    except KeyboardInterrupt:  # it came before signals were blocked, and nobody else would clean up
        with _undisturbed():
            _end(process, folder)
        raise


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Block signals for a moment: after a Ctrl-C half-way, nobody would finish the cleanup."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(process: "subprocess.Popen[bytes]", folder: str) -> None:
    # Kill the group before reaping its leader: from then on its number could be reused.
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
    """Return the living processes with this tag; none on systems without /proc."""
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
            except OSError:  # another user's process, or it has ended
                continue
    return found


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):  # the program may have removed its own permissions
        for path, _, _ in os.walk(folder):
            with suppress(OSError):
                Path(path).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
