"""The odds that Python code in a box publishes: asked over lines, of an instance that never plays, in its own box."""

import os
import select
import weakref
from collections.abc import Sequence
from time import monotonic
from typing import Any, Final

import msgspec

from molt_bench.agents.base import Policy, Sizes
from molt_bench.agents.external import protocol
from molt_bench.agents.external.program_settings import ExecSettings
from molt_bench.agents.external.supervised_program import SupervisedProgram
from molt_bench.agents.sandbox.boxed_program import BoxedProgram, started_program
from molt_bench.agents.sandbox.choice import Boxed
from molt_bench.agents.sandbox.host_lines import Answers, Code, Question, hello_line, hello_of
from molt_bench.errors import AgentError, AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation

#: Seconds for the odds at some decisions, and bytes of them at most; how often a host is started again.
_POLICY_S: Final = 10.0
_POLICY_BYTES: Final = 16 * 1024 * 1024
_RESTARTS: Final = 3
_CHUNK: Final = 1024 * 1024
_ENCODE: Final = msgspec.json.Encoder().encode
_ANSWERS: Final = msgspec.json.Decoder(Answers)


class PolicyFailed(Exception):  # noqa: N818 - says what happened
    """The code of an agent gave no odds."""


class HostedPolicy:
    """The odds that the code of an agent publishes, in a box of their own. `many` asks about many decisions at once.

    Attributes:
        is_published: Whether the agent publishes any.
    """

    def __init__(self, name: str, command: Boxed, code: Code, settings: ExecSettings) -> None:
        self._command, self._settings = command, settings
        agent = msgspec.structs.replace(code, plays=False)
        self._hello = hello_line(name, agent)
        self._environment = code.environment
        self._name = name
        self._number = 0
        self._starts = 0
        self._program: BoxedProgram | SupervisedProgram | None = None
        self._end: Any = None
        self._rest = b""
        self.is_published = self._start()
        if not self.is_published:
            self._stop()

    def __call__(self, seen: Observation) -> Policy:
        """Return the odds at a decision; raises PolicyFailed where there are none."""
        (answer,) = self.many([seen])
        if isinstance(answer, PolicyFailed):
            raise answer
        return answer

    def many(self, seen: Sequence[Observation]) -> list[Policy | PolicyFailed]:
        """Return the odds at many decisions, or why there are none."""
        if self._program is None:
            self._start()
        self._number += 1
        decisions = [protocol.decision(each, self._number) for each in seen]
        try:
            self._write(_ENCODE(Question(self._number, decisions)) + b"\n")
            found = _ANSWERS.decode(self._line(_POLICY_S))
        except (OSError, TimeoutError, msgspec.MsgspecError) as error:
            self._stop()
            raise PolicyFailed(f"its host gave no answer: {error}") from None
        if found.id != self._number or len(found.answers) != len(seen):
            self._stop()
            raise PolicyFailed("its host answered something else")
        return [_policy(each) for each in found.answers]

    def _start(self) -> bool:
        """Start a host; return whether it publishes odds. Raises AgentError if it does not say so."""
        self._starts += 1
        if self._starts > _RESTARTS + 1:
            raise PolicyFailed(f"given up after {_RESTARTS} restarts")
        self._rest = b""
        program = started_program(self._command, self._environment, settings=self._settings, piped=True)
        self._program = program
        self._end = weakref.finalize(self, program.sweep, os.getpid(), _nothing_left)
        for stream in (program.process.stdin, program.process.stdout, program.process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        try:
            self._write(self._hello)
            _, published = hello_of(self._line(self._settings.start_timeout_s))
        except (OSError, TimeoutError, AgentFailed) as error:
            self._stop()
            said = f"{error}; {self._command.inside}" if self._starts == 1 else str(error)
            raise AgentError(f"participant {self._name!r} cannot play: {said}") from None
        return published

    def _stop(self) -> None:
        if self._end is not None:
            self._end()
        self._program = None

    def _write(self, data: bytes) -> None:
        assert self._program is not None
        assert self._program.process.stdin is not None
        sink, deadline = self._program.process.stdin.fileno(), monotonic() + _POLICY_S
        while data:
            _, ready, _ = select.select((), (sink,), (), max(0.0, deadline - monotonic()))
            if not ready:
                raise TimeoutError("it does not read what it is asked")
            data = data[os.write(sink, data) :]

    def _line(self, limit_s: float) -> bytes:
        """Return the next line; raises TimeoutError if none comes, OSError if the host has ended or says too much."""
        assert self._program is not None
        stdout, stderr = self._program.process.stdout, self._program.process.stderr
        assert stdout is not None
        assert stderr is not None
        deadline, parts, said = monotonic() + limit_s, [self._rest], [stdout.fileno(), stderr.fileno()]
        while b"\n" not in parts[-1]:
            ready, _, _ = select.select(said, (), (), max(0.0, deadline - monotonic()))
            if not ready:
                raise TimeoutError(f"no answer within {limit_s:g} s")
            if said[-1] in ready and not os.read(said[-1], _CHUNK):
                said.pop()  # what it prints is read so that it can go on, and not kept
            if said[0] in ready:
                parts.append(os.read(said[0], _CHUNK))
                if not parts[-1] or sum(map(len, parts)) > _POLICY_BYTES:
                    raise OSError("it has ended" if not parts[-1] else "its answer is too long")
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line


def _nothing_left(_: object) -> None:
    """Ignore what is left of a host: nothing gets out of a box."""


def _policy(answer: list[tuple[str, int, int, float]] | str) -> Policy | PolicyFailed:
    if isinstance(answer, str):
        return PolicyFailed(answer)
    return [
        (Sizes(low, high) if kind == "sizes" else Action(kind, low), chance)  # type: ignore[arg-type]
        for kind, low, high, chance in answer
    ]
