"""A run in live mode: its server, who is invited, awaited and away, and how all learn that it is over."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from molt_bench import BenchmarkConfig, ConfigError, GameRecord, GameSpec, MoltBenchError
from molt_bench.plugins.live.address import ServerAddress
from molt_bench.plugins.live.attendance import RECONNECT_S
from molt_bench.plugins.live.invitations import Invitations, Invited, forget, load, new_invitations, save
from molt_bench.plugins.live.lobby import LEFT, Invitation, Lobby
from molt_bench.plugins.live.server import LiveServer
from molt_bench.plugins.web_server import bound, is_every_address
from molt_bench.specs import MOST_FORFEITS

#: Seconds that agents get to learn that the run is over.
_LINGER_S: Final = 60.0
#: Seconds after which the operator is told who is missing.
_SILENT_S: Final = 2.0
#: Seconds between two looks at who has come, and who knows that the run is over.
_LOOK_S: Final = 0.05


class ServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is served: the options of `serve`, which say what they are for."""

    host: str | None = None
    port: int | None = None
    join_timeout_s: float | None = None
    reconnect_s: float = RECONNECT_S
    public_url: str | None = None
    if_missing: Literal["end", "play"] = "end"


@contextmanager
def served(
    folder: Path, config: BenchmarkConfig, games: Sequence[GameRecord], *, options: ServeOptions
) -> Iterator[Lobby]:
    """Serve a run within the context, from when its other participants are ready; yields who seats the live agents.

    A run that goes on has the invitations it had, at the same address.
    """
    if not any(each.kind.comes for each in config.participants):
        raise ConfigError("participants", "", "at least one of `type: live`; others need no server: use molt-bench run")
    known = load(folder)
    host = options.host or (known.host if known is not None else "127.0.0.1")
    listener = bound(host, options.port if options.port is not None else known.port if known is not None else 0)
    try:
        port = listener.getsockname()[1]
        invited = known.invited if known is not None else new_invitations(config)
        save(Invitations(host, port, invited), folder)
        address = ServerAddress(host=host, port=port, public_url=options.public_url)
        lobby = _Hosted(invited, config, address, options)
        for each in lobby.invitations:
            each.left = each.invited.participant in _left_before(games)
        lobby.server = LiveServer(lobby, listener, address)
    except MoltBenchError:
        listener.close()
        raise
    try:
        yield lobby
        lobby.close("the run is over")
        forget(folder)
        with suppress(KeyboardInterrupt):
            lobby.linger()
    finally:
        lobby.server.stop()


def _left_before(games: Iterable[GameRecord]) -> set[str]:
    """Return who has left a run that goes on: it does not wait for them."""
    forfeits = Counter(
        game.players[player]
        for game in games
        for player in {fault.player for fault in game.faults if fault.kind == "forfeit"}
    )
    return {name for name, times in forfeits.items() if times >= MOST_FORFEITS}


def _say(line: str) -> None:
    """Tell the operator what to read."""
    print(line, flush=True)


def _note(line: str) -> None:
    """Tell the operator what happens meanwhile."""
    print(f"molt-bench: {line}", file=sys.stderr, flush=True)


class _Hosted(Lobby):
    """A lobby that tells its operator who comes, stays away and goes."""

    server: LiveServer

    def __init__(
        self, invited: Iterable[Invited], config: BenchmarkConfig, address: ServerAddress, options: ServeOptions
    ) -> None:
        super().__init__(
            invited,
            titles={each.id: each.display_name or each.id for each in config.participants},
            game=GameSpec(seed=0, hands=config.game.hands_per_game, **config.game.options()),
            reconnect_s=options.reconnect_s,
        )
        self._address = address
        self._options = options

    def gather(self) -> None:
        """Print an invitation for each guest, and return when they are there, or the time is up."""
        self.server.start()
        for each in self.invitations:
            if each.left:
                self.tell(each, LEFT)
            else:
                _say(f"Invitation for {each}: {self._address.url}/j/{each.invited.token}")
        if is_every_address(self._address.host) and self._address.public_url is None:
            _say("On other machines, put the address of this one in place of localhost.")
        _say("Opened in a browser, an invitation explains itself: the rules, and commands to copy.")
        _say("Waiting for all guests. Anyone who has an invitation plays as that participant: keep it secret.")
        limit_s = self._options.join_timeout_s
        if self._everyone_came(limit_s):
            return
        missing = ", ".join(map(str, self.missing()))
        if self._options.if_missing == "end":
            raise MoltBenchError(f"no agent came for {missing} within {limit_s:g} s (--join-timeout)")
        _say(f"Playing without {missing}, who can still come; until then their games are forfeited")

    def _everyone_came(self, limit_s: float | None) -> bool:
        """Return whether all come in time."""
        begun, there = time.monotonic(), list[Invitation]()
        while True:
            for each in self.invitations:
                if each.came and each not in there:
                    there.append(each)
                    _say(f"{each} has joined ({len(there)} of {len(self.invitations)})")
            if not self.missing():
                return True
            if limit_s is not None and time.monotonic() > begun + limit_s:
                return False
            time.sleep(_LOOK_S)

    def tell(self, invitation: Invitation, said: str) -> None:
        """Tell the operator what an agent does."""
        _note(f"{invitation} {said}")

    def linger(self) -> None:
        """Stay until all have learnt that the run is over, or the time is up."""
        begun, said = time.monotonic(), False
        while time.monotonic() < begun + _LINGER_S and not self.all_told():
            if not said and time.monotonic() > begun + _SILENT_S:
                said = True
                told = ", ".join(str(each) for each in self.invitations if each.came and not each.told)
                _note(
                    f"The server stays up to {_LINGER_S:g} s, so that {told} can learn that the run is "
                    "over. Ctrl-C ends it."
                )
            time.sleep(_LOOK_S)
