"""Who holds which slot of an invitation, for moltpoker's clients: agents, their keys, and their sessions.

Keys, session tokens and ids are derived from the invitation, so a client can go on with them after a restart of the
server. They hold a random name of the agent and a code that proves it; nothing is stored for them.
"""

import hmac
import secrets
from typing import Final, Protocol

import msgspec

from molt_bench.plugins.live.lobby import Invitation

#: What an opponent is called: nobody is told whom it plays.
OPPONENT: Final = "opponent"
_NAME_DIGITS: Final = 16
_CODE_DIGITS: Final = 48
_SLOT_DIGITS: Final = 4
_NOBODY: Final = ""


class Socket(Protocol):
    """A socket that a client holds."""

    def end(self, code: int, reason: str, error: str = "") -> None:
        """Say goodbye, after an error if one is named."""


class Hold(msgspec.Struct):
    """Who holds a slot.

    Attributes:
        agent: Name of the agent; None if the server does not know yet, as after a restart.
    """

    agent: str | None = None
    socket: Socket | None = None


class Sessions:
    """The sessions of all invitations. Used on the server's event loop alone."""

    def __init__(self) -> None:
        self._holds: dict[int, list[Hold]] = {}

    def holds(self, invitation: Invitation) -> list[Hold]:
        """Return who holds the slots of an invitation."""
        return self._holds.setdefault(id(invitation), [Hold() for _ in invitation.slots])

    def take(self, invitation: Invitation, agent: str, *, only: int | None = None) -> int | None:
        """Give an agent a slot, of all or of one: its own, or one without a connection; None if there is none."""
        holds = [(at, hold) for at, hold in enumerate(self.holds(invitation)) if only in (None, at)]
        own = [at for at, hold in holds if hold.agent == agent]
        free = [at for at, hold in holds if not hold.agent] or [at for at, hold in holds if hold.socket is None]
        for at in (own or free)[:1]:
            self.holds(invitation)[at].agent = agent
            return at
        return None

    def resume(self, invitation: Invitation, token: str) -> tuple[int, str] | None:
        """Return slot and agent of a session token; None if it is not valid, or the slot is another's by now."""
        parts = token[4 : 4 + _SLOT_DIGITS], token[4 + _SLOT_DIGITS : 4 + _SLOT_DIGITS + _NAME_DIGITS]
        try:
            slot, agent = int(parts[0], 16), parts[1]
        except ValueError:
            return None
        if not 0 <= slot < len(invitation.slots) or not same(token, session_token(invitation, slot, agent)):
            return None
        hold = self.holds(invitation)[slot]
        if hold.agent is None:
            hold.agent = agent
        return (slot, agent) if hold.agent == agent else None

    def leave(self, invitation: Invitation, slot: int, agent: str) -> bool:
        """Free the slot of an agent; return whether it was its own."""
        hold = self.holds(invitation)[slot]
        if hold.agent not in (None, agent):
            return False
        hold.agent = _NOBODY
        if hold.socket is not None:
            hold.socket.end(1000, "Left the table")
        return True


def new_agent() -> str:
    """Return the name of a new agent."""
    return secrets.token_hex(_NAME_DIGITS // 2)


def agent_id(invitation: Invitation, agent: str) -> str:
    """Return the id under which an agent is shown; all opponents have one."""
    return "agt_" + invitation.derived("moltpoker agent", agent)[:32]


def table_id(invitation: Invitation, slot: int) -> str:
    """Return the id of the table of a slot."""
    return "tbl_" + invitation.derived("moltpoker table", str(slot))[:32]


def api_key(invitation: Invitation, agent: str) -> str:
    """Return the key of an agent."""
    return f"mpk_{agent}{invitation.derived('moltpoker key', agent)[:_CODE_DIGITS]}"


def agent_of(invitation: Invitation, key: str) -> str | None:
    """Return the agent that a key belongs to."""
    agent = key[4 : 4 + _NAME_DIGITS]
    return agent if same(key, api_key(invitation, agent)) else None


def session_token(invitation: Invitation, slot: int, agent: str) -> str:
    """Return the token with which an agent opens a socket for a slot."""
    code = invitation.derived("moltpoker session", str(slot), agent)[:_CODE_DIGITS]
    return f"mps_{slot:0{_SLOT_DIGITS}x}{agent}{code}"


def same(given: str, right: str) -> bool:
    """Compare secrets in a time that tells nothing about them."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), right.encode("utf-8", "surrogatepass"))
