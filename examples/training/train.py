"""Train a small agent in the PettingZoo environment, and keep what it knows now and then: a checkpoint.

It learns what each action brings in each kind of situation, from games against `tight`.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from player import ACTIONS, best, situation

from molt_bench import make_agent
from molt_bench.plugins.adapters import holdem_v0

CHECKPOINTS = (0, 500, 2_000, 8_000)  # games
TRIED = 0.2  # share of the actions that are tried at random


def train() -> None:
    """Play games, learn after each what the actions have brought, and write the checkpoints."""
    table, dice, teacher = holdem_v0.raw_env(stack=2_000), np.random.default_rng(1), make_agent("tight")
    worth = defaultdict(lambda: [0.0] * ACTIONS)
    times = defaultdict(lambda: [1] * ACTIONS)
    Path("checkpoints").mkdir(exist_ok=True)
    for game in range(CHECKPOINTS[-1] + 1):
        if game in CHECKPOINTS:
            Path(f"checkpoints/{game}.json").write_text(json.dumps(worth), "utf-8")
            print(f"{game:5,} games: {len(worth):4} situations")
        table.reset(seed=game)
        done = []
        for name in table.agent_iter():
            seen, won, over, _, _ = table.last()
            if over and name == "player_0":
                for key, tried in done:
                    times[key][tried] += 1
                    worth[key][tried] += (won - worth[key][tried]) / times[key][tried]
            if over:
                table.step(None)
            elif name == "player_0":
                key, offered = situation(seen["observation"]), np.flatnonzero(seen["action_mask"])
                action = int(dice.choice(offered)) if dice.random() < TRIED else best(worth[key], offered)
                done.append((key, action))
                table.step(action)
            else:
                table.play(teacher.act(table.seen))


if __name__ == "__main__":
    train()
