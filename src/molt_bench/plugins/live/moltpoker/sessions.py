"""What names the slots of an invitation to moltpoker's clients: keys, session tokens and ids.

All are derived from the invitation, so a client goes on with them after a restart of the server; nothing is stored.
"""

import hmac
from typing import Final, Literal, Protocol, TypeAlias

from molt_bench.plugins.live.lobby import Invitation

Secret: TypeAlias = Literal["key", "session"]

_PREFIX: Final[dict[Secret, str]] = {"key": "mpk_", "session": "mps_"}
_SLOT_DIGITS: Final = 4
_CODE_DIGITS: Final = 60


class Socket(Protocol):
    """A socket that a client holds."""

    def end(self, code: int, reason: str, error: str = "") -> None:
        """Say goodbye, after an error if one is named."""


class Tables:
    """Which slots clients have. Used on the server's event loop alone.

    Attributes:
        sockets: The open socket of a slot, by the id of its table.
    """

    def __init__(self) -> None:
        self.sockets: dict[str, Socket] = {}
        self._given: set[str] = set()

    def given(self, invitation: Invitation) -> int:
        """Return a slot for a new client: one that is unused, else one without a socket, else the first."""
        tables = [table_id(invitation, slot) for slot in range(len(invitation.slots))]
        new = [table for table in tables if table not in self._given]
        table = [*new, *(table for table in tables if table not in self.sockets), tables[0]][0]
        self._given.add(table)
        return tables.index(table)


def agent_id(invitation: Invitation, slot: int | None) -> str:
    """Return the id under which a client is shown; all of its opponents have the one of no slot."""
    return "agt_" + invitation.derived("moltpoker agent", str(slot))[:32]


def table_id(invitation: Invitation, slot: int) -> str:
    """Return the id of the table of a slot."""
    return "tbl_" + invitation.derived("moltpoker table", str(slot))[:32]


def secret(kind: Secret, invitation: Invitation, slot: int) -> str:
    """Return the key of a client, or the token with which it opens a socket."""
    return f"{_PREFIX[kind]}{slot:0{_SLOT_DIGITS}x}{invitation.derived(f'moltpoker {kind}', str(slot))[:_CODE_DIGITS]}"


def slot_of(kind: Secret, invitation: Invitation, given: str) -> int | None:
    """Return the slot that a key or a token is for; None if it is none of this invitation."""
    for slot in range(len(invitation.slots)):
        if hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret(kind, invitation, slot).encode()):
            return slot
    return None
