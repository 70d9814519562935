"""The supervisor of one program: starts it, sees how it ends, and takes in whatever it leaves behind.

It runs as a script, in a process of its own between us and the program. On Linux, processes that lose their parent
become children of the supervisor, so none gets away by leaving its session, forking twice or clearing its environment:
as long as the supervisor lives, all that the program started descends from it. It imports little, since it is started
for every game.

    supervisor_script.py DESCRIPTOR MEMORY_BYTES CPU_SECONDS TASKS FILES PROGRAM [ARGUMENT...]

It writes a line to the descriptor: `failed ERRNO`, or `ended STATUS CPU_SECONDS [LIMIT]` with the status of waitpid. It
ends when no process is left. A limit of 0 is none. If TASKS is not 0, the program is a box: it is ended if all that is
in it has more processes and threads than that, or more memory or open files than one process may have.
"""

import ctypes
import os
import select
import sys

if sys.platform != "win32":  # where no program plays
    import resource

_PR_SET_CHILD_SUBREAPER = 36
#: SIGPIPE, SIGXFSZ and SIGKILL, on Linux and macOS alike: to import their names would take longer than all else here.
_IGNORED_BY_PYTHON = (13, 25)
_SIGKILL = 9
#: Milliseconds between looks at what a box uses.
_LOOK_MS = 100


def _adopt_orphans() -> None:
    """Become the parent of descendants whose parents end; other systems than Linux cannot."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _limit(memory_bytes: int, cpu_seconds: int, files: int) -> None:
    """Limit this process and its future children, on systems that can: Linux."""
    if sys.platform != "linux":
        return
    # Data rather than address space: some runtimes reserve far more addresses than they use.
    wanted = {
        resource.RLIMIT_DATA: (memory_bytes, memory_bytes),
        resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 5),
        resource.RLIMIT_CORE: (0, 0),
    }
    if files:
        wanted[resource.RLIMIT_NOFILE] = (files, files)
    for kind, (soft, hard) in wanted.items():
        _, most = resource.getrlimit(kind)
        bound = hard if most == resource.RLIM_INFINITY else min(hard, most)
        try:
            resource.setrlimit(kind, (min(soft, bound), bound))
        except (OSError, ValueError, OverflowError):
            continue
    try:  # if the machine runs out of memory, programs are ended first
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


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


def _watched(program: int, descriptor: int, tasks: int, memory_bytes: int, files: int) -> str:
    """Wait until a box has ended, and end it if it exceeds a limit; return which."""
    ended = select.poll()
    try:
        ended.register(os.pidfd_open(program), select.POLLIN)
    except OSError:  # before Linux 5.3
        return ""
    while not ended.poll(_LOOK_MS):
        limit = exceeded(program, tasks, memory_bytes, files)
        if limit:
            try:
                os.kill(program, _SIGKILL)  # all that is in the box ends with it
            except PermissionError:  # sudo, which whoever reads this can have ended
                os.write(descriptor, f"ended {_SIGKILL} 0 {limit}\n".encode("ascii"))
            return limit
    return ""


def main(command: list[str], descriptor: int, memory_bytes: int, cpu_seconds: int, tasks: int, files: int) -> None:
    """Start a program and report on it until nothing is left of it."""
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - it has no name
    _adopt_orphans()
    if memory_bytes:  # a container has its own limits
        _limit(memory_bytes, cpu_seconds, files)
    try:
        # A group of its own: a program that signals its own group must not reach its supervisor.
        program = os.posix_spawn(command[0], command, os.environ, setpgroup=0, setsigdef=_IGNORED_BY_PYTHON)
    except OSError as error:
        os.write(descriptor, b"failed %d\n" % (error.errno or 0))
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for inherited in (0, 1, 2):  # the pipes are the program's alone
        os.dup2(nothing, inherited)
    limit = _watched(program, descriptor, tasks, memory_bytes, files) if tasks and sys.platform == "linux" else ""
    while True:
        try:
            pid, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return
        if pid == program:
            os.write(descriptor, f"ended {status} {used.ru_utime + used.ru_stime:.3f} {limit}\n".encode("ascii"))


if __name__ == "__main__":
    main(sys.argv[6:], *map(int, sys.argv[1:6]))
