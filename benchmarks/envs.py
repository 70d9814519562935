"""Measure how fast the PettingZoo environment plays beside PettingZoo's own.

Both play random games of one hand, through `env()` as users get it and through `raw_env()` without wrappers. Theirs is
RLCard's game, with 100 big blinds and five actions; ours is set to the same stacks. Speed is games per CPU second, the
median over rounds in which they take turns.
"""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from molt_bench.plugins.adapters import holdem_v0

ROUNDS, SECONDS = 5, 0.4


def play(table: Any, games: int) -> int:
    """Play games at random, and return the number of decisions."""
    dice, decisions = np.random.default_rng(1), 0
    for game in range(games):
        table.reset(seed=game)
        for _ in table.agent_iter():
            seen, _, over, cut, _ = table.last()
            if over or cut:
                table.step(None)
                continue
            offered = np.flatnonzero(seen["action_mask"])
            table.step(int(offered[int(dice.random() * len(offered))]))
            decisions += 1
    return decisions


def rate(table: Any, games: int) -> float:
    """Return games per CPU second."""
    start = process_time()
    play(table, games)
    return games / (process_time() - start)


def main() -> None:
    """Measure and print the table."""
    ours = {"stack": 200, "small_blind": 1, "big_blind": 2}
    rows: dict[str, Callable[[], Any]] = {
        "molt_bench: holdem_v0.env": lambda: holdem_v0.env(**ours),
        "molt_bench: holdem_v0.raw_env": lambda: holdem_v0.raw_env(**ours),
    }
    try:
        from pettingzoo.classic import texas_holdem_no_limit_v6 as theirs

        rows["pettingzoo: texas_holdem_no_limit_v6.env"] = theirs.env
        rows["pettingzoo: texas_holdem_no_limit_v6.raw_env"] = theirs.raw_env
    except ImportError as error:
        print(f"skipped pettingzoo's own: {error}")
    tables = {name: make() for name, make in rows.items()}
    games = {name: max(1, round(SECONDS * rate(table, 50))) for name, table in tables.items()}
    found = [{name: rate(table, games[name]) for name, table in tables.items()} for _ in range(ROUNDS)]
    print(f"{'':50}{'games/s':>10}{'decisions/game':>16}")
    for name, table in tables.items():
        print(f"{name:50}{median(each[name] for each in found):>10,.0f}{play(table, 200) / 200:>16.2f}")


if __name__ == "__main__":
    main()
