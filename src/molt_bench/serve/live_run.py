"""A run in live mode: its server, who is away meanwhile, and how everybody learns that it is over."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.agents.live.attendance import MOST_FORFEITS, RECONNECT_S
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.journal import JournalReader
from molt_bench.runs.journal_lines import Game, games_in
from molt_bench.runs.run_files import remove_empty
from molt_bench.serve.invitations import forget, load, new_invitations, save
from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.serve.public_address import ServerAddress
from molt_bench.serve.server import LiveServer
from molt_bench.serve.waiting_for_guests import IfMissing, await_everybody, invite, named
from molt_bench.web_server import bound

#: Seconds that agents get to learn that the run is over.
LINGER_S: Final = 60.0
#: Seconds after which the operator is told whom the server waits for.
_SILENT_S: Final = 2.0


class ServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is served.

    Attributes:
        host: The address to listen on; None for the one of the invitations, or this machine alone.
        port: The port; None for the one of the invitations, or any free one.
        join_timeout_s: Seconds to wait until everybody is there; None waits for ever.
        reconnect_s: Seconds in a game for which an agent that lost its connection may be late.
        public_url: The URL under which guests reach the server, through a proxy; None if they come directly.
        earlier: Folder of a run that was killed while it waited, whose invitations are used; None for new ones.
        if_missing: Whether the run ends then, or begins without whoever is missing.
        linger_s: Seconds after the end for which the server waits until everybody has learnt of it.
        stay: Whether it stays until it is stopped.
        say: Called with what the operator should read.
        note: Called with what happens meanwhile.
    """

    host: str | None = None
    port: int | None = None
    join_timeout_s: float | None = None
    reconnect_s: float = RECONNECT_S
    public_url: str | None = None
    earlier: Path | None = None
    if_missing: IfMissing = "end"
    linger_s: float = LINGER_S
    stay: bool = False
    say: Callable[[str], None] = print
    note: Callable[[str], None] = print


@contextmanager
def served(folder: Path, config: BenchmarkConfig, options: ServeOptions) -> Iterator[Lobby]:
    """Serve a run within the context, from when its other participants are ready; yields who seats the live agents.

    A run that goes on has the invitations it had, at the same address, and so has one that was killed before it began.
    """
    if not any(each.kind.comes for each in config.participants):
        raise ConfigError("participants", "", "at least one of `type: live`; others need no server: use molt-bench run")
    known = load(folder) or (load(options.earlier) if options.earlier is not None else None)
    host = options.host or (known.host if known is not None else "127.0.0.1")
    port = options.port if options.port is not None else known.port if known is not None else 0
    listener = bound(host, port)
    port = listener.getsockname()[1]
    invitations = known or new_invitations(config, host, port)
    session = 0 if known is None else known.session + 1
    try:
        save(msgspec.structs.replace(invitations, host=host, port=port, session=session), folder)
    except MoltBenchError:
        listener.close()
        raise
    if options.earlier is not None:
        with suppress(OSError):
            remove_empty(options.earlier)
    lobby = Lobby(
        invitations.invited,
        titles={each.id: each.display_name or each.id for each in config.participants},
        game=config.game,
        session=session,
        reconnect_s=options.reconnect_s,
    )
    left = _left_before(folder, config)
    for each in lobby.invitations:
        each.left = each.invited.participant in left
    address = ServerAddress(host=host, port=port, public_url=options.public_url)
    server = LiveServer(lobby, listener, address)

    def gather() -> None:
        server.start()
        invite(lobby, address, options.say)
        await_everybody(
            lobby, options.join_timeout_s, if_missing=options.if_missing, say=options.say, note=options.note
        )

    lobby.on_gather = gather
    lobby.on_away = _AwayNotes(options.note)
    lobby.on_left = lambda left: options.note(f"{named(left)} has left: the run goes on without it")
    lobby.finished_games = cache(lambda: _games_in(folder))
    try:
        yield lobby
        lobby.close("the run is over")
        forget(folder)
        with suppress(KeyboardInterrupt):
            _linger(lobby, options)
    finally:
        server.stop()


class _AwayNotes:
    """Tells the operator who is away and since when, who is back, and who has forfeited a game."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._told: dict[str, tuple[bool, int]] = {}

    def __call__(self, invitation: Invitation) -> None:
        """Say what has changed; an agent may have several slots, of which each calls."""
        away_s, forfeits = invitation.away_s, invitation.forfeits
        was_away, before = self._told.get(invitation.invited.token, (False, 0))
        self._told[invitation.invited.token] = away_s is not None, forfeits
        if forfeits > before:
            last = "; nobody waits for it any more" if forfeits >= MOST_FORFEITS else ""
            self._note(f"{named(invitation)} stays away, and forfeits its game ({forfeits} of {MOST_FORFEITS}){last}")
        elif away_s is not None and not was_away:
            since = datetime.now().astimezone() - timedelta(seconds=away_s)
            self._note(f"{named(invitation)} has been away since {since:%H:%M:%S}, and its time to answer is up")
        elif away_s is None and was_away:
            self._note(f"{named(invitation)} is back")


def _left_before(folder: Path, config: BenchmarkConfig) -> frozenset[str]:
    """Return who has left a run that goes on: it does not wait for them."""
    forfeits = Counter(
        name
        for game in _games_in(folder)
        for player, name in enumerate(game.record.players)
        if any(fault.kind == "forfeit" and fault.player == player for fault in game.record.faults)
    )
    return frozenset(name for name, games in forfeits.items() if games >= MOST_FORFEITS)


def _games_in(folder: Path) -> Sequence[Game]:
    """Return the games of a run so far."""
    journal = folder / JOURNAL
    return games_in(JournalReader(str(journal)).read().lines) if journal.is_file() and journal.stat().st_size else ()


def _linger(lobby: Lobby, options: ServeOptions) -> None:
    """Stay until everybody has learnt that the run is over, or the time is up."""
    begun, said = time.monotonic(), False
    while options.stay or (time.monotonic() < begun + options.linger_s and not lobby.everybody_told()):
        if not said and time.monotonic() > begun + (0 if options.stay else _SILENT_S):
            said = True
            untold = ", ".join(named(each) for each in lobby.invitations if each.came and not each.told)
            until = "until it is stopped" if options.stay else f"up to {options.linger_s:g} s"
            whom = f" {untold} can" if untold else " latecomers can"
            options.note(f"The server stays {until}, so that{whom} learn that the run is over. Ctrl-C ends it.")
        time.sleep(0.05)
