"""The processes of a program that plays: finding them all, and ending them."""

import os
import signal
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic, sleep
from typing import Final

from molt_bench.agents.external.guests import Guest

#: The variable that marks everything a program started; its value is the program's folder.
TAG: Final = "MOLT_BENCH_AGENT"
#: Seconds before giving up on processes that do not end, or are started faster than they can be killed.
_PATIENCE_S: Final = 5.0
#: States of processes that have ended, and of those that stand still.
_ENDED: Final = frozenset("ZXx")
STOPPED: Final = frozenset("Tt")


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


def end_all(keeper: int, group: int, tag: str, guest: Guest | None) -> tuple[list[int], str]:
    """End the processes of a program; return those that are left, and why.

    Args:
        keeper: The process that all of them descend from. It is spared: as long as it lives, what a process started
            just before its end is found below it.
        group: The program's process group, for systems without /proc; 0 if it has none.
        tag: See `tagged`.
        guest: The user that the program runs as; None if that is ours.
    """
    if group and not os.path.exists("/proc/self/stat"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    deadline, pause_s = monotonic() + _PATIENCE_S, 0.001
    while alive := _of_program(keeper, tag):
        refused = [pid for pid in alive if not _killed(pid)]
        if refused and guest is None:
            return refused, "they run as another user"
        theirs = [pid for pid in refused if guest is not None and _user_of(pid) == guest.uid]
        why = guest.run("kill", "-KILL", *map(str, theirs)) if guest is not None and theirs else ""
        if why and not {*theirs}.isdisjoint(_of_program(keeper, tag)):
            return refused, why
        if monotonic() > deadline:
            return alive, "they do not end, or start others faster than they can be killed"
        sleep(pause_s)  # until they are gone; sudo itself ends after its program
        pause_s = min(2 * pause_s, 0.02)
    return [], ""


def _killed(pid: int) -> bool:
    """Kill a process; return whether we may."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def _of_program(keeper: int, tag: str) -> list[int]:
    """Return the living processes of a program, without its keeper."""
    states = descendants(keeper)
    found = [pid for pid, state in states.items() if pid != keeper and state not in _ENDED]
    return sorted({*found, *tagged(tag)} - {keeper})


def descendants(pid: int) -> dict[int, str]:
    """Return a process and all that descend from it, with their states; itself alone on systems without /proc."""
    children: dict[int, list[int]] = defaultdict(list)
    states = {pid: "?"}
    for process in _processes():
        with suppress(OSError), open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            state, parent = file.read().rpartition(")")[2].split()[:2]
            children[int(parent)].append(process)
            states[process] = state
    found, waiting = {pid: states[pid]}, [pid]
    while waiting:
        new = [child for child in children[waiting.pop()] if child not in found]
        found.update((child, states[child]) for child in new)
        waiting += new
    return found


def tagged(tag: str) -> list[int]:
    """Return the living processes with this tag; none on systems without /proc."""
    mark = f"{TAG}={tag}".encode()
    found = []
    for process in _processes():
        try:
            with open(f"/proc/{process}/environ", "rb", buffering=0) as file:
                if mark in file.read().split(b"\0"):
                    found.append(process)
        except OSError:  # another user's process, or it has ended
            continue
    return found


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _user_of(pid: int) -> int | None:
    """Return the user that a process runs as; None if it has ended. The owner of its entry would be root for some."""
    with suppress(OSError), open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("Uid:"):
                return int(line.split()[1])
    return None
