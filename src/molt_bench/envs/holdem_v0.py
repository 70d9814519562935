"""Heads-up no-limit hold'em for PettingZoo, version 0; `molt_bench.PolicyAgent` plays what was trained in it."""

from molt_bench.extras import how_to_install

try:
    from molt_bench.adapters.pettingzoo_env import HoldemEnv, env, raw_env
except ModuleNotFoundError as error:
    missing = (error.name or "PettingZoo").partition(".")[0]
    why = f"environments need {missing}, which is not installed: {how_to_install('envs')}"
    raise ModuleNotFoundError(why, name=error.name) from error

__all__ = ["HoldemEnv", "env", "raw_env"]
