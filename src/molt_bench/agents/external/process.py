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
from molt_bench.errors import AgentFailed

#: Bytes of output that were not asked for; more is a flood.
MOST_UNREAD: Final = 1024 * 1024
_CHUNK: Final = 64 * 1024
#: Seconds for a program that closed a pipe to end, to tell a crash from one that lives on; and to look whether it has.
_CLOSING_S: Final = 1.0
_LOOK_S: Final = 0.002
#: Seconds for what is killed to be gone.
_DYING_S: Final = 5.0

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
        self._log, self._boxed, self._unread = log, home is not None, bytearray()
        self._waiting: asyncio.Future[None] | None = None
        #: Why nothing goes to it or comes from it any more; "" while it is connected.
        self._apart = ""
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
                env={"PATH": os.environ.get("PATH", os.defpath), **variables, **own},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            why = getattr(error, "strerror", None) or str(error)
            raise AgentFailed("crash", f"the program cannot be started: {why}") from None
        # Runs when Python exits, too, if the process was not ended before.
        self._kill = weakref.finalize(self, _end_group, process, folder, os.getpid())
        log.forget_line()
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._stdin = process.stdin
        self._in, self._out, self._err = (pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr))
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._loop.add_reader(self._out, self._read)
        self._loop.add_reader(self._err, self._read_errors)

    @property
    def _connected(self) -> bool:
        return self._kill.alive and not self._apart

    def write(self, data: bytes) -> None:
        """Send a line; it is dropped if it has no reader."""
        if not self._connected:
            return
        try:
            if os.write(self._in, data) < len(data):
                raise BlockingIOError
        except BlockingIOError:
            self._apart = "does not read its standard input"
        except OSError:
            self._apart = "has closed its standard input"

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
            is_late = self._loop.time() >= deadline
            if not self._connected or (is_late and self._process.poll() is not None):
                raise await self._loss()
            if is_late:
                raise AgentFailed("timeout", f"{late}, but text without a line break" if self._unread else late)
            self._waiting = self._loop.create_future()
            timer = self._loop.call_at(deadline, self._wake)
            try:
                await self._waiting
            finally:
                timer.cancel()

    async def leave(self, grace_s: float) -> None:
        """Tell it that nothing more will come, and give it a moment to end."""
        if self._kill.alive:
            self._stdin.close()
            self._apart = "has closed its standard input"
            await self._ends_within(grace_s)

    def end(self) -> None:
        """End it now, with its process group."""
        if self._kill.alive:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._out)
                self._loop.remove_reader(self._err)
            for _ in range(MOST_UNREAD // _CHUNK):
                if not self._read_errors():
                    break
            self._kill()

    def _read(self) -> None:
        """Read some of its output."""
        data = _some(self._out)
        if data:
            self._unread += data
        elif data is not None:
            self._apart = self._apart or "has closed its standard output"
        if data == b"" or len(self._unread) > MOST_UNREAD:
            self._loop.remove_reader(self._out)  # the rest is not read
        if not data or b"\n" in data or len(self._unread) > LONGEST_ANSWER:
            self._wake()

    def _read_errors(self) -> bool:
        """Read some of its standard error; return whether there may be more."""
        data = _some(self._err)
        if data:
            self._log.add(data)
        elif data is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._err)
        return bool(data)

    def _next_line(self) -> bytes | None:
        at = self._unread.find(b"\n", 0, LONGEST_ANSWER + 1)
        if at < 0 and len(self._unread) > LONGEST_ANSWER:
            raise AgentFailed("flood", f"the program wrote a line of more than {LONGEST_ANSWER // 1024} KiB")
        if len(self._unread) > MOST_UNREAD:
            raise AgentFailed("flood", f"the program wrote more than {MOST_UNREAD // 1024} KiB that were not asked for")
        if at < 0:
            return None
        line = bytes(self._unread[:at])
        del self._unread[: at + 1]
        return line

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def _ends_within(self, seconds: float) -> bool:
        """Return whether it ends within some time, or has ended."""
        deadline = self._loop.time() + seconds
        while self._kill.alive and self._process.poll() is None:
            if self._loop.time() >= deadline:
                return False
            await asyncio.sleep(_LOOK_S)
        return True

    async def _loss(self) -> AgentFailed:
        """Return why nothing more will come from it; one that has ended is ended with its group."""
        if not await self._ends_within(_CLOSING_S):
            return AgentFailed("transport", f"the program lives on, but {self._apart}")
        self.end()
        said, last = _how_it_ended(self._process.returncode, boxed=self._boxed), self._log.last_line
        return AgentFailed("crash", f"{said}; its last line on standard error: {last}" if last else said)


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


def _how_it_ended(status: int, *, boxed: bool) -> str:
    """Return what happened to a program that has ended; a box exits with 128 plus the signal that ended its program.

    >>> _how_it_ended(3, boxed=False), _how_it_ended(137, boxed=True)
    ('the program ended with exit status 3', 'the program was ended by SIGKILL')
    """
    number = status - 128 if boxed and status > 128 else -status
    if number not in signal.valid_signals():
        return f"the program ended with exit status {status}"
    name = next((each.name for each in signal.Signals if each.value == number), f"signal {number}")
    limit = ", at its limit of processor time" if name == "SIGXCPU" else ""
    return f"the program was ended by {name}{limit}"
