"""One process of a program, in a process group of its own: talked to by lines, and ended with its group.

`asyncio.create_subprocess_exec` will not do. It reaps the process as soon as that ends, and from then on the number of
its group may be another's, so that the group could no longer be killed safely. Its transports belong to the event loop,
but a process has to be ended when that is closed, too, and when Python exits.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from molt_bench.agents.external.agent_log import AgentLog
from molt_bench.agents.external.process_group import TAG, end_group, has_ended, is_stopped
from molt_bench.agents.external.protocol import LONGEST_ANSWER
from molt_bench.errors import AgentFailed, FaultKind

#: Bytes of output that nobody has asked for; more is a flood.
MOST_UNREAD: Final = 1024 * 1024
_CHUNK: Final = 64 * 1024
#: Seconds for a program that closed a pipe to end, to tell a crash from one that lives on.
_CLOSING_S: Final = 1.0
#: A wrapper, such as a shell or a box, exits with this plus the signal that ended its program.
_WRAPPED: Final = 128
#: Signals that mistakes of a program and limits cause, and those that others send, also to what it wraps.
_SIGNALS: Final = frozenset(each.value for each in signal.Signals)
_OWN: Final = frozenset(
    ["SEGV", "BUS", "ILL", "FPE", "ABRT", "TRAP", "SYS", "EMT", "PIPE", "XCPU", "XFSZ", "ALRM", "VTALRM", "PROF"]
)
_OF_OTHERS: Final = frozenset(["KILL", "TERM", "HUP", "INT", "QUIT"])
_OUTSIDE: Final = "a signal from outside, unless it sent that itself"

Found = TypeVar("Found")


class Process:
    """A program that was started; raises AgentFailed if it cannot be. It belongs to the running event loop.

    Attributes:
        started: When it was started, by the clock of the event loop.

    Args:
        words: The command.
        variables: What it gets of our environment, besides PATH.
        log: Takes its standard error.
        home: Its home folder in its box; None without a box, for a new one that is removed with it.
    """

    def __init__(
        self, words: Sequence[str], variables: Mapping[str, str], log: AgentLog, *, home: str | None = None
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._log, self._boxed = log, home is not None
        self._unread, self._unsent = bytearray(), bytearray()
        self._waiting: asyncio.Future[None] | None = None
        #: What it has closed, such as its standard output; "" while it is connected.
        self._closed = ""
        self.started = self._loop.time()
        folder = os.path.realpath(tempfile.mkdtemp(prefix="molt-bench-agent-")) if home is None else ""
        try:
            self._process = process = subprocess.Popen(
                words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder or "/",
                env=_environment(variables, home or folder, folder),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            why = getattr(error, "strerror", None) or str(error)
            raise AgentFailed("crash", f"the program cannot be started: {why}") from None
        # Runs when Python exits, too, if nobody has ended the process before.
        self._kill = weakref.finalize(self, end_group, process, folder, os.getpid())
        log.forget_line()
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._in, self._out, self._err = (pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr))
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._loop.add_reader(self._out, self._read)
        self._loop.add_reader(self._err, self._read_errors)
        # Its end is noticed at once where the system can tell: a child of its own may hold its output open.
        self._end = os.pidfd_open(process.pid) if hasattr(os, "pidfd_open") else -1
        if self._end >= 0:
            self._loop.add_reader(self._end, self._notice_end)

    @property
    def has_ended(self) -> bool:
        """Whether the program has ended."""
        return not self._kill.alive or has_ended(self._process)

    def write(self, data: bytes) -> None:
        """Send a line as soon as the program reads it; it is dropped if nobody will."""
        if self._closed or not self._kill.alive:
            return
        was_idle = not self._unsent
        self._unsent += data
        if was_idle:
            self._send()
            if self._unsent:
                self._loop.add_writer(self._in, self._send)

    async def line(self, deadline: float, late: str) -> bytes:
        """Return the next line of its output, without its end.

        Raises AgentFailed if there is none by the deadline, with `late` as its message, or will be none.
        """
        while True:
            line = self._next_line()
            if line is not None:
                return line
            if self._closed and not self.has_ended:
                await self._ended_by(self._loop.time() + _CLOSING_S)
                if not self.has_ended:
                    raise AgentFailed("transport", f"the program lives on, but has closed its {self._closed}")
            if self.has_ended:
                if self._read_rest():
                    continue
                raise self._failure()
            if self._loop.time() >= deadline:
                raise self._lateness(late)
            await self._news(deadline)

    async def first(self, limit_s: float, read: Callable[[bytes], Found | None], *, late: str) -> Found:
        """Return what `read` finds in the first line that counts; lines of which it makes None do not."""
        deadline, skipped = self._loop.time() + limit_s, 0
        while skipped <= MOST_UNREAD:
            line = await self.line(deadline, f"{late} within {limit_s:g} s")
            found = read(line)
            if found is not None:
                return found
            skipped += len(line) + 1
        raise AgentFailed("flood", "the program keeps writing lines that do not count")

    async def leave(self, grace_s: float) -> None:
        """Tell it that nothing more will come, and give it a moment to end."""
        if self._kill.alive and not self._unsent and self._process.stdin is not None:
            self._process.stdin.close()
            self._closed = "standard input"
            await self._ended_by(self._loop.time() + grace_s)

    async def lingers(self, seconds: float) -> bool:
        """Return whether it still runs after some time."""
        await self._ended_by(self._loop.time() + seconds)
        return not self.has_ended

    def end(self) -> None:
        """End it now, with its process group and all that it started in there."""
        if not self._kill.alive:
            return
        if not self._loop.is_closed():
            for pipe in (self._out, self._err, self._end):
                self._loop.remove_reader(pipe)
            if self._unsent:
                self._loop.remove_writer(self._in)
        self._read_errors(most=MOST_UNREAD)
        if self._end >= 0:
            os.close(self._end)
        self._kill()

    def _read(self) -> None:
        data = _some(self._out)
        if data:
            self._unread += data
            if len(self._unread) > MOST_UNREAD:
                self._loop.remove_reader(self._out)  # the rest is not read
        elif data is not None:
            self._loop.remove_reader(self._out)
            self._closed = self._closed or "standard output"
        if self._closed or b"\n" in (data or b"") or len(self._unread) > LONGEST_ANSWER:
            self._wake()

    def _read_rest(self) -> bool:
        """Read what it wrote before it ended; return whether there was a line, or a flood."""
        while len(self._unread) <= MOST_UNREAD and (data := _some(self._out)):
            self._unread += data
        return b"\n" in self._unread or len(self._unread) > LONGEST_ANSWER

    def _read_errors(self, most: int = 0) -> None:
        while data := _some(self._err):
            self._log.add(data)
            most -= len(data)
            if most <= 0:
                return
        if data is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._err)

    def _next_line(self) -> bytes | None:
        at = self._unread.find(b"\n", 0, LONGEST_ANSWER + 1)
        if at < 0 and len(self._unread) > LONGEST_ANSWER:
            raise AgentFailed("flood", f"the program wrote a line of more than {LONGEST_ANSWER // 1024} KiB")
        if len(self._unread) > MOST_UNREAD:
            raise AgentFailed("flood", f"the program wrote more than {MOST_UNREAD // 1024} KiB that nobody asked for")
        if at < 0:
            return None
        line = bytes(self._unread[:at])
        del self._unread[: at + 1]
        return line

    def _send(self) -> None:
        try:
            del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()
            self._closed = self._closed or "standard input"
            self._wake()
        if not self._unsent:
            self._loop.remove_writer(self._in)

    def _notice_end(self) -> None:
        self._loop.remove_reader(self._end)
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def _news(self, deadline: float) -> None:
        """Wait until something happens, or the time is up."""
        self._waiting = self._loop.create_future()
        timer = self._loop.call_at(deadline, self._wake)
        try:
            await self._waiting
        finally:
            timer.cancel()

    async def _ended_by(self, deadline: float) -> None:
        while not self.has_ended and self._loop.time() < deadline:
            await self._news(deadline)

    def _lateness(self, late: str) -> AgentFailed:
        if is_stopped(self._process.pid):
            return AgentFailed("signal", f"{late}: the program had been stopped by {_OUTSIDE}")
        return AgentFailed("timeout", f"{late}, but text without a line break" if self._unread else late)

    def _failure(self) -> AgentFailed:
        """End it, and return how it ended."""
        self.end()
        kind, said = _how_it_ended(self._process.returncode, boxed=self._boxed)
        last = self._log.last_line
        return AgentFailed(kind, f"{said}; its last line on standard error: {last}" if last else said)


def _environment(variables: Mapping[str, str], home: str, tag: str) -> dict[str, str]:
    """Return the environment of a program: of ours only PATH and what it is given, so none of our keys."""
    path = os.environ.get("PATH", os.defpath)
    own = {"PATH": path, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    return {**own, **variables, **({TAG: tag} if tag else {})}


def _some(pipe: int) -> bytes | None:
    """Return what there is to read: b"" at the end, None if there is nothing yet."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _how_it_ended(status: int, *, boxed: bool) -> tuple[FaultKind, str]:
    """Return the kind of fault that the end of a program is, and what happened.

    The system says which signal ended a process, but not who sent it.

    >>> _how_it_ended(3, boxed=False), _how_it_ended(-11, boxed=False)
    (('crash', 'the program ended with exit status 3'), ('crash', 'the program was ended by SIGSEGV'))
    >>> _how_it_ended(137, boxed=False)
    ('signal', 'the program was ended by SIGKILL, a signal from outside, unless it sent that itself')
    """
    number = abs(status) if status < 0 else status - _WRAPPED
    is_signal = number in _SIGNALS
    name = signal.Signals(number).name if is_signal else f"signal {number}"
    short = name.removeprefix("SIG")
    if status >= 0 and not (is_signal and (boxed or short in _OF_OTHERS)):
        return "crash", f"the program ended with exit status {status}"
    said = f"the program was ended by {name}"
    if short == "XCPU":
        return "crash", f"{said}, at its limit of processor time"
    return ("crash", said) if short in _OWN else ("signal", f"{said}, {_OUTSIDE}")
