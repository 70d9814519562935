"""Playing styles summed over games, by player, opponent and position; `poker.play_statistics` defines them."""

from collections.abc import Callable, Mapping
from operator import add
from typing import Final, Literal, NamedTuple, TypeAlias

from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.play_statistics import RATIOS, Ratio, Style, hand_style
from molt_bench.records import GameRecord

#: How many lines of play are remembered.
_MOST_LINES: Final = 200_000

#: The counts of a style: its hands, then the count and the opportunities of each statistic.
_Counts: TypeAlias = tuple[int, ...]


class Group(NamedTuple):
    """Hands that are counted together: those of one player against one opponent in one position."""

    player: str
    opponent: str
    position: Literal["button", "bigBlind"]


class StyleCount:
    """Adds up styles.

    A style depends on the actions and the result of a hand, not on its cards, so hands that were played alike are
    analysed only once.
    """

    def __init__(self) -> None:
        self.games = 0
        self._sums: dict[Group, _Counts] = {}
        self._lines: dict[str, tuple[_Counts, _Counts]] = {}

    def add(self, players: tuple[str, str], record: GameRecord) -> None:
        """Count a game, without its warm-up hands."""
        names = players if record.seating == "AB" else players[::-1]
        for text in record.hand_texts[record.spec.warmup_hands :]:
            _, blinds, stacks, button, _, actions, net = text.split(":")
            both = self._counts(text, f"{blinds}:{stacks}:{button}:{actions}:{net}")
            for seat, counts in enumerate(both):
                group = Group(names[seat], names[1 - seat], "button" if button == f"b{seat}" else "bigBlind")
                known = self._sums.get(group)
                self._sums[group] = counts if known is None else tuple(map(add, known, counts))
        self.games += 1

    def groups(self) -> dict[Group, Style]:
        """Return the style in each group of hands that were played."""
        return {group: _style(counts) for group, counts in self._sums.items()}

    def _counts(self, text: str, line: str) -> tuple[_Counts, _Counts]:
        known = self._lines.get(line)
        if known is None:
            hand = hand_from_text(text).hand
            known = counts_of(hand_style(hand, 0)), counts_of(hand_style(hand, 1))
            if len(self._lines) < _MOST_LINES:
                self._lines[line] = known
        return known


def counts_of(style: Style) -> _Counts:
    """Return the counts of a style."""
    ratios = [getattr(style, name) for name in RATIOS]
    return (style.hands, *[number for ratio in ratios for number in (ratio.count, ratio.of)])


def _style(counts: _Counts) -> Style:
    pairs = zip(counts[1::2], counts[2::2], strict=True)
    return Style(counts[0], **{name: Ratio(*pair) for name, pair in zip(RATIOS, pairs, strict=True)})


def grouped(styles: Mapping[Group, Style], key: Callable[[Group], str]) -> dict[str, Style]:
    """Return styles added up by what a function says of their group."""
    found: dict[str, _Counts] = {}
    for group, style in styles.items():
        name, counts = key(group), counts_of(style)
        found[name] = tuple(map(add, found[name], counts)) if name in found else counts
    return {name: _style(counts) for name, counts in found.items()}
