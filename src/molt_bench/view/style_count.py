"""Styling: how everybody plays, counted game by game, each line of play once."""

from collections import defaultdict
from typing import Final

from molt_bench.poker.notation import hand_from_text
from molt_bench.records import GameRecord
from molt_bench.report.style import Style, combined, hand_style

#: So many lines of play are remembered.
_MOST_LINES: Final = 200_000


class StyleCount:
    """Adds up styles.

    A style depends on the actions and the result of a hand, not on its cards; so hands that were played alike are
    looked at once.

    Attributes:
        games: Games so far.
        parts: Everybody's style, in pieces that are to be added up.
    """

    def __init__(self) -> None:
        self.games = 0
        self.parts: dict[str, list[Style]] = defaultdict(list)
        self._lines: dict[str, tuple[Style, Style]] = {}

    def add(self, players: tuple[str, str], record: GameRecord) -> None:
        """Count a game, without its warm-up."""
        found = [self._hand(text) for text in record.hand_texts[record.spec.warmup_hands :]]
        swapped = record.seating == "BA"
        for player, name in enumerate(players):
            seat = 1 - player if swapped else player
            self.parts[name].append(combined([both[seat] for both in found]))
            if len(self.parts[name]) > 100:
                self.parts[name] = [combined(self.parts[name])]
        self.games += 1

    def _hand(self, text: str) -> tuple[Style, Style]:
        _, blinds, stacks, button, _, actions, net = text.split(":")
        line = f"{blinds}:{stacks}:{button}:{actions}:{net}"
        known = self._lines.get(line)
        if known is None:
            hand = hand_from_text(text).hand
            known = hand_style(hand, 0), hand_style(hand, 1)
            if len(self._lines) < _MOST_LINES:
                self._lines[line] = known
        return known
