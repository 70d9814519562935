"""Style: how an agent plays, in the statistics of poker trackers.

The definitions are those of the usual trackers, heads-up:

- Only hands that count are included, so no warm-up hands. A forced fold is a fold, since that is what the table saw.
- VPIP and PFR are shares of the hands in which the player had a preflop decision. The big blind has none if the button
  folds, and nobody has one if the blinds put a seat all-in. Posting a blind is not voluntary. The button's limp is
  VPIP, the big blind's check behind it is not; a raise is both.
- A 3-bet is a re-raise of the first preflop raise; the big blind itself is the first bet. An opportunity is a decision
  facing that raise in which raising is legal, so not facing an all-in.
- Aggression is counted after the flop. Factor: bets and raises per call. Frequency: the share of bets and raises among
  bets, raises, calls and folds. Checks are left out of both.
- A continuation bet is the first bet on the flop, made by the last preflop raiser. There is an opportunity when that
  player may bet and nobody has bet yet. Folding to it is judged by the first response.
- WTSD is the share of flops seen that went to showdown. A board that is run out after an all-in counts as seen.
- W$SD is the share of showdowns in which the player won chips from the pot; a split pot counts.
- Winnings are net chips in hands with and without a showdown. Both are divided by all hands, so that they add up to the
  win rate. They are whole numbers, as every count is: sums then depend neither on their order nor on the Python.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from molt_bench.agents.play_statistics import Ratio, TableStep, c_bet, ratios_of, table_steps
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.poker.notation import hand_from_text
from molt_bench.records import GameRecord

#: How many lines of play are remembered.
_MOST_LINES: Final = 200_000


class Style(msgspec.Struct, frozen=True, rename="camel"):
    """How one agent plays; the docstring of this file defines each statistic."""

    hands: int = 0
    vpip: Ratio = Ratio()
    pfr: Ratio = Ratio()
    three_bet: Ratio = Ratio()
    aggression_factor: Ratio = Ratio()
    aggression_frequency: Ratio = Ratio()
    c_bet: Ratio = Ratio()
    fold_to_c_bet: Ratio = Ratio()
    wtsd: Ratio = Ratio()
    wsd: Ratio = Ratio()
    showdown_winnings: Ratio = Ratio()
    other_winnings: Ratio = Ratio()


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


def hand_style(hand: Hand, seat: int) -> Style:
    """Return the style of one seat in one hand."""
    steps = table_steps(hand.rules, hand.starting_stacks, hand.button, hand.log)
    shown_down = hand.folded == NOBODY
    won = Ratio(hand.payoffs[seat], 1)
    return Style(
        hands=1,
        **ratios_of(steps, seat),
        fold_to_c_bet=_fold_to_c_bet(steps, seat),
        wtsd=Ratio(int(shown_down), 1) if hand.board else Ratio(),
        wsd=Ratio(int(hand.payoffs[seat] >= 0), 1) if shown_down else Ratio(),
        showdown_winnings=won if shown_down else Ratio(0, 1),
        other_winnings=Ratio(0, 1) if shown_down else won,
    )


def _fold_to_c_bet(steps: Sequence[TableStep], seat: int) -> Ratio:
    if not c_bet(steps, 1 - seat).count:
        return Ratio()
    done = [step for step in steps if step.action.street == "flop" and step.action.seat == seat]
    answer = next(step for step in done if step.raises == 1)
    return Ratio(int(answer.action.kind == "fold"), 1)


#: The names of all statistics.
RATIOS = tuple(name for name in Style.__struct_fields__ if name != "hands")
