"""How messages of moltpoker's clients are read. Pure: no I/O.

It is as strict as the original: fields that are not known are ignored, and nothing is guessed at or repaired.
"""

from typing import Any

import msgspec

from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import KINDS, MOST_CHIPS, Action


class Ping(msgspec.Struct, frozen=True):
    """A client asks whether we are there."""

    timestamp: int


class Act(msgspec.Struct, frozen=True):
    """A client's action; what is wrong with its form, if it has a token but cannot be read."""

    token: str
    action: Action | AgentFailed
    expected_seq: int | None = None


class Unreadable(msgspec.Struct, frozen=True):
    """A client's message that belongs to no decision, and why it cannot be read."""

    why: str


def read(text: str | bytes) -> Ping | Act | Unreadable:
    """Read a client's message."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError, ValueError):
        return Unreadable("Invalid JSON")
    if isinstance(found, dict):
        if found.get("type") == "ping":
            payload = found.get("payload")
            stamp = _whole(payload.get("timestamp")) if isinstance(payload, dict) else None
            if stamp is not None:
                return Ping(stamp)
        action = found.get("action")
        if found.get("type") == "action" and isinstance(action, dict) and isinstance(action.get("turn_token"), str):
            return _act(found, action)
    return Unreadable("Invalid message format")


def _act(found: dict[str, Any], action: dict[str, Any]) -> Act:
    token, kind = action["turn_token"], action.get("kind")
    seq = _whole(found.get("expected_seq", 0))
    if seq is None:
        return Act(token, AgentFailed("unreadable", "expected_seq is not a whole number"))
    expected = seq if "expected_seq" in found else None
    if not isinstance(kind, str) or kind not in KINDS:
        return Act(token, AgentFailed("unreadable", f"kind is not one of {', '.join(KINDS)}"), expected)
    amount = _whole(action.get("amount", 1))
    if amount is None or amount <= 0:
        return Act(token, AgentFailed("unreadable", "amount is not a whole number above 0"), expected)
    raised = amount if kind == "raiseTo" and "amount" in action else 0
    return Act(token, Action(kind, raised), expected)


def _whole(value: object) -> int | None:
    """Return a number without a fraction, as JavaScript has it: 300.0 is one. None for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and abs(value) <= MOST_CHIPS else None
