"""How the answers of programs and web servers are read: strictly, neither guessed at nor repaired. Pure: no I/O."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from molt_bench.agents.external.protocol import AgentAction, AgentFault, AgentHello, Answer, Done, MixEntry
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action, Kind
from molt_bench.poker.mix import Entry, Mix, RaiseRange
from molt_bench.visible_text import on_one_line, shortened, shown

#: Characters of what is said of an answer, which may quote it.
_SAID: Final = 200

Read = TypeVar("Read")
_hello: Final = msgspec.json.Decoder(AgentHello | Done).decode
_answer: Final = msgspec.json.Decoder(AgentAction | AgentFault).decode
_done: Final = msgspec.json.Decoder(Done | AgentHello | AgentAction | AgentFault).decode
_anything: Final = msgspec.json.Decoder(dict[str, Any]).decode


def read_hello(line: bytes) -> bool:
    """Read an agent's answer to hello; raises AgentFailed if it is not a hello, or of another version."""
    found = _read(line, _hello)
    if isinstance(found, Done):  # a host, whose agent cannot be made
        raise AgentFailed(found.kind or "unparsable", found.message)
    return True


def read_answer(line: bytes) -> tuple[int, Action | Mix | AgentFailed]:
    """Return the id of the observation that an agent answered, and its action or mix, or the fault that it tells of.

    Raises AgentFailed if it is none of them. The game checks whether an action is legal.
    """
    found = _read(line, _answer)
    return found.id, AgentFailed(found.kind, found.message) if isinstance(found, AgentFault) else _chosen(found)


def read_done(line: bytes) -> bool | None:
    """Return whether a host says that a hook has ended; None for another line. Raises AgentFailed if it failed."""
    found = _read(line, _done)
    if isinstance(found, Done) and found.kind is not None:
        raise AgentFailed(found.kind, found.message)
    return isinstance(found, Done) or None


def read_object(answer: bytes) -> dict[str, Any]:
    """Read an answer that may be any JSON object; raises AgentFailed if it is none."""
    return _read(answer, _anything)


def answer_of(fields: Mapping[str, Any]) -> Action | Mix:
    """Return the action or the mix that the fields of an answer name; raises AgentFailed if it is none."""
    try:
        return _chosen(msgspec.convert(fields, Answer))
    except msgspec.ValidationError as error:
        raise _unfit(str(error)) from None


def _read(answer: bytes, decode: Callable[[bytes], Read]) -> Read:
    """Read an answer of a certain form; raises AgentFailed if it has another."""
    if not answer.strip():
        raise AgentFailed("empty", "the answer is empty")
    try:
        return decode(answer)
    except msgspec.ValidationError as error:
        raise _unfit(str(error)) from None
    except msgspec.DecodeError as error:
        said = shown(answer.decode("utf-8", "replace").strip())
        raise AgentFailed("unparsable", f"the answer is no JSON: {said} ({error})") from None
    except UnicodeDecodeError:
        raise AgentFailed("unparsable", "the answer is not UTF-8") from None
    except RecursionError:
        raise AgentFailed("unparsable", "the answer is nested too deeply") from None


def _unfit(said: str) -> AgentFailed:
    said = shortened(on_one_line(said), _SAID).replace("\n", " ")
    return AgentFailed("unparsable", f"the answer is not as the protocol says: {said}")


def _chosen(answer: Answer) -> Action | Mix:
    """Return what an answer chooses; raises AgentFailed if that is nothing, or two things at once."""
    if answer.mix is UNSET:
        if answer.kind is UNSET:
            raise _unfit("Object missing required field `kind`, or `mix`")
        return _action(answer.kind, answer.amount)
    if answer.kind is not UNSET or answer.amount is not None:
        raise _unfit("Expected neither `kind` nor `amount` beside `mix`")
    return Mix([(_entry(each), each.weight) for each in answer.mix])


def _entry(entry: MixEntry) -> Entry:
    if entry.low is UNSET and entry.high is UNSET:
        return _action(entry.kind, entry.amount)
    if entry.kind != "raiseTo" or entry.amount is not None or entry.low is UNSET or entry.high is UNSET:
        raise _unfit("Expected `low` and `high` together, with `raiseTo`, and no `amount` beside them")
    return RaiseRange(entry.low, entry.high)


def _action(kind: Kind, amount: int | None) -> Action:
    if (kind == "raiseTo") is (amount is None):
        raise _unfit(f"Expected `amount` {'beside' if amount is None else 'only beside'} `raiseTo`")
    return Action(kind) if amount is None else Action(kind, amount)
