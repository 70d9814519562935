"""The odds that Python code in a box publishes: asked over lines, of an instance that never plays, in its own box.

Every game has its own instance in a new box, which sees that game alone: one that remembered others would know cards
of the opponent, and could state its odds by them.
"""

import os
import select
import weakref
from collections.abc import Hashable, Sequence
from functools import partial
from time import monotonic
from typing import Any, Final

import msgspec

from molt_bench.agents.base import Policy, Sizes
from molt_bench.agents.external import protocol
from molt_bench.agents.external.supervised_program import SupervisedProgram
from molt_bench.agents.sandbox.boxed_program import BoxedProgram
from molt_bench.agents.sandbox.choice import Boxed
from molt_bench.agents.sandbox.host_lines import Answers, Code, Question, hello_line, hello_of
from molt_bench.agents.sandbox.waiting_hosts import another_after, host_for
from molt_bench.errors import AgentError, AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation

#: Seconds for the odds at some decisions, and bytes of them at most; how often a host is started again.
_POLICY_S: Final = 10.0
_POLICY_BYTES: Final = 16 * 1024 * 1024
_RESTARTS: Final = 3
#: Games whose boxes are kept at once.
_MOST_GAMES: Final = 64
_CHUNK: Final = 1024 * 1024
_ENCODE: Final = msgspec.json.Encoder().encode
_ANSWERS: Final = msgspec.json.Decoder(Answers)


class PolicyFailed(Exception):  # noqa: N818 - says what happened
    """The code of an agent gave no odds."""


class HostedPolicy:
    """The odds that the code of an agent publishes, in a box for every game. `many` asks about many decisions at once.

    Attributes:
        is_published: Whether the agent publishes any.
    """

    def __init__(self, name: str, command: Boxed, code: Code) -> None:
        self._new = partial(_Host, name, command, msgspec.structs.replace(code, plays=False))
        self._hosts: dict[Hashable, _Host] = {}
        first = self._new()
        self.is_published = first.greet()
        first.stop()

    def __call__(self, seen: Observation) -> Policy:
        """Return the odds at a decision of no game in particular; raises PolicyFailed where there are none."""
        return self.of(None)(seen)

    def many(self, seen: Sequence[Observation]) -> list[Policy | PolicyFailed]:
        """Return the odds at many decisions, or why there are none."""
        return self.of(None).many(seen)

    def of(self, game: Hashable) -> "_Host":
        """Return who is asked about a game: in a box of its own, until the game is over."""
        host = self._hosts.pop(game, None)
        self._hosts[game] = host = host or self._new()
        if len(self._hosts) > _MOST_GAMES:  # a game that was broken off; whoever is asked about it again is new
            self.over(next(iter(self._hosts)))
        return host

    def over(self, game: Hashable) -> None:
        """End the box of a game."""
        host = self._hosts.pop(game, None)
        if host is not None:
            host.stop()


class _Host:
    """One instance of an agent's code, which is asked for its odds, in a box."""

    def __init__(self, name: str, command: Boxed, code: Code) -> None:
        self._command = command
        self._hello = hello_line(name, code)
        self._name = name
        self._number = 0
        self._starts = 0
        self._program: BoxedProgram | SupervisedProgram | None = None
        self._is_greeted = False
        self._end: Any = None
        self._rest = b""
        self._start()

    def __call__(self, seen: Observation) -> Policy:
        """Return the odds at a decision; raises PolicyFailed where there are none."""
        (answer,) = self.many([seen])
        if isinstance(answer, PolicyFailed):
            raise answer
        return answer

    def many(self, seen: Sequence[Observation]) -> list[Policy | PolicyFailed]:
        """Return the odds at many decisions, or why there are none."""
        self.greet()
        self._number += 1
        decisions = [protocol.decision(each, self._number) for each in seen]
        try:
            self._write(_ENCODE(Question(self._number, decisions)) + b"\n")
            found = _ANSWERS.decode(self._line(_POLICY_S))
        except (OSError, TimeoutError, msgspec.MsgspecError, RecursionError) as error:
            self.stop()
            raise PolicyFailed(f"its host gave no answer: {error}") from None
        if found.id != self._number or len(found.answers) != len(seen):
            self.stop()
            raise PolicyFailed("its host answered something else")
        return [_policy(each) for each in found.answers]

    def _start(self) -> None:
        """Start a host, without waiting for it."""
        self._starts += 1
        if self._starts > _RESTARTS + 1:
            raise PolicyFailed(f"given up after {_RESTARTS} restarts")
        self._rest, self._is_greeted = b"", False
        program = host_for(self._command)
        self._program = program
        self._end = weakref.finalize(self, program.sweep, os.getpid(), _nothing_left)
        for stream in (program.process.stdin, program.process.stdout, program.process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)

    def greet(self) -> bool:
        """Wait until it can be asked; return whether it publishes odds. Raises AgentError if it does not say so."""
        if self._program is None:
            self._start()
        if self._is_greeted:
            return True
        try:
            self._write(self._hello)
            _, published = hello_of(self._line(self._command.settings.start_timeout_s))
        except (OSError, TimeoutError, AgentFailed) as error:
            self.stop()
            said = f"{error}; {self._command.inside}" if self._starts == 1 else str(error)
            raise AgentError(f"participant {self._name!r} cannot play: {said}") from None
        self._is_greeted = True
        another_after(self._command)
        return published

    def stop(self) -> None:
        """End it; whoever asks next starts it again."""
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
