"""The supervisor of one program: starts it, sees how it ends, and takes in whatever it leaves behind.

It runs as a script, in a process of its own between us and the program. On Linux, processes that lose their parent
become children of the supervisor, so none gets away by leaving its session, forking twice or clearing its environment:
as long as the supervisor lives, all that the program started descends from it. It imports little, since it is started
for every game.

    supervisor_script.py DESCRIPTOR MEMORY_BYTES CPU_SECONDS PROGRAM [ARGUMENT...]

It writes a line to the descriptor: `failed ERRNO`, or `ended STATUS CPU_SECONDS` with the status of waitpid. It ends
when no process is left.
"""

import ctypes
import os
import sys

if sys.platform != "win32":  # where no program plays
    import resource

_PR_SET_CHILD_SUBREAPER = 36
#: SIGPIPE and SIGXFSZ, on Linux and macOS alike: to import their names would take longer than all else here.
_IGNORED_BY_PYTHON = (13, 25)


def _adopt_orphans() -> None:
    """Become the parent of descendants whose parents end; other systems than Linux cannot."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Limit this process and its future children, on systems that can: Linux."""
    if sys.platform != "linux":
        return
    # Data rather than address space: some runtimes reserve far more addresses than they use.
    wanted = {
        resource.RLIMIT_DATA: (memory_bytes, memory_bytes),
        resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 5),
        resource.RLIMIT_CORE: (0, 0),
    }
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


def main(command: list[str], descriptor: int, memory_bytes: int, cpu_seconds: int) -> None:
    """Start a program and report on it until nothing is left of it."""
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - it has no name
    _adopt_orphans()
    _limit(memory_bytes, cpu_seconds)
    try:
        # A group of its own: a program that signals its own group must not reach its supervisor.
        program = os.posix_spawn(command[0], command, os.environ, setpgroup=0, setsigdef=_IGNORED_BY_PYTHON)
    except OSError as error:
        os.write(descriptor, b"failed %d\n" % (error.errno or 0))
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for inherited in (0, 1, 2):  # the pipes are the program's alone
        os.dup2(nothing, inherited)
    while True:
        try:
            pid, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return
        if pid == program:
            os.write(descriptor, f"ended {status} {used.ru_utime + used.ru_stime:.3f}\n".encode("ascii"))


if __name__ == "__main__":
    main(sys.argv[4:], *map(int, sys.argv[1:4]))
