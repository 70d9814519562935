"""What spectators may see: who waits for whom, standings, and, with a delay, tables as both players saw them.

No hole card of a hand under way is kept here, so none can leak. Those of a finished hand are the ones that a showdown
showed to the table. Tables whose decks are dealt a second time, to a copy of the agent, are never shown: their board
would tell the copy what comes.
"""

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from math import inf, isfinite
from threading import Lock
from time import monotonic
from typing import Any, Final

import msgspec

from molt_bench.agents.live.mailbox_events import Asked, GameOver, HandOver, MailEvent
from molt_bench.bench.ladder import Ladder
from molt_bench.poker.actions import LoggedAction
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.report.win_rates import in_bb_per_100
from molt_bench.specs import GameLabel, Pair

#: Seconds over which hands a minute are counted.
_MINUTE_S: Final = 60.0
#: States of a table that are kept for those who see it with a delay.
_STATES_KEPT: Final = 10_000
#: The last matches whose results are shown.
_RESULTS_SHOWN: Final = 10


class TableState(msgspec.Struct, frozen=True, rename="camel"):
    """A table as everybody at it saw it at one moment. Pairs are indexed by seat.

    Attributes:
        actor: The seat to act; None if the hand is over.
        net: Chips won; None until the hand is over.
        shown: The hole cards of both after a showdown; None before, and after a fold.
    """

    hand: int
    board: tuple[str, ...]
    log: tuple[LoggedAction, ...]
    button: int
    stacks: tuple[int, int]
    bets: tuple[int, int]
    pot: int
    actor: int | None = None
    net: tuple[int, int] | None = None
    shown: tuple[tuple[str, ...], tuple[str, ...]] | None = None


class _Table:
    """A game that is played: the states of its table and when they came, and who sits there, by seat."""

    def __init__(self, names: tuple[str, str], *, is_shown: bool) -> None:
        self.names = names
        self.is_shown = is_shown
        self.states: deque[tuple[float, TableState]] = deque(maxlen=_STATES_KEPT)
        self.ended_at: float | None = None

    def at(self, moment: float) -> TableState | None:
        """Return how things stood at a moment, by `time.monotonic`; forget what was before."""
        while len(self.states) > 1 and self.states[1][0] <= moment:
            self.states.popleft()
        return self.states[0][1] if self.states and self.states[0][0] <= moment else None


class Spectators:
    """Hears what happens in the slots of live agents, and tells what may be told.

    Attributes:
        delay_s: Seconds after which tables are shown; None if they are not.
    """

    def __init__(self, delay_s: float | None = None) -> None:
        self.delay_s = delay_s
        self._lock = Lock()
        self._players: Mapping[GameLabel, tuple[str, str]] = {}
        self._tables: dict[GameLabel, _Table] = {}
        self._seated: dict[Hashable, GameLabel] = {}
        self._hands: deque[float] = deque()
        #: The results so far, in big blinds per 100 hands; they have intervals once all have met.
        self._standings: tuple[tuple[str, dict[str, float | None]], ...] = ()
        #: The last matches: number, participants, and the chips that the first of them won.
        self._results: tuple[tuple[int, Pair, int], ...] = ()
        self._ranked_at = -inf

    def dealt(self, players: Mapping[GameLabel, tuple[str, str]]) -> None:
        """Note who plays the games of the next round."""
        self._players = players

    def seat(self, slot: Hashable, game: GameLabel, participant: str, *, own_decks: bool) -> None:
        """Note that a slot of a live agent plays a game; `own_decks` if no other game is dealt the same cards."""
        first, second = self._players.get(game, (participant, ""))
        names = (first, second) if game.seating == "AB" else (second, first)
        with self._lock:
            self._seated[slot] = game
            table = self._tables.setdefault(game, _Table(names, is_shown=own_decks))
            table.is_shown |= own_decks

    def hear(self, slot: Hashable, event: MailEvent) -> None:
        """Note what happens in a slot."""
        with self._lock:
            game = self._seated.get(slot)
            table = None if game is None else self._tables.get(game)
            if table is None or table.ended_at is not None:
                return
            now = monotonic()
            if isinstance(event, Asked):
                table.states.append((now, _asked(event.turn.observation)))
            elif isinstance(event, HandOver):
                over = _over(event.result)
                last = table.states[-1][1] if table.states else None
                if last is None or (last.hand, last.net) != (over.hand, over.net):  # two live agents tell the same
                    table.states.append((now, over))
                    self._hands.append(now)
            elif isinstance(event, GameOver):
                table.ended_at = now
                del self._seated[slot]

    def rank(self, ladder: Ladder, *, least_s: float = 0.0) -> None:
        """Note the standings after a match, unless others were noted less than `least_s` seconds ago."""
        if monotonic() < self._ranked_at + least_s:
            return
        self._ranked_at = monotonic()
        found = []
        for name in ladder.ranking():
            mean, half_width = in_bb_per_100(ladder.margins.so_far(name)) or (None, None)
            known = half_width if half_width is not None and isfinite(half_width) else None
            found.append((name, {"matches": ladder.played[name], "bbPer100": mean, "halfWidth": known}))
        self._standings = tuple(found)
        last = ladder.matches[-_RESULTS_SHOWN:]
        self._results = tuple((each.number, each.participants, each.result.score_a) for each in reversed(last))

    def view(self, *, titles: Mapping[str, str], names: bool) -> dict[str, Any]:
        """Return what a spectator sees; without `names`, nothing that tells an agent whom it plays."""

        def named(participant: str) -> str | None:
            return titles.get(participant, participant) if names else None

        with self._lock:
            now = monotonic()
            self._forget(now)
            playing = [table for table in self._tables.values() if table.ended_at is None]
            return {
                "delay": self.delay_s,
                "handsPerMinute": len(self._hands),
                "playing": len(playing),
                "waiting": [
                    _waiting(table, now, named)
                    for table in playing
                    if table.states and table.states[-1][1].actor is not None
                ],
                "tables": [
                    {"names": [named(each) for each in table.names] if names else None, "state": state}
                    for table in self._tables.values()
                    if self.delay_s is not None
                    and table.is_shown
                    and (state := table.at(now - self.delay_s)) is not None
                ],
                "standings": [{"name": named(participant), **won} for participant, won in self._standings],
                "results": [
                    {"match": number, "names": [named(each) for each in pair], "chips": chips}
                    for number, pair, chips in (self._results if names else ())
                ],
            }

    def _forget(self, now: float) -> None:
        """Forget tables that nobody will see again, and hands that ended more than a minute ago."""
        while self._hands and self._hands[0] < now - _MINUTE_S:
            self._hands.popleft()
        kept_s = 0.0 if self.delay_s is None else self.delay_s
        for game, table in [*self._tables.items()]:
            if table.ended_at is not None and table.ended_at < now - kept_s:
                del self._tables[game]


def _waiting(table: _Table, now: float, named: Callable[[str], str | None]) -> dict[str, Any]:
    """Return who is awaited at a table, by whom, and for how many seconds."""
    since, state = table.states[-1]
    actor = state.actor or 0
    return {
        "for": named(table.names[actor]),
        "waits": named(table.names[1 - actor]),
        "seconds": round(now - since),
    }


def _cards(cards: tuple[int, ...]) -> tuple[str, ...]:
    return tuple([CARD_TEXT[card] for card in cards])


def _asked(seen: Observation) -> TableState:
    """Return a table at which a seat is to act: what both may know of it."""
    return TableState(
        hand=seen.hand_number,
        board=_cards(seen.board),
        log=seen.log,
        button=seen.button,
        stacks=seen.stacks,
        bets=seen.bets,
        pot=seen.pot,
        actor=seen.seat,
    )


def _over(result: HandResult) -> TableState:
    """Return a table after a hand: with the cards that a showdown has shown."""
    stacks = (result.starting_stacks[0] + result.net[0], result.starting_stacks[1] + result.net[1])
    shown = None
    if result.opponent_cards is not None:
        own, other = _cards(result.cards), _cards(result.opponent_cards)
        shown = (own, other) if result.seat == 0 else (other, own)
    return TableState(
        hand=result.hand_number,
        board=_cards(result.board),
        log=result.log,
        button=result.button,
        stacks=stacks,
        bets=(0, 0),
        pot=0,
        net=result.net,
        shown=shown,
    )
