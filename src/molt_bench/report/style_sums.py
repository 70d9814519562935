"""Styles summed over the games of a run, by player, opponent and position; `poker.play_statistics` defines them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.play_statistics import RATIOS, Ratio, Style, hand_style
from molt_bench.records import GameRecord

#: How many lines of play are remembered.
_MOST_LINES: Final = 200_000

Position: TypeAlias = Literal["button", "bigBlind"]


class Group(NamedTuple):
    """Hands that are counted together: those of one player against one opponent in one position."""

    player: str
    opponent: str
    position: Position


class StyleCount:
    """Adds up styles.

    A style depends on the actions and the result of a hand, not on its cards, so hands that were played alike are
    analysed only once.
    """

    def __init__(self) -> None:
        self.games = 0
        #: The styles of each group of hands, in parts to be added up.
        self.parts: dict[Group, list[Style]] = defaultdict(list)
        self._lines: dict[str, tuple[Style, Style]] = {}

    def add(self, players: tuple[str, str], record: GameRecord) -> None:
        """Count a game, without its warm-up hands."""
        texts = record.hand_texts[record.spec.warmup_hands :]
        found = [(int(text.split(":", 4)[3][1:]), self._hand(text)) for text in texts]
        swapped = record.seating == "BA"
        for player, name in enumerate(players):
            seat = 1 - player if swapped else player
            own: dict[Position, list[Style]] = {"button": [], "bigBlind": []}
            for button, both in found:
                own["button" if button == seat else "bigBlind"].append(both[seat])
            for position, styles in own.items():
                parts = self.parts[Group(name, players[1 - player], position)]
                parts.append(combined(styles))
                if len(parts) > 100:
                    parts[:] = [combined(parts)]
        self.games += 1

    def groups(self) -> dict[Group, Style]:
        """Return the style in each group of hands that were played."""
        found = {group: combined(parts) for group, parts in self.parts.items()}
        return {group: style for group, style in found.items() if style.hands}

    def styles(self) -> dict[str, Style]:
        """Return the style of each participant."""
        return grouped(self.groups(), lambda group: group.player)

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


def combined(parts: Iterable[Style]) -> Style:
    """Add up styles: numerators and denominators separately."""
    every = list(parts)
    columns = {name: [getattr(part, name) for part in every] for name in RATIOS}
    ratios = {
        name: Ratio(sum([r.count for r in column]), sum([r.of for r in column])) for name, column in columns.items()
    }
    return Style(sum([part.hands for part in every]), **ratios)


def grouped(styles: Mapping[Group, Style], key: Callable[[Group], str]) -> dict[str, Style]:
    """Return styles added up by what a function says of their group."""
    found: dict[str, list[Style]] = defaultdict(list)
    for group, style in styles.items():
        found[key(group)].append(style)
    return {name: combined(parts) for name, parts in found.items()}
