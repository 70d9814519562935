"""Heads-up no-limit hold'em for PettingZoo and Gymnasium; `PolicyAgent` plays what was trained in it.

Importing it puts `molt_bench/Holdem-v0` into Gymnasium's registry, for `gymnasium.make` and `gymnasium.make_vec`.
"""

try:
    import gymnasium

    from molt_bench.plugins.adapters.gymnasium_env import LearnerEnv
    from molt_bench.plugins.adapters.pettingzoo_env import HoldemEnv, env, raw_env
except ModuleNotFoundError as error:
    missing = (error.name or "PettingZoo").partition(".")[0]
    why = f"environments need {missing}, which is not installed: pip install 'molt-bench[envs]'"
    raise ModuleNotFoundError(why, name=error.name) from error

__all__ = ["HoldemEnv", "LearnerEnv", "env", "raw_env"]

gymnasium.register("molt_bench/Holdem-v0", entry_point="molt_bench.plugins.adapters.holdem_v0:LearnerEnv")
