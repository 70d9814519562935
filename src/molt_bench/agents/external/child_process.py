"""One process of a program: started with limits, talked to line by line, and ended with all its descendants.

`asyncio.create_subprocess_exec` will not do. It reaps the process as soon as that ends, and from then on the number of
its process group may belong to another process, so the group could no longer be killed safely. Its transports belong to
the event loop, but a process has to be ended after the loop is closed as well, and when Python exits. And its stream
readers either buffer without bound or stop reading, whereas standard error has to be drained throughout, within bounds.
"""

import asyncio
import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from molt_bench.agents.alarm import Alarm
from molt_bench.agents.external.exit_reason import stopped_by_signal
from molt_bench.agents.external.line_channel import CHUNK, MOST_UNREAD, LineChannel, read_some
from molt_bench.agents.external.process_cleanup import stopped_processes
from molt_bench.agents.external.stderr_log import StderrLog
from molt_bench.agents.external.supervised_program import OnRemains, SupervisedProgram
from molt_bench.agents.sandbox.boxed_program import BoxedProgram
from molt_bench.errors import AgentFailed

#: Seconds between checks that the program is alive: a child of its own may hold the pipe open after its end.
_LOOK_S: Final = 0.1
#: Seconds that a program which closed a pipe gets to end, to tell a crash from one that lives on.
_ENDING_S: Final = 1.0
_PIPES: Final = ("standard output", "standard input")


class Child:
    """One process of a program, on the running event loop; raises AgentFailed if it cannot be started.

    Unless its input is a pipe, somebody calls `connect`, and its output is logged.

    Attributes:
        started: When it was started, by the event loop's clock.
        greeted: Whether it has said hello.
        pid: The process that all of its processes descend from: its supervisor, or its box.
        tag: Marks all that it starts; see `leftover_processes`.

    Args:
        start: Starts the program; raises OSError or ValueError if it cannot be started.
        errors: Log of its standard error.
        report: Called with what is left of it, if not all of it can be ended.
    """

    def __init__(
        self, start: Callable[[], BoxedProgram | SupervisedProgram], *, errors: StderrLog, report: OnRemains
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._errors = errors
        self._channel: LineChannel | None = None
        self._early = b""
        self._news = Alarm()
        self.started = self._loop.time()
        self.greeted = False
        errors.forget_line()
        try:
            self._program = program = start()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise AgentFailed("crash", f"the program cannot be started: {why}") from None
        # Runs when Python exits, too, if nobody has ended the process before.
        self._sweep = weakref.finalize(self, program.sweep, os.getpid(), report)
        self.pid, self.tag = program.process.pid, program.folder
        self._process = program.process
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        *pipes, self._err = [stream.fileno() for stream in streams if stream is not None]
        os.set_blocking(self._err, False)
        self._loop.add_reader(self._err, self._read_err)
        if self._process.stdin is not None:
            stdin, stdout = pipes
            self.connect(stdout, stdin, names=_PIPES, close_sink=self._process.stdin.close)

    def connect(self, source: int, sink: int, *, names: tuple[str, str], close_sink: Callable[[], None]) -> None:
        """Talk to it over these descriptors from now on; see `LineChannel`."""
        self._channel = LineChannel(source, sink, names=names, close_sink=close_sink, changed=self._news.wake)
        self._channel.write(self._early)
        self._news.wake()

    def write(self, data: bytes) -> None:
        """Send a line as soon as the program is connected and reads it; it is dropped if the program is gone."""
        if self._channel is None:
            self._early += data
        elif self._sweep.alive:
            self._channel.write(data)

    def _read_err(self) -> None:
        data = read_some(self._err)
        if data:
            self._errors.add(data)
        elif data is not None:
            self._loop.remove_reader(self._err)

    async def line(self, deadline: float, late: Callable[[], str]) -> bytes:
        """Return the next line of its output; raises AgentFailed if none comes until the deadline of the loop's clock.

        `late` returns the message in that case.
        """
        while True:
            channel = self._channel
            if channel is not None:
                if channel.flood:
                    raise AgentFailed("flood", f"the program wrote {channel.flood}")
                line = channel.next_line()
                if line is not None:
                    return line
                if channel.lost:
                    await self.ending(_ENDING_S)
            if self.ended:
                if channel is not None and channel.read_to_the_end():
                    continue
                raise self._how_it_ended()
            if channel is not None and channel.lost:
                raise AgentFailed("transport", f"the program lives on, but has closed its {channel.lost}")
            now = self._loop.time()
            if now >= deadline:
                if pids := stopped_processes(self.pid, self.tag):
                    raise AgentFailed("signal", stopped_by_signal(late(), pids))
                partial = channel is not None and channel.has_partial
                raise AgentFailed("timeout", f"{late()}, but text without a line break" if partial else late())
            await self._news.rung(min(deadline - now, _LOOK_S))

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return not self._sweep.alive or self._program.ended

    async def ending(self, limit_s: float) -> None:
        """Wait until the process has ended, but no longer than this."""
        deadline, pause_s = self._loop.time() + limit_s, 0.001
        while not self.ended and self._loop.time() < deadline:
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, 0.02)

    def _how_it_ended(self) -> AgentFailed:
        self.end()
        kind, said = self._program.fault()
        last = self._errors.last_line
        return AgentFailed(kind, f"{said}; its last line on standard error: {last}" if last else said)

    async def leave(self, grace_s: float) -> None:
        """Tell it that nothing more will come, and give it a moment to exit."""
        if self._sweep.alive and self._channel is not None and self._channel.has_sent_all:
            self._channel.hang_up()
            await self.ending(grace_s)

    def end(self) -> None:
        """Kill it now, with everything it started."""
        if not self._sweep.alive:
            return
        if self._channel is not None:
            self._channel.close()
        if not self._loop.is_closed():
            self._loop.remove_reader(self._err)
        self._drain_errors()
        self._sweep()

    def _drain_errors(self) -> None:
        with suppress(OSError):
            for _ in range(MOST_UNREAD // CHUNK):
                data = os.read(self._err, CHUNK)
                if not data:
                    break
                self._errors.add(data)
