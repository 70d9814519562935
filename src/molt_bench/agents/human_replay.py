"""What the opponents of a person held: told once the run is over, when nothing is left to play for."""

from collections.abc import Iterable, Iterator
from typing import Final

from rich.cells import cell_len

from molt_bench.agents.human import Table
from molt_bench.poker.notation import hand_from_text
from molt_bench.records import GameRecord
from molt_bench.visible_text import on_one_line

#: Hands of a game that are told; the viewer has all.
_MOST: Final = 20
_NAME_LENGTH: Final = 18


def hidden_hands(games: Iterable[GameRecord], person: str) -> Iterator[str]:
    """Yield, for every game of a person, the hands that ended without a showdown, with the cards of both."""
    table = Table()
    for record in games:
        if person not in record.players:
            continue
        seat = record.players.index(person) ^ (record.seating == "BA")
        opponent = on_one_line(next(name for name in record.players if name != person))[:_NAME_LENGTH]
        parsed = [hand_from_text(text) for text in record.hand_texts]
        folded = [each for each in parsed if each.hand.log[-1:] and each.hand.log[-1].kind == "fold"]
        if not folded:
            continue
        yield ""
        yield table.paint(f"What {opponent} held where it was not shown:", "1")
        # The most chips are the most telling.
        told = sorted(folded, key=lambda each: -abs(each.hand.payoffs[seat]))[:_MOST]
        for number, hand, _ in sorted(told, key=lambda each: each.number):
            who = "you fold" if hand.log[-1].seat == seat else f"{opponent} folds"
            cards = f"you {table.cards(hand.holes[seat])}  {opponent} {table.cards(hand.holes[1 - seat])}"
            board = table.cards(hand.board) if hand.board else "preflop"
            gap = " " * max(1, 15 - (3 * len(hand.board) - 1 if hand.board else cell_len(board)))
            yield f"  Hand {number:>3,}  {cards}  {board}{gap}{who}  {hand.payoffs[seat]:+,}"
        if len(folded) > _MOST:
            yield f"  and {len(folded) - _MOST:,} hands for fewer chips: molt-bench view shows them"
