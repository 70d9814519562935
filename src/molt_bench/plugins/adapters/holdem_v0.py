"""Heads-up no-limit hold'em for PettingZoo, version 0; `molt_bench.PolicyAgent` plays what was trained in it."""

try:
    from molt_bench.plugins.adapters.pettingzoo_env import HoldemEnv, env, raw_env
except ModuleNotFoundError as error:
    missing = (error.name or "PettingZoo").partition(".")[0]
    why = f"environments need {missing}, which is not installed: pip install 'molt-bench[envs]'"
    raise ModuleNotFoundError(why, name=error.name) from error

__all__ = ["HoldemEnv", "env", "raw_env"]
