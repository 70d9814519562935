"""Connections of the live server: how many may be open, for how long, and who has to leave for whom.

A connection is a stranger's until a request with an invitation came over it. Strangers have a share of all connections
and a short time for each request. Whoever comes when that share is taken gets the place of the stranger who has been
there longest, so that a guest who knocks during a flood is always heard.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Hashable
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeAlias

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

#: The most files that are worth opening: for more connections than this server can serve.
_MOST_FILES: Final = 16_384
#: Files that are kept for everything but connections: the run's own, programs, workers, models.
_MOST_RESERVED: Final = 1_024
#: Connections that strangers may have from one address.
_FROM_ONE_ADDRESS: Final = 128
#: Connections of one invitation, for each of its slots and besides.
_OF_ONE_GUEST: Final = 32
#: Seconds without a request after which connections end: strangers have as long for their headers, guests longer.
STRANGER_S: Final = 10.0
GUEST_S: Final = 90.0
#: Seconds between two looks for connections whose time is up.
_LOOK_S: Final = 1.0

Address: TypeAlias = tuple[str, int]


def raise_file_limit() -> int:
    """Let this process open as many files as the system allows, within reason; return how many that is."""
    if resource is None:
        return 512  # what Windows gives every program
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_FILES
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft < wanted:
        with suppress(OSError, ValueError):  # a system that does not allow what it said it would
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return soft


def most_connections(files: int) -> int:
    """Return how many connections may be open where so many files may be.

    >>> most_connections(256), most_connections(1024), most_connections(16384)
    (128, 512, 15360)
    """
    return min(files, _MOST_FILES) - min(files // 2, _MOST_RESERVED)


def most_of_one_guest(slots: int) -> int:
    """Return how many connections an invitation with so many slots may have, and requests under way."""
    return _OF_ONE_GUEST * (slots + 1)


class _Connection:
    """An open connection: its requests under way, since when it has had none, and whose it is."""

    __slots__ = ("guest", "idle_since", "requests", "transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.requests = 0
        self.idle_since = monotonic()
        self.guest: Hashable = None


class ConnectionLimits:
    """Keeps count of the connections of a server, on its event loop.

    Attributes:
        shut_at: When somebody was last turned away, by `time.monotonic`: whoever was awaited then is not to blame.

    Args:
        most: How many connections may be open.
        proxies: Addresses that speak for many clients, so that no limit for one address holds there.
    """

    def __init__(self, most: int, *, proxies: Collection[str] = ()) -> None:
        self.shut_at = float("-inf")
        self._most = most
        self._proxies = proxies
        self._strangers: dict[Address, _Connection] = {}  # the oldest comes first
        self._by_host: Counter[str] = Counter()
        self._guests: dict[Address, _Connection] = {}

    def came(self, transport: asyncio.Transport) -> None:
        """Count a new connection, a stranger's; it ends at once if there is no room even without other strangers."""
        address = _peer(transport)
        self._end(address)
        host, share = address[0], self._most // 2
        if host not in self._proxies and self._by_host[host] >= min(_FROM_ONE_ADDRESS, share):
            self._end_oldest_stranger(host)
        elif len(self._strangers) >= share or self._count >= self._most:
            self._end_oldest_stranger()
        if self._count >= self._most:
            self.turned_away()
            transport.abort()
            return
        self._strangers[address] = _Connection(transport)
        self._by_host[host] += 1

    def turned_away(self) -> None:
        """Note that somebody who came could not be let in."""
        self.shut_at = monotonic()

    def invited(self, client: Address, guest: Hashable, *, slots: int) -> None:
        """Note that a request with an invitation came over a connection; a guest with too many loses an idle one.

        A proxy's connection carries requests of many, so it is nobody's own.
        """
        if (found := self._forget_stranger(client)) is None:
            return
        found.guest = client if client[0] in self._proxies else guest
        self._guests[client] = found
        own = {address: each for address, each in self._guests.items() if each.guest == guest}
        if len(own) > most_of_one_guest(slots):
            idle = [(each.idle_since, address) for address, each in own.items() if not each.requests]
            if idle:
                self._end(min(idle)[1])

    def begin_request(self, client: Address) -> None:
        """Note that a request has come over a connection."""
        if (found := self._find(client)) is not None:
            found.requests += 1

    def end_request(self, client: Address) -> None:
        """Note that a request was answered."""
        if (found := self._find(client)) is not None:
            found.requests -= 1
            found.idle_since = monotonic()

    async def end_idle_connections(self) -> None:
        """End the connections whose time is up, again and again; forget those that have ended."""
        while True:
            now = monotonic()
            for kept, limit_s in ((self._strangers, STRANGER_S), (self._guests, GUEST_S)):
                for address, each in [*kept.items()]:
                    allowed_s = GUEST_S if address[0] in self._proxies else limit_s
                    if each.transport.is_closing() or (not each.requests and now - each.idle_since > allowed_s):
                        self._end(address)
            await asyncio.sleep(_LOOK_S)

    def handle_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle what goes wrong in the event loop. A connection that cannot be accepted is noted, without a word."""
        if not isinstance(context.get("exception"), OSError):
            loop.default_exception_handler(context)
        elif "accept" in context["message"]:
            self.turned_away()

    @property
    def _count(self) -> int:
        return len(self._strangers) + len(self._guests)

    def _find(self, client: Address) -> _Connection | None:
        return self._guests.get(client) or self._strangers.get(client)

    def _forget_stranger(self, address: Address) -> _Connection | None:
        found = self._strangers.pop(address, None)
        if found is not None:
            self._by_host[address[0]] -= 1
            if not self._by_host[address[0]]:
                del self._by_host[address[0]]
        return found

    def _end_oldest_stranger(self, host: str | None = None) -> None:
        """End the connection that a stranger has had longest without a request, from one address or any."""
        for address, each in self._strangers.items():
            if host in (None, address[0]) and not each.requests:
                self._end(address)
                return

    def _end(self, address: Address) -> None:
        found = self._forget_stranger(address) or self._guests.pop(address, None)
        if found is not None:
            found.transport.abort()


def _peer(transport: asyncio.Transport) -> Address:
    name = transport.get_extra_info("peername") or ("", id(transport))
    return str(name[0]), int(name[1])
