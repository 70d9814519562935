"""What a program leaves running: finds all of its processes, wherever they went, and ends them."""

from contextlib import suppress
from time import monotonic, sleep
from typing import Final

import psutil

#: The variable that marks everything a program started; its value is the program's folder.
TAG: Final = "MOLT_BENCH_AGENT"
#: Seconds before giving up on processes that do not end, or are started faster than they can be killed.
_PATIENCE_S: Final = 5.0
#: Seconds by which the clock may have been set since a program was started.
_CLOCK_S: Final = 5.0


def end_all(supervisor: int, tag: str) -> tuple[list[int], str]:
    """End the processes of a program; return those that are left, and why.

    Its supervisor is spared: as long as that lives, what a process started just before its end is found below it.
    """
    deadline, pause_s = monotonic() + _PATIENCE_S, 0.001
    # The second look finds a process that the first missed since its parent ended meanwhile.
    while alive := processes_of(supervisor, tag) or processes_of(supervisor, tag):
        refused = [process for process in alive if not _killed(process)]
        if refused:
            return _numbers(refused), "they run as another user"
        if monotonic() > deadline:
            return _numbers(alive), "they do not end, or start others faster than they can be killed"
        sleep(pause_s)  # until they are gone
        pause_s = min(2 * pause_s, 0.02)
    return [], ""


def processes_of(supervisor: int, tag: str) -> list[psutil.Process]:
    """Return the living processes of a program, without its supervisor.

    They descend from the supervisor as long as that lives, on Linux also when their own parents have ended. After
    that, and elsewhere, the `TAG` in their environment tells them.
    """
    try:
        root = psutil.Process(supervisor)
        found = {*root.children(recursive=True)} if is_alive(root) else set()
        oldest = root.create_time() - _CLOCK_S
    except psutil.Error:
        found, oldest = set(), 0.0
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # another user's process, or it has ended
            if process.create_time() >= oldest and process.environ().get(TAG) == tag:
                found.add(process)
    return sorted((each for each in found if each.pid != supervisor and is_alive(each)), key=lambda each: each.pid)


def is_alive(process: psutil.Process) -> bool:
    """Return whether a process has not ended; one whose parent has yet to notice has."""
    try:
        return process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def stopped_processes(supervisor: int, tag: str) -> list[int]:
    """Return the processes of a program that a signal or a debugger has stopped."""
    found = []
    for process in processes_of(supervisor, tag):
        with suppress(psutil.NoSuchProcess):
            if process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP):
                found.append(process.pid)
    return found


def _killed(process: psutil.Process) -> bool:
    """Kill a process; return whether we may."""
    try:
        process.kill()
    except psutil.AccessDenied:
        return False
    except psutil.NoSuchProcess:
        pass
    return True


def _numbers(processes: list[psutil.Process]) -> list[int]:
    return [process.pid for process in processes]
