"""The host of a Python agent: a program that plays it over JSON lines, with all hooks that an agent may have.

    python -m molt_bench.host file.py:NAME [PARAMS [SHA256]]

PARAMS are a JSON object. With a hash, no other code is run. Exceptions are told as faults. Their tracebacks, and what
the agent prints, go to standard error. With MOLT_BENCH_HOST=FOLDER, the agent finds files from that folder on if it is
there, and the end of a hook is told as well, by a line `done`.

It starts anew for every game, so it imports little: the messages are read without their types.
"""

import atexit
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

import msgspec

from molt_bench.agents.python_import import call_factory, find_factory
from molt_bench.errors import AgentFailed, MoltBenchError, not_an_action
from molt_bench.poker.actions import KINDS, MOST_CHIPS, Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.poker.plain import fields_of, observation_of, outcome_of

#: Where the agent finds files; where it is set, the end of every hook is told.
CONFIRMS: Final = "MOLT_BENCH_HOST"


class Host:
    """One agent, and the lines to and from it."""

    def __init__(self, sink: int, make: Callable[[str], Any], *, confirms: bool) -> None:
        self._sink, self._make, self._confirms = sink, make, confirms
        self._agent: Any = None
        self._loop: Any = None

    def take(self, line: bytes) -> bool:
        """Do what a line asks for; return whether there is more to come."""
        message = msgspec.json.decode(line)
        match message["type"]:
            case "hello":
                return self._hello(message["name"])
            case "observation":
                number, seen = message["id"], observation_of(message)
                self._try(lambda: self._say(type="action", id=number, **_answer(self._call("act", seen), seen)), number)
            case "handResult":
                self._hook("on_hand_complete", outcome_of(message))
            case "error":
                self._hook("on_error", message["message"])
            case "bye":
                self._try(lambda: self._call("close"))
                return False
        return True

    def _hello(self, name: str) -> bool:
        try:
            self._agent = self._make(name)
        except MoltBenchError as error:
            _tell(error.__cause__ or error)
            self._say(type="done", kind="exception", message=str(error))
            return False
        if self._try(lambda: self._call("reset")):
            self._say(type="hello", protocol=1)
            return True
        return False

    def _hook(self, name: str, argument: object) -> None:
        if self._try(lambda: self._call(name, argument)) and self._confirms:
            self._say(type="done")

    def _call(self, name: str, *arguments: object) -> Any:
        method = getattr(self._agent, name, None)
        if not callable(method):
            return None
        answer = method(*arguments)
        if type(answer) not in (Action, Mix) and isinstance(answer, Awaitable):
            # It takes longer to load than all the rest, and most agents do without.
            self._loop = self._loop or import_module("asyncio").new_event_loop()
            return self._loop.run_until_complete(_awaited(answer))
        return answer

    def _try(self, do: Callable[[], object], number: int | None = None) -> bool:
        """Do something with the agent; tell what it raises, and return whether it raised nothing."""
        try:
            do()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if not isinstance(error, AgentFailed):
                _tell(error)
            if number is not None or self._confirms:
                failure = AgentFailed.by_raising(error)
                answered = {"type": "done"} if number is None else {"type": "fault", "id": number}
                self._say(**answered, kind=failure.kind, message=str(failure))
            return False
        return True

    def _say(self, **fields: Any) -> None:
        data = msgspec.json.encode({name: _printable(value) for name, value in fields.items()}) + b"\n"
        while data:
            data = data[os.write(self._sink, data) :]


def _tell(error: BaseException) -> None:
    tracebacks = import_module("molt_bench.agents.tracebacks")  # as above
    print(tracebacks.traceback_of(error), end="", file=sys.stderr, flush=True)


def _printable(value: Any) -> Any:
    """Return a text that can be written, whatever is in it."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


async def _awaited(answer: Any) -> Any:
    return await answer


def _answer(action: Any, seen: Observation) -> dict[str, Any]:
    """Return the fields of an answer; raises AgentFailed for one that is not an action, as a game does."""
    if type(action) is Mix:
        return fields_of(action)
    if type(action) is not Action:
        raise not_an_action(action)
    unusable = type(action.amount) is not int or abs(action.amount) > MOST_CHIPS
    if action.kind not in KINDS or (action.kind == "raiseTo" and unusable):
        said: str = import_module("molt_bench.poker.hand").not_legal(action, seen.legal)
        raise AgentFailed("illegal", said)
    return fields_of(action)


def main(code: str, params: str = "{}", sha256: str = "") -> None:
    """Keep the pipes for the lines, and do as they say until they end."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    with suppress(OSError):
        os.chdir(os.environ.get(CONFIRMS, "."))
    given = msgspec.json.decode(params)
    host = Host(
        sink,
        lambda name: call_factory(name, find_factory(code, code_sha256=sha256 or None), given),
        confirms=CONFIRMS in os.environ,
    )
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            if not host.take(line):
                break
    # Taking the interpreter apart is a fifth of the processor time of a host: its process ends anyway.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
