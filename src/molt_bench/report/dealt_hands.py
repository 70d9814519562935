"""Dealt hands: what every export of hands starts from."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from molt_bench.errors import JournalError, RulesError
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import hand_from_text
from molt_bench.records import Fault
from molt_bench.runs.journal_lines import Game
from molt_bench.runs.run import Run
from molt_bench.seeds import Seed
from molt_bench.specs import Seating

T = TypeVar("T")


class DealtHand(msgspec.Struct, frozen=True, kw_only=True):
    """One hand of a run.

    Attributes:
        run: Name of the run's folder.
        match: Number of its match, from 1.
        number: Number of the hand in its game, from 1, including warm-up.
        counts: Whether it is part of the result: not a warm-up hand, nor in a game in which both players failed.
        players: Ids of players A and B.
        forced: The seat whose fold was forced, or `NOBODY`.
        text: The hand in the notation of the journal.
    """

    run: str
    match: int
    seed: Seed
    seating: Seating
    number: int
    counts: bool
    players: tuple[str, str]
    hand: Hand
    forced: int
    text: str
    faults: tuple[Fault, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """Ids of the players in seats 0 and 1."""
        return self.turned(self.players)

    def turned(self, values: tuple[T, T]) -> tuple[T, T]:
        """Turn values by seat into values by player, or the other way round."""
        return values if self.seating == "AB" else (values[1], values[0])

    @property
    def table(self) -> str:
        """A name for the table: the match and the game."""
        return f"match-{self.match:04} {self.seed} {self.seating}"


def dealt_hands(run: Run) -> Iterator[DealtHand]:
    """Return the hands of a run, in the order of its journal, from which they are read game by game.

    Raises JournalError for one that cannot have happened.
    """
    for number, game in run.read_games():
        try:
            yield from hands_of(game, run=run.folder.name)
        except RulesError as error:
            why = game.record.unreadable()
            raise JournalError(f"the journal's line {number} is damaged: {why}") from error


def hands_of(game: Game, *, run: str = "") -> Iterator[DealtHand]:
    """Return the hands of one game."""
    record = game.record
    faults: dict[int, list[Fault]] = defaultdict(list)
    for fault in record.faults:
        faults[fault.hand_number].append(fault)
    for text in record.hand_texts:
        parsed = hand_from_text(text)
        yield DealtHand(
            run=run,
            match=game.match,
            seed=record.seed,
            seating=record.seating,
            number=parsed.number,
            counts=parsed.number > record.spec.warmup_hands and not record.both_failed,
            players=game.participants,
            hand=parsed.hand,
            forced=parsed.forced,
            text=text,
            faults=tuple(faults.get(parsed.number, ())),
        )
