"""What names the slots of an invitation to moltpoker's clients: ids, and the key with which they join and connect.

All are derived from the invitation, so a client goes on with them after a restart of the server; nothing is stored.
"""

import hmac
from collections.abc import Callable

from molt_bench.plugins.live.lobby import Invitation


class Tables:
    """Which slots clients have. Used on the server's event loop alone.

    Attributes:
        sockets: What ends the open socket of a slot, by the id of its table: its code, the reason, and an error or "".
    """

    def __init__(self) -> None:
        self.sockets: dict[str, Callable[[int, str, str], None]] = {}
        self._given: set[str] = set()

    def given(self, invitation: Invitation) -> int:
        """Return a slot for a new client: one that is unused, else one without a socket, else the first."""
        tables = [table_id(invitation, slot) for slot in range(len(invitation.slots))]
        new = [table for table in tables if table not in self._given]
        table = [*new, *(table for table in tables if table not in self.sockets), tables[0]][0]
        self._given.add(table)
        return tables.index(table)


def agent_id(invitation: Invitation, slot: int) -> str:
    """Return the id under which a client is shown."""
    return "agt_" + invitation.derived("moltpoker agent", str(slot))[:32]


def table_id(invitation: Invitation, slot: int) -> str:
    """Return the id of the table of a slot."""
    return "tbl_" + invitation.derived("moltpoker table", str(slot))[:32]


def key_of(invitation: Invitation, slot: int) -> str:
    """Return the key of a slot. It is the token of its sessions, too: neither ever expires."""
    return "mpk_" + invitation.derived("moltpoker key", str(slot))


def slot_of(invitation: Invitation, key: str) -> int | None:
    """Return the slot that a key is for; None if it is none of this invitation."""
    given = key.encode("utf-8", "surrogatepass")
    slots = range(len(invitation.slots))
    return next((slot for slot in slots if hmac.compare_digest(given, key_of(invitation, slot).encode())), None)
