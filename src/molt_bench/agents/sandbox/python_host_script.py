"""The script that hosts a Python agent in its box: loads the code, and plays by the lines of `exec:` programs.

It runs as a script. Its lines are those of `agents.external.protocol`, and these besides:

    to the host    hello       with `agent`: the type, the params, the hash of the code, and where modules are found
    from the host  hello       with `hooks`, the hooks it has
                   done        after `handResult` and `error`, if it has the hook
                   fault       instead of an action or `done`: kind, message and traceback

What the code prints goes to standard error.
"""

import asyncio
import atexit
import inspect
import os
import sys
from contextlib import suppress
from typing import Any, Final

import msgspec

from molt_bench.agents.external import protocol
from molt_bench.agents.python_import import call_factory, find_factory
from molt_bench.agents.tracebacks import traceback_of
from molt_bench.errors import AgentFailed, MoltBenchError, not_an_action
from molt_bench.poker.actions import KINDS, Action
from molt_bench.poker.hand import not_legal
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.specs import MOST_CHIPS, ParticipantSpec

_ENCODE: Final = msgspec.json.Encoder().encode
_MESSAGE: Final = msgspec.json.Decoder(protocol.ToAgent)


class Host:
    """One agent, and the lines to and from it."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._agent: Any = None
        self._loop: Any = None

    def say(self, **fields: Any) -> None:
        """Send a line."""
        data = _ENCODE({name: _printable(value) for name, value in fields.items()}) + b"\n"
        while data:
            data = data[os.write(self._sink, data) :]

    def take(self, line: bytes) -> bool:
        """Do what a line asks for; return whether there is more to come."""
        fields = msgspec.json.decode(line)
        match fields["type"]:
            case "hello":
                return self._hello(fields)
            case "bye":
                self._try(fields, lambda: self._call("close"))
                return False
            case _:
                self._play(_MESSAGE.decode(line), fields)
        return True

    def _hello(self, fields: dict[str, Any]) -> bool:
        wanted = fields["agent"]
        sys.path[:] = wanted["paths"]
        with suppress(OSError):
            os.chdir(wanted["folder"])
        spec = ParticipantSpec(id=fields["name"], type=wanted["type"], params=wanted["params"])
        try:
            self._agent = call_factory(spec, find_factory(spec.type, code_sha256=wanted["sha256"]))
        except MoltBenchError as error:
            trace = traceback_of(error.__cause__ or error)
            self.say(type="fault", kind="exception", message=str(error), trace=trace.text, raised=trace.kind)
            return False
        hooks = [name for name in ("on_hand_complete", "on_error") if callable(getattr(self._agent, name, None))]
        if not self._try(fields, lambda: self._call("reset")):
            return False
        self.say(type="hello", protocol=protocol.PROTOCOL, hooks=hooks)
        return True

    def _play(self, message: protocol.ToAgent, fields: dict[str, Any]) -> None:
        match message:
            case protocol.Decision(id=number):
                seen = protocol.observation_of(message)
                self._try(fields, lambda: self.say(type="action", id=number, **_answer(self._call("act", seen), seen)))
            case protocol.Result():
                outcome = protocol.outcome_of(message)
                if self._try(fields, lambda: self._call("on_hand_complete", outcome)):
                    self.say(type="done")
            case protocol.Rejection(message=said):
                if self._try(fields, lambda: self._call("on_error", said)):
                    self.say(type="done")

    def _call(self, name: str, *arguments: Any) -> Any:
        method = getattr(self._agent, name, None)
        if not callable(method):
            return None
        answer = method(*arguments)
        if type(answer) not in (Action, Mix) and inspect.isawaitable(answer):
            self._loop = self._loop or asyncio.new_event_loop()
            return self._loop.run_until_complete(_awaited(answer))
        return answer

    def _try(self, fields: dict[str, Any], do: Any) -> bool:
        """Do something with the agent; send what it raises, and return whether it raised nothing."""
        try:
            do()
        except AgentFailed as failure:
            self.say(type="fault", id=fields.get("id"), kind=failure.kind, message=str(failure))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            said, trace = AgentFailed.by_raising(error), traceback_of(error)
            self.say(
                type="fault",
                id=fields.get("id"),
                kind=said.kind,
                message=str(said),
                trace=trace.text,
                raised=trace.kind,
            )
        else:
            return True
        return False


def _printable(value: Any) -> Any:
    """Return a text that can be written, whatever is in it."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


async def _awaited(answer: Any) -> Any:
    return await answer


def _answer(action: Any, seen: Observation) -> dict[str, Any]:
    """Return the fields of an answer; raises AgentFailed for one that is not an action, as a game does."""
    if type(action) is Mix:
        return protocol.fields_of(action)
    if type(action) is not Action:
        raise not_an_action(action)
    unusable = type(action.amount) is not int or abs(action.amount) > MOST_CHIPS
    if action.kind not in KINDS or (action.kind == "raiseTo" and unusable):
        raise AgentFailed("illegal", not_legal(action, seen.legal))
    return protocol.fields_of(action)


def main() -> None:
    """Keep the pipes for the lines, and do as they say until they end."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    host = Host(sink)
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            if not host.take(line):
                break
    # Taking the interpreter apart is a fifth of the processor time of a host: the box ends anyway.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
