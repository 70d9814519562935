"""Hands as every export gets them: read from the journal one game at a time, each with where it belongs."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias, TypeVar
from urllib.parse import quote

import msgspec

from molt_bench.errors import JournalError, RulesError
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import hand_from_text
from molt_bench.records import Fault
from molt_bench.runs.journal import Game, read_header, read_lines
from molt_bench.seeds import Seed, derive
from molt_bench.specs import Seating

T = TypeVar("T")

#: Trackers keep the number of a hand in 64 bits with a sign.
_NUMBERS: Final = 10**18


class DealtHand(msgspec.Struct, frozen=True, kw_only=True):
    """One hand of a run.

    Attributes:
        run: Name of the run's folder.
        config: Hash of its config.
        place: Which hand of the journal it is, from 0.
        match: Number of its match, from 1.
        seed: Names the decks of its game.
        seating: "AB" where player A sat in seat 0.
        number: Number of the hand in its game, from 1, warm-up included.
        counts: Whether it is part of the result: no warm-up, and not of a game in which both players failed.
        players: Ids of players A and B.
        hand: The finished hand, by seat.
        forced: The seat whose fold was forced, or `NOBODY`.
        text: The hand as the journal has it.
        faults: Mistakes made in it.
    """

    run: str
    config: str
    place: int
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
        """Ids of those in seats 0 and 1."""
        return self.turned(self.players)

    def turned(self, values: tuple[T, T]) -> tuple[T, T]:
        """Turn values by seat into values by player, or the other way round."""
        return values if self.seating == "AB" else (values[1], values[0])

    @property
    def table(self) -> str:
        """A name for the table: the match, and the game in it."""
        return f"match-{self.match:04} {self.seed} {self.seating}"

    @property
    def identity(self) -> int:
        """A number of up to 18 digits that no other hand has, not even one of another run.

        The same hand has the same number in every export, so a tracker notices what it already has.
        """
        return derive(self.config, self.match, self.seed, self.seating, self.text) % _NUMBERS


#: Says whether a hand is wanted, by its match and its players.
Wanted: TypeAlias = Callable[[Game], bool]


def dealt_hands(path: str, wanted: Wanted = lambda _: True) -> Iterator[DealtHand]:
    """Read the hands of a journal in its order, never more than one game at a time.

    Raises:
        JournalError: A line is damaged; a last one that was torn off is left out.
    """
    config, place = read_header(path).config_hash, 0
    run = Path(path).absolute().parent.name
    for number, line in enumerate(read_lines(path), start=1):
        if not isinstance(line, Game):
            continue
        if not 0 < line.match < _NUMBERS:
            raise JournalError(f"{path} line {number} is damaged: no match has the number {line.match}")
        if wanted(line):
            try:
                yield from hands_of(line, run=run, config=config, place=place)
            except RulesError as error:
                raise JournalError(f"{path} line {number} is damaged: {line.record.unreadable() or error}") from error
        place += len(line.record.hand_texts)


def hands_of(game: Game, *, run: str = "", config: str = "", place: int = 0) -> Iterator[DealtHand]:
    """Return the hands of one game; `place` is that of its first."""
    record = game.record
    for at, text in enumerate(record.hand_texts):
        parsed = hand_from_text(text)
        yield DealtHand(
            run=run,
            config=config,
            place=place + at,
            match=game.match,
            seed=record.seed,
            seating=record.seating,
            number=parsed.number,
            counts=parsed.number > record.spec.warmup_hands and not record.both_failed,
            players=game.participants,
            hand=parsed.hand,
            forced=parsed.forced,
            text=text,
            faults=tuple([fault for fault in record.faults if fault.hand_number == parsed.number]),
        )


def that_count(hands: Iterable[DealtHand]) -> Iterator[DealtHand]:
    """Leave out what is no part of the result."""
    return (dealt for dealt in hands if dealt.counts)


def plain_name(text: str, special: str) -> str:
    r"""Write a name for a format that cannot quote: what would break it is percent-encoded, as in a URL.

    >>> plain_name("a: b%\n", ":")
    'a%3A b%25%0A'
    """
    written = "".join([char if char.isprintable() and char not in special + "%" else quote(char, "") for char in text])
    # A blank at either end would be lost.
    left = len(written) - len(written.lstrip(" "))
    right = len(written) - len(written.rstrip(" ")) if written.strip(" ") else 0
    return "%20" * left + written[left : len(written) - right] + "%20" * right
