"""How the answers of programs and web servers are read: strictly, neither guessed at nor repaired. Pure: no I/O."""

from typing import Final

import msgspec

from molt_bench.agents.external.protocol import AgentAction, AgentFault, AgentHello, Done
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.messages import chosen, read
from molt_bench.poker.mix import Mix

_hello: Final = msgspec.json.Decoder(AgentHello | Done).decode
_answer: Final = msgspec.json.Decoder(AgentAction | AgentFault).decode
_done: Final = msgspec.json.Decoder(Done | AgentHello | AgentAction | AgentFault).decode


def read_hello(line: bytes) -> bool:
    """Read an agent's answer to hello; raises AgentFailed if it is not a hello, or of another version."""
    found = read(line, _hello)
    if isinstance(found, Done):  # a host, whose agent cannot be made
        raise AgentFailed(found.kind or "unparsable", found.message)
    return True


def read_answer(line: bytes) -> tuple[int, Action | Mix | AgentFailed]:
    """Return the id of the observation that an agent answered, and its action or mix, or the fault that it tells of.

    Raises AgentFailed if it is none of them. The game checks whether an action is legal.
    """
    found = read(line, _answer)
    return found.id, AgentFailed(found.kind, found.message) if isinstance(found, AgentFault) else chosen(found)


def read_done(line: bytes) -> bool | None:
    """Return whether a host says that a hook has ended; None for another line. Raises AgentFailed if it failed."""
    found = read(line, _done)
    if isinstance(found, Done) and found.kind is not None:
        raise AgentFailed(found.kind, found.message)
    return isinstance(found, Done) or None
