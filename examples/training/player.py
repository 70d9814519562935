"""A checkpoint as a participant: what it sees, and what it does. The config names it as `player.py:make`."""

import json
from pathlib import Path

import numpy as np

from molt_bench import strength
from molt_bench.plugins.adapters.policy_agent import PolicyAgent

ACTIONS = 7  # fold, check or call, the smallest raise, three sizes, all-in
#: Hands that a hand is compared with after the flop: from seven high to aces.
OTHERS = [(0, 21), (12, 33), (24, 41), (44, 49), (16, 17), (28, 29), (40, 41), (48, 49)]


def situation(view: np.ndarray) -> str:
    """Return the number of board cards, how good the hand is, and the price to call, the last two in a few steps."""
    cards, board = ([int(card) for card in np.flatnonzero(view[at : at + 52])] for at in (0, 52))
    if board:
        made = strength((*cards, *board))
        good = sum(made > strength((*board, *other)) for other in OTHERS if not {*other} & {*cards, *board})
    else:
        low, high = sorted(card // 4 for card in cards)
        good = (high + low // 2 + 8 * (high == low)) // 2
    pot, to_call = view[109], view[114]
    return f"{len(board)} {good} {int(4 * to_call / (pot + to_call) + 0.5)}"


def best(worth: list[float], offered: np.ndarray) -> int:
    """Return the offered action that has brought most."""
    return int(max(offered, key=lambda action: worth[action]))


def make(checkpoint: str) -> PolicyAgent:
    """Return the agent of a checkpoint; molt-bench passes what the config has under `params`."""
    worth = json.loads(Path(checkpoint).read_text("utf-8"))
    unknown = [0.0] * ACTIONS

    def policy(seen: dict[str, np.ndarray]) -> int:
        return best(worth.get(situation(seen["observation"]), unknown), np.flatnonzero(seen["action_mask"]))

    return PolicyAgent(policy, name=Path(checkpoint).stem)
