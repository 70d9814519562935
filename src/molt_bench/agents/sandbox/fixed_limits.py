"""The limits of a box besides memory and processor time, which are settings; and which of them a box exceeds."""

import os
from typing import Final

#: Processes and threads together.
TASKS: Final = 1024
#: Open files of one process, and of all together where no cgroup counts the memory that they hold.
FILES: Final = 4096
#: What can be written to files, all of it in memory: in the home folder, and as shared memory.
DISK_BYTES: Final = 256 * 1024 * 1024
SHARED_MEMORY_BYTES: Final = 64 * 1024 * 1024
#: Files and folders in each of these, empty ones included.
ENTRIES: Final = 100_000


def _read(path: str) -> str:
    """Return what the kernel says about a process; "" if it is gone."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def _field(text: str, name: str) -> int:
    """Return a number of bytes out of lines such as `RssAnon: 12 kB`; 0 if it is not there."""
    _, _, found = text.partition(f"{name}:")
    return int((found.split() or ["0"])[0]) * 1024


def _open_files(pid: int) -> int:
    """Return how many files a process has open; 0 if nobody may know."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def _queued(pids: list[int]) -> int:
    """Return how many bytes wait in the connections of a box that has a network of its own."""
    for pid in reversed(pids):
        try:
            if os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net"):
                continue
        except OSError:
            continue
        kinds = ("tcp", "tcp6", "udp", "udp6")
        rows = [row.split() for kind in kinds for row in _read(f"/proc/{pid}/net/{kind}").splitlines()[1:]]
        return sum(int(size, 16) for row in rows for size in row[4].split(":"))
    return 0


def exceeded(root: int, tasks: int, memory_bytes: int, files: int) -> str:
    """Return the limit that a process and its descendants exceed together; "" if they keep to all.

    Pipes and sockets hold memory that belongs to no process, so open files are counted, too. Connections can hold much
    more, which counts as memory, and so do the kernel's notes on where memory is.
    """
    left, seen, count, used, opened, held = [root], [], 0, 0, 0, 0
    while left and count <= tasks:
        pid = left.pop()
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        seen.append(pid)
        count += len(threads)
        status = _read(f"/proc/{pid}/status")
        used += _field(status, "RssAnon") + _field(status, "RssShmem")
        held += _field(status, "VmPTE")
        opened += _open_files(pid)
        for thread in threads[:tasks]:
            left += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    if count > tasks:
        return f"{tasks} processes and threads"
    if opened > files:
        return f"{files} open files"
    held += _queued(seen)
    if used + held > memory_bytes:  # memory that processes share counts once, which takes longer to find out
        parts = [_read(f"/proc/{pid}/smaps_rollup") for pid in seen]
        used = sum([_field(part, "Pss_Anon") + _field(part, "Pss_Shmem") for part in parts]) if all(parts) else used
    return f"{memory_bytes // 1024 // 1024} MB of memory" if used + held > memory_bytes else ""
