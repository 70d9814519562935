"""A program under its supervisor: started, watched, and ended with all that it started."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from molt_bench.agents.external.exit_reason import ExitReason, out_of_memory_kills
from molt_bench.agents.external.process_cleanup import end_all
from molt_bench.agents.external.program_environment import program_environment
from molt_bench.agents.external.program_settings import CPU_SECONDS
from molt_bench.agents.sandbox.choice import Boxed
from molt_bench.errors import FaultKind

_SUPERVISOR: Final = str(Path(__file__).with_name("supervisor_script.py"))
#: Without what it does not need, Python starts twice as fast.
_PYTHON: Final = ("-I", "-S")
_REPORT_SIZE: Final = 4096
#: At most so many processes that are left are named.
_NAMED: Final = 30


class Remains(msgspec.Struct, frozen=True):
    """What is left of a program that was to be ended.

    Attributes:
        pids: Its processes that are still there.
        folder: Its folder, if that could not be removed; else "".
        why: Why its processes are left.
    """

    pids: tuple[int, ...] = ()
    folder: str = ""
    why: str = ""

    def with_(self, later: "Remains") -> "Remains":
        """Return what is left here and there together."""
        return Remains((*self.pids, *later.pids), later.folder or self.folder, later.why or self.why)

    def __str__(self) -> str:
        """Say so in one line."""
        count, some = len(self.pids), ", ".join(map(str, self.pids[:_NAMED]))
        pids = f"pid{'' if count == 1 else 's'} {some}{', ...' if count > _NAMED else ''}"
        cannot_end = f"{count} of its processes could not be ended ({pids}): {self.why}" if self.pids else ""
        cannot_remove = f"its folder {self.folder} could not be removed" if self.folder else ""
        return "; ".join(filter(None, (cannot_end, cannot_remove)))


#: Called with what is left of a program.
OnRemains: TypeAlias = Callable[[Remains], None]


class SupervisedProgram:
    """A program and its supervisor. Raises OSError or ValueError if the supervisor cannot be started.

    Unless it is `piped`, the program's input is empty, and its output goes where its standard error does.

    Attributes:
        process: The supervisor. Its pipes are the program's.
        folder: Where the program works; it marks all that it starts, too.
        reports: Descriptor with what the supervisor reports; it does not block.
    """

    def __init__(self, command: Boxed, *, piped: bool) -> None:
        settings = command.settings
        self._cpu_limit_s = CPU_SECONDS
        self._cannot_start = ""
        self._ending: ExitReason | None = None
        self._kills = out_of_memory_kills()
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="molt-bench-agent-"))
        given = program_environment(command.environment, self.folder, self.folder)
        limits = (settings.memory_mb * 1024 * 1024, CPU_SECONDS)
        self.reports, reporting = os.pipe()
        os.set_blocking(self.reports, False)
        try:
            self.process = subprocess.Popen(
                [sys.executable, *_PYTHON, _SUPERVISOR, str(reporting), *map(str, limits), *command.words],
                bufsize=0,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if piped else subprocess.STDOUT,
                cwd=self.folder,
                env=given,
                start_new_session=True,
                pass_fds=(reporting,),
            )
        except (OSError, ValueError):
            os.close(self.reports)
            _remove(self.folder)
            raise
        finally:
            os.close(reporting)

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return self.process.returncode is not None or self._heard() or self._ending is not None

    def _heard(self) -> bool:
        """Take what the supervisor reports, which is one short line, written at once; return whether it is gone."""
        try:
            report = os.read(self.reports, _REPORT_SIZE)
        except BlockingIOError:
            return False
        except OSError:
            return True
        match report.decode("ascii").split():
            case ["failed", number]:
                self._cannot_start = os.strerror(int(number))
            case ["ended", status, cpu_s]:
                killed = out_of_memory_kills() > self._kills
                self._ending = ExitReason(int(status), float(cpu_s), self._cpu_limit_s, out_of_memory=killed)
        return not report

    def fault(self) -> tuple[FaultKind, str]:
        """Return how the program ended: the kind of fault that this is, and what happened."""
        if self._cannot_start:
            return "crash", f"the program cannot be started: {self._cannot_start}"
        if self._ending is None:
            return "signal", "the process of ours that watches over the program was ended from outside"
        return self._ending.fault()

    def sweep(self, owner: int, report: OnRemains) -> None:
        """End the program and all it started, reap its supervisor, remove its folder, and report what is left.

        The owner is the process that started it; a fork of that process must leave the program alone.
        """
        if os.getpid() != owner:
            return
        try:
            with undisturbed():
                remains = self._end()
        except KeyboardInterrupt:  # it came before signals were blocked, and nobody else would clean up
            with undisturbed():
                self._end()
            raise
        if remains.pids or remains.folder:
            report(remains)

    def _end(self) -> Remains:
        self._heard()
        # Until the supervisor is reaped, its number cannot be reused.
        left, why = end_all(self.process.pid, self.folder)
        self.process.kill()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self._heard()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(OSError):
            os.close(self.reports)
        self.reports = -1
        gone = _remove(self.folder)
        return Remains(tuple(left), "" if gone else self.folder, why)


def _remove(folder: str) -> bool:
    """Remove a folder and all in it; return whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(folder):  # the program may have removed its own permissions
        for path, _, _ in os.walk(folder):
            with suppress(OSError):
                Path(path).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
    return not os.path.exists(folder)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Block signals for a moment: after a Ctrl-C half-way, nobody would finish the cleanup."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
