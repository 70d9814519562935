"""Waiting for guests: invitations are sent out, and the run begins when all are there, or the time to join is up."""

import time
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from molt_bench.errors import MoltBenchError
from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.serve.public_address import ServerAddress
from molt_bench.visible_text import printable
from molt_bench.web_server import is_every_address

#: What happens if somebody is missing when the time to join is up.
IfMissing: TypeAlias = Literal["end", "play"]
#: Seconds that the clients of an agent get to take all its places, once the first has come.
_SEATED_S: Final = 1.0


def invite(lobby: Lobby, address: ServerAddress, say: Callable[[str], None]) -> None:
    """Print an invitation for everybody."""
    base = address.url
    say(f"Lobby: {base}/")
    say(f"The lobby with names, for you alone: {base}/?host={lobby.host_token}")
    for each in lobby.invitations:
        if each.left:
            say(f"{named(each)} has left: the run goes on without it")
            continue
        say(f"Invitation for {named(each)}: {base}/j/{each.invited.token}")
    if is_every_address(address.host) and address.public_url is None:
        say("On other machines, put the address of this one in place of localhost.")
    say("Opened in a browser, an invitation explains itself: the rules, commands to copy, a test of the connection.")
    say("Waiting for everybody to come. Whoever has an invitation plays as that participant: keep it secret.")


def named(invitation: Invitation) -> str:
    """Return what an invitation is called in lists: its participant, and which copy of it."""
    seating, title = invitation.invited.seating, printable(invitation.title)
    return title if seating is None else f"{title} (copy for seating {seating})"


def _tell_open_places(lobby: Lobby, note: Callable[[str], None]) -> None:
    """Say before the first card who plays fewer games at once than it may; clients get a moment to take all places."""
    until = time.monotonic() + _SEATED_S
    while time.monotonic() < until and any(each.filled < len(each.slots) for each in lobby.invitations):
        time.sleep(0.02)
    for each in lobby.invitations:
        most = len(each.slots)
        if each.filled < most:
            now = max(1, each.filled)
            games = "one game" if now == 1 else f"{now} games"
            note(
                f"{named(each)} has come to {each.filled} of {most} places (maxConcurrent: {most}), so it plays "
                f"{games} at once. More clients with its invitation take the others."
            )


def await_everybody(
    lobby: Lobby,
    timeout_s: float | None,
    *,
    if_missing: IfMissing,
    say: Callable[[str], None],
    note: Callable[[str], None],
) -> None:
    """Wait until everybody is there, or the time is up; then end with an error, or go on without whoever is missing."""
    until = None if timeout_s is None else time.monotonic() + timeout_s
    there: set[str] = set()
    while True:
        for each in lobby.invitations:
            if each.came and each.invited.token not in there:
                there.add(each.invited.token)
                say(f"{named(each)} has joined ({len(there)} of {len(lobby.invitations)})")
        if not lobby.missing():
            _tell_open_places(lobby, note)
            return
        if until is not None and time.monotonic() >= until:
            break
        lobby.wait(0.2 if until is None else min(0.2, max(0.0, until - time.monotonic())))
    missing = ", ".join(named(each) for each in lobby.missing())
    if if_missing == "end":
        raise MoltBenchError(f"nobody came for {missing} within {timeout_s:g} s (--join-timeout)")
    say(f"Playing without {missing}, who can still come; until then their games are forfeited")
