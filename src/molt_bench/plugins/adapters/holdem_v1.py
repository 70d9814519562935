"""Heads-up no-limit hold'em for PettingZoo and Gymnasium, version 1: players see the betting of the hand, too.

Importing it puts `molt_bench/Holdem-v1` into Gymnasium's registry, for `gymnasium.make` and `gymnasium.make_vec`.
"""

from functools import partial
from typing import Final

try:
    import gymnasium

    from molt_bench.plugins.adapters import pettingzoo_env
    from molt_bench.plugins.adapters.gymnasium_env import LearnerEnv
except ModuleNotFoundError as error:
    missing = (error.name or "PettingZoo").partition(".")[0]
    why = f"environments need {missing}, which is not installed: pip install 'molt-bench[envs]'"
    raise ModuleNotFoundError(why, name=error.name) from error

env: Final = partial(pettingzoo_env.env, version=1)
raw_env: Final = partial(pettingzoo_env.raw_env, version=1)
gymnasium.register("molt_bench/Holdem-v1", entry_point="molt_bench.plugins.adapters.holdem_v1:LearnerEnv")

__all__ = ["LearnerEnv", "env", "raw_env"]
