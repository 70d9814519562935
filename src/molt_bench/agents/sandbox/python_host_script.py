"""The script that hosts a Python agent in its box: loads the code, and plays by the lines of `exec:` programs.

It runs as a script. Its lines are those of `agents.external.protocol`, and these besides:

    to the host    hello       with `agent`: the type, the params, the hash of the code, and where modules are found
                   policy      with an id and observations: what are the odds at each?
    from the host  hello       with `hooks`, the hooks it has, and `policy`, whether it publishes its odds
                   done        after `handResult` and `error`, if it has the hook
                   fault       instead of an action or `done`: kind, message and traceback
                   policies    with the id and the answers: entries of kind, low, high and chance; or what was raised

What the code prints goes to standard error.
"""

import asyncio
import atexit
import inspect
import os
import sys
from contextlib import suppress
from itertools import islice
from math import isfinite
from typing import Any, Final

import msgspec

from molt_bench.agents.base import Sizes
from molt_bench.agents.external import protocol
from molt_bench.agents.python_import import call_factory, find_factory
from molt_bench.agents.sandbox.host_lines import Question
from molt_bench.agents.tracebacks import traceback_of
from molt_bench.errors import AgentFailed, MoltBenchError, not_an_action
from molt_bench.poker.actions import KINDS, Action
from molt_bench.poker.hand import not_legal
from molt_bench.poker.observation import Observation
from molt_bench.specs import MOST_CHIPS, ParticipantSpec
from molt_bench.visible_text import shown

#: Entries of a policy that are read, at most; more are too many in any case.
_MOST_ENTRIES: Final = 4097
_ENCODE: Final = msgspec.json.Encoder().encode
_MESSAGE: Final = msgspec.json.Decoder(protocol.ToAgent)
_QUESTION: Final = msgspec.json.Decoder(Question)


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
        if line.startswith(b'{"type":"policy"'):
            asked = _QUESTION.decode(line)
            answers = [self._policy(protocol.observation_of(each)) for each in asked.observations]
            self.say(type="policies", id=asked.id, answers=answers)
            return True
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
            self._agent = call_factory(spec, find_factory(spec.type, (), code_sha256=wanted["sha256"]))
            policy = callable(getattr(self._agent, "policy", None))
        except MoltBenchError as error:
            trace = traceback_of(error.__cause__ or error)
            self.say(type="fault", kind="exception", message=str(error), trace=trace.text, raised=trace.kind)
            return False
        hooks = [name for name in ("on_hand_complete", "on_error") if callable(getattr(self._agent, name, None))]
        if wanted["plays"] and not self._try(fields, lambda: self._call("reset")):
            return False
        self.say(type="hello", protocol=protocol.PROTOCOL, hooks=hooks, policy=policy)
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
        if type(answer) is not Action and inspect.isawaitable(answer):
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

    def _policy(self, seen: Observation) -> list[tuple[str, int, int, float]] | str:
        """Return the odds at a decision, or what went wrong."""
        try:
            return [_entry(*each) for each in islice(self._agent.policy(seen), _MOST_ENTRIES)]
        except (Exception, SystemExit) as error:
            return str(_printable(f"{type(error).__name__}: {error}"))


def _printable(value: Any) -> Any:
    """Return a text that can be written, whatever is in it."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


async def _awaited(answer: Any) -> Any:
    return await answer


def _entry(choice: Any, chance: Any) -> tuple[str, int, int, float]:
    """Return an entry of a policy in plain values; numbers may be of any type, such as those of numpy."""
    stated = float(chance)
    if not isfinite(stated):
        raise ValueError(f"a chance is {stated}")
    if isinstance(choice, Sizes):
        return "sizes", _whole(choice.low), _whole(choice.high), stated
    return str(_printable(str(choice.kind))), _whole(choice.amount), 0, stated


def _whole(number: Any) -> int:
    if type(number) is not int or abs(number) > MOST_CHIPS:
        raise TypeError(f"a size is {shown(number)}, and has to be an int of chips")
    return number


def _answer(action: Any, seen: Observation) -> dict[str, Any]:
    """Return the fields of an answer; raises AgentFailed for one that is not an action, as a game does."""
    if type(action) is not Action:
        raise not_an_action(action)
    unusable = type(action.amount) is not int or abs(action.amount) > MOST_CHIPS
    if action.kind not in KINDS or (action.kind == "raiseTo" and unusable):
        raise AgentFailed("illegal", not_legal(action, seen.legal))
    return {"kind": action.kind} | ({"amount": action.amount} if action.kind == "raiseTo" else {})


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
