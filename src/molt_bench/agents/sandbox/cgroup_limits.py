"""cgroup v2: limits of memory and processes that the kernel keeps for a whole box, where groups are ours to make.

Groups lie below ours, or beside it: systemd gives users a place for that (`user@.service`), and root has one. A box
elsewhere has limits for each process (`setrlimit`), and its sums are looked at ten times a second.
"""

import os
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from secrets import token_hex
from time import monotonic, sleep
from typing import Final

_MOUNT: Final = "/sys/fs/cgroup"
_CONTROLLERS: Final = frozenset({"memory", "pids"})
#: Joins a group, and becomes another program.
JOIN: Final = 'echo $$ > "$0" || exit 125; '
#: Tasks of the box itself.
_OWN_TASKS: Final = 4
_PATIENCE_S: Final = 2.0


@cache
def place() -> str | None:
    """Return the folder in which this process can make groups that have limits; None if there is none."""
    return next((folder for folder in _candidates() if _works(folder)), None)


def _candidates() -> list[str]:
    own = next((line[3:] for line in _read("/proc/self/cgroup").splitlines() if line.startswith("0::")), "")
    if not own or not os.path.exists(f"{_MOUNT}/cgroup.controllers"):
        return []  # version 1, or both at once
    here = os.path.normpath(f"{_MOUNT}/{own}")
    found = [here, os.path.dirname(here)] if here != _MOUNT else [here]
    return [each for each in found if _has_limits(each)]


def _has_limits(folder: str) -> bool:
    return {*_read(f"{folder}/cgroup.subtree_control").split()} >= _CONTROLLERS


def _works(folder: str) -> bool:
    """Return whether a process can join a group that is made there."""
    if (shell := shutil.which("sh")) is None:
        return False
    try:
        group = _made(folder, 64 * 1024 * 1024, 16)
    except OSError:
        return False
    joined = subprocess.run(
        [shell, "-c", f"{JOIN}true", joining(group)], stderr=subprocess.DEVNULL, check=False, stdin=subprocess.DEVNULL
    )
    remove(group)
    return joined.returncode == 0


def new_group(memory_bytes: int, tasks: int) -> str | None:
    """Return a new group with these limits; None where there are no groups. Raises OSError if it cannot be made."""
    folder = place()
    return None if folder is None else _made(folder, memory_bytes, tasks + _OWN_TASKS)


def _made(folder: str, memory_bytes: int, tasks: int) -> str:
    group = f"{folder}/molt-bench-{os.getpid()}-{token_hex(6)}"
    os.mkdir(group)
    try:
        for name, value in (("memory.max", memory_bytes), ("pids.max", tasks), ("memory.oom.group", 1)):
            _write(f"{group}/{name}", value)
        with suppress(OSError):  # where there is no swap
            _write(f"{group}/memory.swap.max", 0)
    except OSError:
        remove(group)
        raise
    return group


def joining(group: str) -> str:
    """Return the file to which a process writes its number to join a group."""
    return f"{group}/cgroup.procs"


def exceeded(group: str) -> bool:
    """Return whether the kernel has ended a group at its limit of memory."""
    words = _read(f"{group}/memory.events").split()
    return any(name == "oom_kill" and count != "0" for name, count in zip(words[::2], words[1::2], strict=False))


def remove(group: str) -> None:
    """Remove a group, in which no process is left; one that has just ended may be seen there for a moment."""
    deadline = monotonic() + _PATIENCE_S
    while monotonic() < deadline:
        try:
            os.rmdir(group)
        except FileNotFoundError:
            return
        except OSError:
            with suppress(OSError):
                _write(f"{group}/cgroup.kill", 1)
            sleep(0.002)
        else:
            return


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, value: int) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))
