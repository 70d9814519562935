"""A program in a box of bubblewrap: started, watched, and ended with all that is in its box.

It needs no supervisor of ours: nothing gets out of the box, which ends with its first process. So it starts faster than
a program without a box.
"""

import os
import select
import signal
import subprocess
from contextlib import suppress
from threading import Lock
from typing import Final

from molt_bench.agents.external.exit_reason import ExitReason, in_box, out_of_memory_kills
from molt_bench.agents.external.program_environment import program_environment
from molt_bench.agents.external.program_settings import CPU_SECONDS
from molt_bench.agents.external.supervised_program import OnRemains, Remains, SupervisedProgram, undisturbed
from molt_bench.agents.sandbox import cgroup_limits
from molt_bench.agents.sandbox.box_keeper import keeper
from molt_bench.agents.sandbox.bubblewrap import HOME
from molt_bench.agents.sandbox.choice import Boxed
from molt_bench.agents.sandbox.fixed_limits import DISK_BYTES, ENTRIES, FILES, SHARED_MEMORY_BYTES, TASKS, exceeded
from molt_bench.errors import FaultKind

#: Seconds for a box to end once its first process is killed.
_ENDING_S: Final = 5.0
#: The limits of each process, set by a shell, which becomes the box. If memory runs out, boxes are ended first.
_LIMITS: Final = (
    "ulimit -c 0; ulimit -d {data_kb}; ulimit -n {files}; ulimit -S -t {cpu_s}; ulimit -H -t {cpu_hard_s}; "
    "echo 1000 > /proc/self/oom_score_adj; "
)
_MB: Final = 1024 * 1024


class BoxedProgram:
    """A program in a new box; see `SupervisedProgram`, in whose place it is. Raises OSError if it cannot be started.

    Attributes:
        process: The box. Its pipes are the program's.
        folder: "", since the program works in its box.
    """

    folder = ""

    def __init__(self, command: Boxed, *, piped: bool) -> None:
        settings = command.settings
        assert command.box is not None
        self._cpu_limit_s = CPU_SECONDS
        self._memory = settings.memory_mb * _MB
        self._kills = out_of_memory_kills()
        self._ending: ExitReason | None = None
        self._limit = ""
        self._reaping = Lock()
        self._group = cgroup_limits.new_group(self._memory, TASKS)
        limits = _LIMITS.format(
            data_kb=self._memory // 1024, files=FILES, cpu_s=CPU_SECONDS, cpu_hard_s=CPU_SECONDS + 5
        )
        join, group = ("", "sh") if self._group is None else (cgroup_limits.JOIN, cgroup_limits.joining(self._group))
        with command.box.open_filter() as filter_fd:
            words = command.box.command(command.words, command.shown, filter_fd)
            try:
                self.process = keeper().call(
                    lambda: subprocess.Popen(
                        ["/bin/sh", "-c", f'{{ {limits}}} 2>/dev/null; {join}exec "$@"', group, *words],
                        bufsize=0,
                        stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE if piped else subprocess.STDOUT,
                        cwd="/",
                        env=program_environment(command.environment, HOME),
                        start_new_session=True,
                        pass_fds=() if filter_fd is None else (filter_fd,),
                    ),
                    undo=lambda process: os.killpg(process.pid, signal.SIGKILL),
                )
            except BaseException:
                self._remove_group()
                raise
        if self._group is None:
            keeper().watch(self)

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        if self._ending is not None:
            return True
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return True

    def fault(self) -> tuple[FaultKind, str]:
        """Return how the program ended: the kind of fault that this is, and what happened."""
        return ("signal", "its box was ended from outside") if self._ending is None else self._ending.fault()

    def look(self) -> bool:
        """End it if all that is in it uses more than it may; return whether it has to be looked at again."""
        with self._reaping:  # until then, its number cannot be another's
            if self.ended:
                return False
            self._limit = exceeded(self.process.pid, TASKS, self._memory, FILES) or self._entries()
            if self._limit:
                self._kill()
        return not self._limit

    def _entries(self) -> str:
        """Return the limit of files if there are too many; space is limited by the file systems themselves."""
        for pid in self._inside():
            for folder, size in ((HOME, DISK_BYTES), ("/dev/shm", SHARED_MEMORY_BYTES)):
                with suppress(OSError):
                    found = os.statvfs(f"/proc/{pid}/root{folder}")
                    is_own = found.f_blocks * found.f_frsize == size  # it may not have its own files yet
                    if is_own and found.f_files - found.f_ffree > ENTRIES:
                        return f"{ENTRIES:,} files"
        return ""

    def _inside(self) -> list[int]:
        """Return the first process of the box, with which all others end; none before it has one."""
        pid = self.process.pid
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return [*map(int, file.read().split())]
        except OSError:
            return []

    def _kill(self) -> None:
        inside = self._inside()
        for pid in inside:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)  # the box ends once all in it has
        if not inside:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def sweep(self, owner: int, report: OnRemains) -> None:
        """End the program and all that is in its box; see `SupervisedProgram.sweep`."""
        if os.getpid() != owner:
            return
        with undisturbed():
            remains = self._end()
        if remains.pids:
            report(remains)

    def _end(self) -> Remains:
        if self._ending is not None:
            return Remains()
        with self._reaping:
            self._kill()
            if not self._waited(_ENDING_S):
                with suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self._waited(_ENDING_S)
            pid, status = os.waitpid(self.process.pid, os.WNOHANG)
            if self._group is not None and cgroup_limits.exceeded(self._group):
                self._limit = f"{self._memory // _MB} MB of memory"
            out_of_memory = out_of_memory_kills() > self._kills
            self._ending = ExitReason(
                in_box(status), None, self._cpu_limit_s, out_of_memory=out_of_memory, limit=self._limit
            )
            self.process.returncode = os.waitstatus_to_exitcode(status) if pid else None
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._remove_group()
        return Remains() if pid else Remains((self.process.pid,), why="it does not end")

    def _waited(self, limit_s: float) -> bool:
        """Wait until the box has ended, but no longer than this; return whether it has."""
        with suppress(OSError):  # before Linux 5.3
            descriptor = os.pidfd_open(self.process.pid)
            try:
                ended = select.poll()
                ended.register(descriptor, select.POLLIN)
                return bool(ended.poll(1000 * limit_s))
            finally:
                os.close(descriptor)
        return self.ended

    def _remove_group(self) -> None:
        if self._group is not None:
            cgroup_limits.remove(self._group)


def started_program(command: Boxed, *, piped: bool) -> BoxedProgram | SupervisedProgram:
    """Start a program, in its box or without; raises OSError or ValueError if it cannot be started."""
    made = SupervisedProgram if command.box is None else BoxedProgram
    return made(command, piped=piped)
