"""Measure the blueprint's values as the card term of agents that publish nothing.

Between two such agents the luck of a card is a frozen weight times the pot times the change in equity. Here it is half
the difference of what both hands are worth by the blueprint's tables, minus the exact mean of that over all cards that
could have come: its mean is 0 as well, whatever the values. Hole cards cancel out over both seatings and are left out.

For every pairing the variance that is left, relative to the better of `adjusted` and `adjustedSolid`: with the values
alone, as they are (`values`) and by one weight (`fitted`); with both, each by one weight (`both`); and the same by the
two weights that suit this very pairing best (`best`), a bound that nobody could reach. All others are fitted to the
pairings of the other ladders. The unit is a hand in both seatings.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np
from bots import Bot
from ladders import LATER, TUNING, VALIDATION, Plan

from molt_bench.agents.blueprint.agent import BlueprintAgent
from molt_bench.agents.blueprint.state import PublicState
from molt_bench.luck.cards.card_luck import chance_luck, hand_luck
from molt_bench.luck.coefficients import LADDER, SOLID
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import OPEN_CARDS, STREETS
from molt_bench.poker.hand import Hand
from molt_bench.seeds import seed_pool

#: Which of the five of a ladder meet.
MEETINGS = ((0, 1), (1, 3))
#: Columns of a hand: what was won, the luck by both sets of frozen weights, and by values.
WON, FOR_ALL, FOR_SOLID, BY_VALUES = range(4)
ALONE, BOTH = [BY_VALUES], [FOR_SOLID, BY_VALUES]
_BOTS = {"tag": Bot("tag"), "callstation": Bot("callstation"), "noisy tag": Bot("tag", 0.1), "habits": Bot("habits")}
LADDERS = (
    *[plan for plan in (*VALIDATION, *LATER) if "open" not in plan.name and plan.name != "twelve"],
    *[plan for plan in TUNING if plan.name in ("habits", "mixed")],
    Plan("bots", "some bots, nothing published", _BOTS),
)


@cache
def _sets(size: int, count: int) -> Any:
    return np.array(list(combinations(range(size), count)))


def value_luck(hand: Hand, bot: BlueprintAgent) -> float:
    """Return the luck of flop, turn and river by a bot's values, in chips of seat 0; only cards before a decision."""
    found = 0.0
    for street in STREETS[1 : 1 + STREETS.index(hand.street)]:
        count = OPEN_CARDS[street]
        new = 3 if count == 3 else 1
        board = hand.board[: count - new]
        log = tuple(done for done in hand.log if OPEN_CARDS[done.street] < count)
        state = PublicState(hand.rules, hand.starting_stacks, hand.button, log, board)
        live = np.array([card for card in range(52) if card not in {*hand.holes[0], *hand.holes[1], *board}])
        cards = live[_sets(len(live), new)]
        boards = np.hstack([np.tile(np.array(board, np.int64), (len(cards), 1)), cards])
        first, second = (bot.board_values(state, seat, hand.holes[seat], boards) for seat in (0, 1))
        values = (first - second) / 2
        came = (cards == np.sort(hand.board[count - new : count])).all(axis=1)
        found += float(values[came][0] - values.mean())
    return found


def names_of(meeting: tuple[Plan, int, int]) -> list[str]:
    """Return who meets."""
    plan, *places = meeting
    return [[*plan.bots][at] for at in places]


def play(hands: int, meeting: tuple[Plan, int, int]) -> Any:
    """Play a pairing; return a row for each hand in both seatings, in big blinds of the first player."""
    plan, one, two = meeting
    first, second = (plan.bots[name].make(f"{name} {side}") for name, side in zip(names_of(meeting), "ab", strict=True))
    bot, rows = BlueprintAgent(), {}
    options = {"hands": plan.hands, "stack": 100 * plan.stack, "stacks": plan.stacks}
    for seed in seed_pool(f"values {plan.name} {one} {two}", max(1, hands // (2 * plan.hands))):
        for seating, sign in (("AB", 1), ("BA", -1)):
            record = play_game((first, second), seed=seed, seating=seating, **options)
            if record.faults:
                raise ValueError(f"{plan.name}: {record.faults[0]}")
            for number, hand, _ in record.replay():
                luck = hand_luck(hand)
                frozen = [chance_luck(luck.terms, weights) for weights in (LADDER, SOLID)]
                row = rows.setdefault((seed, number), np.zeros(4))
                row += sign * np.array([luck.all_in, *frozen, value_luck(hand, bot)])
    return np.array([*rows.values()]) / 100


def fitted(pairings: Sequence[Any], columns: Any) -> Any:
    """Return the weights of some columns of luck, by least squares over pairings that count by how little they vary."""
    scaled = [(rows - rows.mean(axis=0)) / rows[:, WON].std() for rows in pairings]
    luck = np.concatenate([rows[:, columns] for rows in scaled])
    return np.linalg.lstsq(luck, np.concatenate([rows[:, WON] for rows in scaled]), rcond=None)[0]


def left(rows: Any, columns: Any, weights: Any) -> float:
    """Return the variance without this luck, relative to the better of the two sets of frozen weights."""
    frozen = min((rows[:, WON] - rows[:, each]).var() for each in (FOR_ALL, FOR_SOLID))
    return float((rows[:, WON] - rows[:, columns] @ weights).var() / frozen)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hands", type=int, default=2400, help="hands of each pairing (%(default)s)")
    parser.add_argument("--ladders", default="", help="names of ladders with commas between; all by default")
    parser.add_argument("--processes", type=int, default=2, help="how many pairings at once (%(default)s)")
    options = parser.parse_args()
    wanted = [name.strip() for name in options.ladders.split(",") if name.strip()]
    plans = [plan for plan in LADDERS if not wanted or plan.name in wanted]
    meetings = [(plan, one, two) for plan in plans for one, two in MEETINGS]
    start, table = perf_counter(), []
    with ProcessPoolExecutor(options.processes) as executor:
        found = zip(meetings, executor.map(partial(play, options.hands), meetings), strict=True)
        # Without values, all is decided before the flop.
        played = [(meeting, rows) for meeting, rows in found if rows[:, BY_VALUES].any()]
    print(f"{'variance left':48}{'values':>9}{'fitted':>9}{'both':>9}{'best':>9}")
    for meeting, rows in played:
        name = meeting[0].name
        others = [each for (plan, *_), each in played if plan.name != name]
        shares = [left(rows, ALONE, np.ones(1)), *[left(rows, each, fitted(others, each)) for each in (ALONE, BOTH)]]
        table.append([*shares, left(rows, BOTH, fitted([rows], BOTH))])
        print(f"{name + ': ' + ' - '.join(names_of(meeting)):48}" + "".join(f"{share:>9.3f}" for share in table[-1]))
    print(f"{'mean':48}" + "".join(f"{share:>9.3f}" for share in np.mean(table, axis=0)))
    print(f"{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
