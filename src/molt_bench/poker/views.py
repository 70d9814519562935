"""What each seat sees of a hand. What a seat may see is plain data, and stands apart: agents need nothing else."""

from typing import Protocol

from molt_bench.poker.betting import Betting
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import HandResult, Observation


class Observable(Protocol):
    """A moment of a hand: the hand itself, or one that could have come."""

    @property
    def betting(self) -> Betting:
        """The betting so far."""

    @property
    def holes(self) -> tuple[Hole, Hole]:
        """The hole cards of seat 0 and seat 1."""

    @property
    def board(self) -> tuple[int, ...]:
        """The open board cards."""


def observe(hand: Observable, hand_number: int) -> Observation:
    """Return what the seat to act sees."""
    betting = hand.betting
    seat, start = betting.actor, betting.start
    return Observation(
        seat,
        start.button,
        hand_number,
        betting.street,
        hand.holes[seat],
        hand.board,
        betting.chips,
        betting.stacks,
        betting.bets,
        start.stacks,
        betting.to_call,
        betting.min_raise_to,
        betting.max_raise_to,
        betting.log,
        start.rules,
    )


def result_for(hand: Hand, seat: int, hand_number: int) -> HandResult:
    """Return what `seat` knows about a finished hand."""
    holes = hand.holes
    return HandResult(
        seat,
        hand.button,
        hand_number,
        holes[seat],
        holes[1 - seat] if hand.folded < 0 else None,
        hand.board,
        hand.log,
        hand.starting_stacks,
        hand.payoffs,
    )
