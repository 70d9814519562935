"""One process of a program: started with limits, talked to line by line, and ended with all its descendants.

`asyncio.create_subprocess_exec` will not do. It reaps the process as soon as that ends, and from then on the number of
its process group may belong to another process, so the group could no longer be killed safely. Its transports belong to
the event loop, but a process has to be ended after the loop is closed as well, and when Python exits. And its stream
readers either buffer without bound or stop reading, whereas standard error has to be drained throughout, within bounds.
"""

import asyncio
import os
import signal
import subprocess
import tempfile
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from molt_bench.agents.external.processes import environment_of, limit, sweep
from molt_bench.agents.external.protocol import LONGEST_ANSWER
from molt_bench.agents.external.stderr_log import StderrLog
from molt_bench.errors import AgentFailed

#: Bytes of unread output; more is a flood.
MOST_UNREAD: Final = 1024 * 1024
_CHUNK: Final = 64 * 1024
#: Seconds between checks that the program is alive: a child of its own may hold the pipe open after its end.
_LOOK_S: Final = 0.1
#: Seconds that a program which closed a pipe gets to end, to tell a crash from one that lives on.
_ENDING_S: Final = 1.0
#: Stands for no file descriptor.
_NONE: Final = -1


class Child:
    """One process of a program, on the running event loop; raises AgentFailed if it cannot be started.

    Attributes:
        started: When it was started, by the event loop's clock.
        greeted: Whether it has said hello.

    Args:
        command: The program and its arguments.
        environment: The variables it gets, besides those of every program.
        memory_mb: Megabytes of data for each process.
        cpu_seconds: Processor time for each process.
        errors: Log of its standard error.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        memory_mb: int,
        cpu_seconds: int,
        errors: StderrLog,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._errors = errors
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._partial = bytearray()
        self._unsent = bytearray()
        self._flood = ""
        self._closed = ""
        self._news: asyncio.Future[None] | None = None
        self.started = self._loop.time()
        self.greeted = False
        errors.forget_line()
        folder = os.path.realpath(tempfile.mkdtemp(prefix="molt-bench-agent-"))
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment_of(folder, environment),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.rmdir(folder)
            why = getattr(error, "strerror", None) or str(error)
            raise AgentFailed("crash", f"the program cannot be started: {why}") from None
        # Runs when Python exits, too, if nobody has ended the process before.
        self._sweep = weakref.finalize(self, sweep, self._process, folder, os.getpid())
        limit(self._process.pid, memory_mb=memory_mb, cpu_seconds=cpu_seconds)
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (stream.fileno() for stream in streams if stream is not None)
        for fd in (self._in, self._out, self._err):
            os.set_blocking(fd, False)
        self._loop.add_reader(self._out, self._read_out)
        self._loop.add_reader(self._err, self._read_err)

    def write(self, data: bytes) -> None:
        """Send a line as soon as the program reads it; it is dropped if the program is gone."""
        if self._closed or not self._sweep.alive:
            return
        empty = not self._unsent
        self._unsent += data
        if empty:
            self._send()
            if self._unsent:
                self._loop.add_writer(self._in, self._send)

    def _send(self) -> None:
        try:
            del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()
            self._lost("input")
        if not self._unsent:
            self._loop.remove_writer(self._in)

    def _read_out(self) -> None:
        data = _read(self._out)
        if data is None:
            return
        if not data:
            self._loop.remove_reader(self._out)
            self._lost("output")
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            whole = bytes(self._partial) + line
            self._partial.clear()
            self._unread += len(whole) + 1
            self._lines.append(whole)
            if len(whole) > LONGEST_ANSWER:
                self._flood = f"a line of more than {LONGEST_ANSWER // 1024} KiB"
        self._partial += rest
        if len(self._partial) > LONGEST_ANSWER:
            self._flood = f"a line of more than {LONGEST_ANSWER // 1024} KiB"
        elif self._unread > MOST_UNREAD:
            self._flood = f"more than {MOST_UNREAD // 1024} KiB that nobody asked for"
        if self._flood:
            self._loop.remove_reader(self._out)  # the rest is not read
        self._wake()

    def _read_err(self) -> None:
        data = _read(self._err)
        if data:
            self._errors.add(data)
        elif data is not None:
            self._loop.remove_reader(self._err)

    def _lost(self, pipe: str) -> None:
        self._closed = self._closed or pipe
        self._wake()

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    async def line(self, deadline: float, late: str) -> bytes:
        """Return the next line of its output; raises AgentFailed, with the kind of failure, if none comes.

        Args:
            deadline: Until when to wait, by the event loop's clock.
            late: The message if none has come by then.
        """
        while True:
            if self._flood:
                raise AgentFailed("flood", f"the program wrote {self._flood}")
            if self._lines:
                line = self._lines.popleft()
                self._unread -= len(line) + 1
                return line
            if self._closed:
                await self.ending(_ENDING_S)
            if self.ended:
                self._read_to_the_end()
                if self._lines or self._flood:
                    continue
                raise AgentFailed("crash", self._how_it_ended())
            if self._closed:
                raise AgentFailed("transport", f"the program lives on, but has closed its standard {self._closed}")
            now = self._loop.time()
            if now >= deadline:
                raise AgentFailed("timeout", f"{late}, but text without a line break" if self._partial else late)
            await self._anything(min(deadline - now, _LOOK_S))

    async def _anything(self, limit_s: float) -> None:
        """Wait until something has happened, or the time is up."""
        self._news = self._loop.create_future()
        timer = self._loop.call_later(limit_s, self._wake)
        try:
            await self._news
        finally:
            timer.cancel()
            self._news = None

    @property
    def ended(self) -> bool:
        """Whether the process has ended; asking does not reap it."""
        if not self._sweep.alive or self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return True

    async def ending(self, limit_s: float) -> None:
        """Wait until the process has ended, but no longer than this."""
        deadline, pause_s = self._loop.time() + limit_s, 0.001
        while not self.ended and self._loop.time() < deadline:
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, 0.02)

    def _read_to_the_end(self) -> None:
        """Read what the process wrote before it ended; a child of its own may still hold the pipe."""
        for _ in range(MOST_UNREAD // _CHUNK):
            before = self._unread, len(self._partial)
            if self._flood or self._closed == "output":
                break
            self._read_out()
            if before == (self._unread, len(self._partial)):
                break

    def _how_it_ended(self) -> str:
        self.end()
        status = self._process.returncode
        if status is not None and status < 0:
            with suppress(ValueError):
                return self._with_last_line(f"the program was ended by {signal.Signals(-status).name}")
        return self._with_last_line(f"the program ended with exit status {status}")

    def _with_last_line(self, said: str) -> str:
        last = self._errors.last_line
        return f"{said}; its last line on standard error: {last}" if last else said

    async def leave(self, grace_s: float) -> None:
        """Close its input and give it a moment to exit."""
        if self._sweep.alive and not self._unsent and self._process.stdin is not None:
            self._process.stdin.close()
            self._in = _NONE  # the descriptor may be reused
            self._closed = self._closed or "input"
            await self.ending(grace_s)

    def end(self) -> None:
        """Kill it now, with everything it started."""
        if not self._sweep.alive:
            return
        if not self._loop.is_closed():
            self._loop.remove_reader(self._out)
            self._loop.remove_reader(self._err)
            if self._in != _NONE:
                self._loop.remove_writer(self._in)
        self._drain_errors()
        self._sweep()

    def _drain_errors(self) -> None:
        with suppress(OSError):
            for _ in range(MOST_UNREAD // _CHUNK):
                data = os.read(self._err, _CHUNK)
                if not data:
                    break
                self._errors.add(data)


def _read(pipe: int) -> bytes | None:
    """Return what is in a pipe: b"" at its end, None if there is nothing to read yet."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""
