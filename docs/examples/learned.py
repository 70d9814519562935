"""Train a small agent in the PettingZoo environment, then benchmark it against `tight`, which it has learned from.

It keeps a table of what each action has brought in each kind of situation. Most of the time it takes the best one.
"""

from collections import defaultdict

import numpy as np

from molt_bench import PolicyAgent, make_agent, run_benchmark, strength
from molt_bench.envs.holdem_v0 import env

GAMES = 10_000
TRIED = 0.2  # share of the actions that are tried at random
#: Hands that a hand is compared with after the flop: from seven high to aces.
OTHERS = [(0, 21), (12, 33), (24, 41), (44, 49), (16, 17), (28, 29), (40, 41), (48, 49)]

worth = defaultdict(lambda: np.zeros(7))
times = defaultdict(lambda: np.ones(7))


def situation(view: np.ndarray) -> tuple[int, int, int]:
    """Return the number of board cards, how good the hand is, and the price to call, the last two in a few steps."""
    cards, board = ([int(card) for card in np.flatnonzero(view[at : at + 52])] for at in (0, 52))
    if board:
        made = strength((*cards, *board))
        good = sum(made > strength((*board, *other)) for other in OTHERS if not {*other} & {*cards, *board})
    else:
        low, high = sorted(card // 4 for card in cards)
        good = (high + low // 2 + 8 * (high == low)) // 2
    pot, to_call = view[109], view[114]
    return len(board), good, int(4 * to_call / (pot + to_call) + 0.5)


def policy(seen: dict[str, np.ndarray]) -> int:
    """Return the action that has brought most."""
    return int(np.argmax(np.where(seen["action_mask"], worth[situation(seen["observation"])], -np.inf)))


def train(games: int) -> None:
    """Play games against `tight`, and learn after each what the actions have brought."""
    table, dice, tight = env(stack=2_000), np.random.default_rng(1), make_agent("tight")
    for game in range(games):
        table.reset(seed=game)
        done = []
        for name in table.agent_iter():
            seen, won, over, _, _ = table.last()
            action = None
            if over and name == "player_0":
                for key, tried in done:
                    times[key][tried] += 1
                    worth[key][tried] += (won - worth[key][tried]) / times[key][tried]
            elif not over and name == "player_0":
                explores = dice.random() < TRIED
                action = int(dice.choice(np.flatnonzero(seen["action_mask"]))) if explores else policy(seen)
                done.append((situation(seen["observation"]), action))
            elif not over:
                inner = table.unwrapped
                action = inner.numbers.number(inner.seen, tight.act(inner.seen))
            table.step(action)


if __name__ == "__main__":
    train(GAMES)
    result = run_benchmark(
        {
            "participants": [{"id": "learned", "type": "learned"}, {"id": "tight", "type": "tight"}],
            "game": {"stack": 2_000},
            "seeds": {"masterSeed": 7},
        },
        agents={"learned": lambda: PolicyAgent(policy, name="learned")},
    )
    print(result.stop_reason)
    print("first:", result.leaderboard[0].id)
