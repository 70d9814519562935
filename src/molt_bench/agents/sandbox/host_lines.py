"""The lines between us and the host of a Python agent, besides those of every program. Pure: no I/O.

`python_host_script` lists them. What a host says is the word of whoever wrote the code in it, so it is read with care.
"""

import os
from typing import Any, Final

import msgspec

from molt_bench.agents.external import protocol
from molt_bench.agents.tracebacks import ReportedFailure, Trace
from molt_bench.errors import AgentFailed, FaultKind

#: What the code of an agent can do wrong by its own word; the rest is seen from outside.
_FAULTS: Final[tuple[FaultKind, ...]] = ("illegal", "unreadable", "unparsable", "empty", "refused", "exception")
_ENCODE: Final = msgspec.json.Encoder().encode


class Code(msgspec.Struct, frozen=True, rename="camel"):
    """What a host is told about the agent that it plays.

    Attributes:
        type: `file.py:factory`, with the whole path of the file, `module:factory`, or the name of a plug-in.
        params: For its factory.
        paths: Where modules are found.
        folder: Where it runs, if its box shows that.
        sha256: What the code must have; None for any.
    """

    type: str
    params: dict[str, Any]
    paths: tuple[str, ...]
    folder: str
    sha256: str | None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that its host needs to find our own modules, which it loads before it reads a line."""
        return {"PYTHONPATH": os.pathsep.join(self.paths)}


class _Hello(protocol.Hello, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="hello"):
    agent: Code


def hello_line(name: str, code: Code) -> bytes:
    """Return the line that a host begins with."""
    return _ENCODE(_Hello(protocol=protocol.PROTOCOL, name=name, agent=code)) + b"\n"


def hello_of(line: bytes) -> list[str]:
    """Return the hooks that an agent has; raises AgentFailed if it cannot play."""
    raise_fault(line)
    protocol.read_hello(line)
    fields = protocol.json_object(line)
    hooks = fields.get("hooks")
    return [str(hook) for hook in hooks] if isinstance(hooks, list) else []


def is_done(line: bytes) -> bool | None:
    """Return whether a hook has returned; None for a line about something else. Raises AgentFailed for its fault."""
    raise_fault(line)
    return True if protocol.json_object(line).get("type") == "done" else None


def raise_fault(line: bytes, number: int | None = None) -> None:
    """Raise the failure that a line reports, if it reports one: of a decision, by its number, or else of a hook."""
    if not line.startswith(b'{"type":"fault"'):
        return
    fields = protocol.json_object(line)
    if number is not None and fields.get("id") != number:
        return
    kind, message, trace, raised = (fields.get(name) for name in ("kind", "message", "trace", "raised"))
    if kind not in _FAULTS or not isinstance(message, str):
        raise AgentFailed("unparsable", "its host reports a fault that is none")
    if not isinstance(trace, str) or not isinstance(raised, str):
        raise AgentFailed(kind, message)
    raise ReportedFailure(kind, message, Trace.told(raised, trace))
