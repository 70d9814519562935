"""The list of hands as the rules read it, to compare with what the browser makes of it."""

import json
import urllib.request
from typing import Any, NamedTuple

from molt_bench.poker.actions import STREETS
from molt_bench.poker.cards import CARD_TEXT, RANKS
from molt_bench.poker.hand import NOBODY
from molt_bench.poker.notation import hand_from_text
from molt_bench.report.hand_rows import all_in_street, final_pot

#: Marks of a hand, as the browser has them.
MARKS = ("showdown", "all_in", "fault", "forced", "not_counted", "differs", "a_on_button")


class Row(NamedTuple):
    """One hand in one seating, from the view of player A; amounts in hundredths of a big blind."""

    place: tuple[int, int, int]
    seating: int
    players: list[str]
    net: int
    pot: int
    street: int
    marks: frozenset[str]
    cards: list[str]
    faults: list[set[str]]
    losses: list[int]


def hands_of(server: str, run: str) -> Any:
    with urllib.request.urlopen(f"{server}api/runs/{run}/hands.json") as answer:
        return json.load(answer)


def rows(server: str, run: str) -> list[Row]:
    """Return all rows of the list of a run."""
    games = hands_of(server, run)["games"]
    lines: dict[Any, set[str]] = {}
    for game in games:
        for number, text in enumerate(game["hands"], start=1):
            lines.setdefault((game["match"], game["seed"], number), set()).add(text.split(":")[5])
    return [
        _row(game, number, text, differs=len(lines[game["match"], game["seed"], number]) == 2)
        for game in games
        for number, text in enumerate(game["hands"], start=1)
    ]


def _row(game: Any, number: int, text: str, *, differs: bool) -> Row:
    parsed = hand_from_text(text)
    hand, seats = parsed.hand, [0, 1][:: -1 if game["seating"] else 1]
    shown = hand.folded == NOBODY
    faults = [{kind for at, player, kind in game["faults"] if (at, player) == (number, own)} for own in (0, 1)]
    is_set = {
        "showdown": shown,
        "all_in": all_in_street(hand) is not None,
        "fault": any(faults),
        "forced": parsed.forced != NOBODY,
        "not_counted": game["draw"] or number <= game["warmup"],
        "differs": differs,
        "a_on_button": hand.button == seats[0],
    }
    return Row(
        place=(game["match"], game["seed"], number),
        seating=game["seating"],
        players=game["players"],
        net=round(100 * hand.payoffs[seats[0]] / hand.rules.big_blind),
        pot=round(100 * final_pot(hand) / hand.rules.big_blind),
        street=max([STREETS.index(done.street) for done in hand.log], default=0),
        marks=frozenset(mark for mark, wanted in is_set.items() if wanted),
        cards=[_starting_hand(hand.holes[seat]) for seat in seats],
        faults=faults,
        losses=[column[number - 1] for column in game["losses"] or ()],
    )


def _starting_hand(hole: tuple[int, int]) -> str:
    one, two = sorted((CARD_TEXT[card] for card in hole), key=lambda card: -RANKS.index(card[0]))
    return one[0] + two[0] + ("" if one[0] == two[0] else "s" if one[1] == two[1] else "o")
