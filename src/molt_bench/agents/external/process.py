"""One process of a program, in a process group of its own: talked to by lines, and ended with its group.

The subprocesses of asyncio will not do: they belong to an event loop, but a program has to be ended when that is
closed, too, and when Python exits.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from molt_bench.agents.agent_log import AgentLog
from molt_bench.agents.external.protocol import LONGEST_ANSWER
from molt_bench.errors import AgentFailed, FaultKind

#: Bytes of output that nobody has asked for; more is a flood.
MOST_UNREAD: Final = 1024 * 1024
_CHUNK: Final = 64 * 1024
#: Seconds for a program that closed a pipe to end, to tell a crash from one that lives on; and to look whether it has.
_CLOSING_S: Final = 1.0
_LOOK_S: Final = 0.005
#: Seconds for what is killed to be gone.
_DYING_S: Final = 5.0
#: A wrapper, such as a shell or a box, exits with this plus the signal that ended its program.
_WRAPPED: Final = 128
#: Signals that mistakes of a program and limits cause, and those that others send, also to what it wraps.
_OWN: Final = frozenset(
    ["SEGV", "BUS", "ILL", "FPE", "ABRT", "TRAP", "SYS", "EMT", "PIPE", "XCPU", "XFSZ", "ALRM", "VTALRM", "PROF"]
)
_OF_OTHERS: Final = frozenset(["KILL", "TERM", "HUP", "INT", "QUIT"])

Found = TypeVar("Found")


class Process:
    """A program that was started; raises AgentFailed if it cannot be. It belongs to the running event loop.

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
        folder = os.path.realpath(tempfile.mkdtemp(prefix="molt-bench-agent-")) if home is None else ""
        own = dict.fromkeys(("HOME", "TMPDIR"), home or folder) | {"LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
        try:
            self._process = process = subprocess.Popen(
                words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder or "/",
                env={"PATH": os.environ.get("PATH", os.defpath), **own, **variables},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            why = getattr(error, "strerror", None) or str(error)
            raise AgentFailed("crash", f"the program cannot be started: {why}") from None
        # Runs when Python exits, too, if nobody has ended the process before.
        self._kill = weakref.finalize(self, _end_group, process, folder, os.getpid())
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

    async def answer(self, limit_s: float, read: Callable[[bytes], Found | None], *, late: str) -> Found:
        """Return what `read` finds in the first line that counts; lines of which it makes None do not.

        Raises AgentFailed if there is none in time, with `late` as its message, or will be none.
        """
        deadline, skipped = self._loop.time() + limit_s, 0
        while True:
            while (line := self._next_line()) is not None:
                found = read(line)
                if found is not None:
                    return found
                skipped += len(line) + 1
                if skipped > MOST_UNREAD:
                    raise AgentFailed("flood", "the program keeps writing lines that do not count")
            if self._closed or not self._kill.alive:
                raise await self._loss()
            if self._loop.time() >= deadline:
                raise AgentFailed("timeout", f"{late}, but text without a line break" if self._unread else late)
            await self._news(deadline)

    async def ends_within(self, seconds: float) -> bool:
        """Return whether it ends, or has ended, within some time. It has to be ended soon after that."""
        deadline = self._loop.time() + seconds
        while self._kill.alive and self._process.poll() is None:
            if self._loop.time() >= deadline:
                return False
            await self._news(min(deadline, self._loop.time() + _LOOK_S))
        return True

    async def leave(self, grace_s: float) -> None:
        """Tell it that nothing more will come, and give it a moment to end."""
        if self._kill.alive and not self._unsent and self._process.stdin is not None:
            self._process.stdin.close()
            self._closed = "standard input"
            await self.ends_within(grace_s)

    def end(self) -> None:
        """End it now, with its process group."""
        if not self._kill.alive:
            return
        if not self._loop.is_closed():
            for pipe in (self._out, self._err, self._end):
                self._loop.remove_reader(pipe)
            if self._unsent:
                self._loop.remove_writer(self._in)
        self._read_errors(chunks=MOST_UNREAD // _CHUNK)
        if self._end >= 0:
            os.close(self._end)
        self._kill()

    def _read(self) -> bool:
        """Read some of its output; return whether there was any."""
        data = _some(self._out)
        if data:
            self._unread += data
        elif data is not None:
            self._closed = self._closed or "standard output"
        if self._closed or len(self._unread) > MOST_UNREAD:
            self._loop.remove_reader(self._out)  # the rest is not read
        if self._closed or b"\n" in (data or b"") or len(self._unread) > LONGEST_ANSWER:
            self._wake()
        return bool(data)

    def _read_errors(self, chunks: int = 1) -> None:
        for _ in range(chunks):
            data = _some(self._err)
            if not data:
                if data is not None and not self._loop.is_closed():
                    self._loop.remove_reader(self._err)
                return
            self._log.add(data)

    def _notice_end(self) -> None:
        self._loop.remove_reader(self._end)
        while len(self._unread) <= MOST_UNREAD and self._read():
            pass  # what it wrote before it ended
        self._closed = self._closed or "standard output"
        self._wake()

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

    async def _loss(self) -> AgentFailed:
        """Return why nothing more will come from it; one that has ended is ended with its group."""
        if not await self.ends_within(_CLOSING_S):
            return AgentFailed("transport", f"the program lives on, but has closed its {self._closed}")
        self.end()
        kind, said = _how_it_ended(self._process.returncode, boxed=self._boxed)
        last = self._log.last_line
        return AgentFailed(kind, f"{said}; its last line on standard error: {last}" if last else said)


def _end_group(process: "subprocess.Popen[bytes]", folder: str, owner: int) -> None:
    """End a program with its process group, and remove its folder; not from a fork of the bench.

    A box ends with its first process, and all in it. The number of a group is no other's while one of it lives.
    """
    if os.getpid() != owner:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_DYING_S)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


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
    number = -status if status < 0 else status - _WRAPPED
    unnamed = "" if status >= 0 else f"signal {number}"
    name = next((each.name for each in signal.Signals if each.value == number), unnamed)
    short = name.removeprefix("SIG")
    if status >= 0 and not (name if boxed else short in _OF_OTHERS):
        return "crash", f"the program ended with exit status {status}"
    said = f"the program was ended by {name}"
    if short in _OWN:
        return "crash", f"{said}, at its limit of processor time" if short == "XCPU" else said
    return "signal", f"{said}, a signal from outside, unless it sent that itself"
