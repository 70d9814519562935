"""molt-bench: which agent plays better heads-up no-limit hold'em, and how sure are we?

A name is loaded when it is first asked for, so that `import molt_bench` and the help of the command are quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from molt_bench._version import BENCH_VERSION as BENCH_VERSION
    from molt_bench._version import __version__ as __version__
    from molt_bench.agents.base import Mix as Mix
    from molt_bench.agents.base import PokerAgent as PokerAgent
    from molt_bench.agents.base import RaiseRange as RaiseRange
    from molt_bench.agents.kinds import BUILTIN_AGENTS as BUILTIN_AGENTS
    from molt_bench.agents.kinds import make_agent as make_agent
    from molt_bench.agents.settings_base import AgentSettings as AgentSettings
    from molt_bench.arena.benchmark import run_benchmark as run_benchmark
    from molt_bench.arena.benchmark import run_benchmark_async as run_benchmark_async
    from molt_bench.bench.result import RunResult as RunResult
    from molt_bench.config.sections import BenchmarkConfig as BenchmarkConfig
    from molt_bench.errors import AgentError as AgentError
    from molt_bench.errors import AgentFailed as AgentFailed
    from molt_bench.errors import ConfigError as ConfigError
    from molt_bench.errors import IllegalAction as IllegalAction
    from molt_bench.errors import JournalError as JournalError
    from molt_bench.errors import MoltBenchError as MoltBenchError
    from molt_bench.errors import ProviderError as ProviderError
    from molt_bench.errors import RulesError as RulesError
    from molt_bench.play.match import play_match as play_match
    from molt_bench.play.play_games import play_game as play_game
    from molt_bench.play.play_games import play_game_async as play_game_async
    from molt_bench.poker.actions import Action as Action
    from molt_bench.poker.actions import LegalActions as LegalActions
    from molt_bench.poker.actions import LoggedAction as LoggedAction
    from molt_bench.poker.cards import cards_from_text as cards_from_text
    from molt_bench.poker.cards import cards_to_text as cards_to_text
    from molt_bench.poker.equity import equity as equity
    from molt_bench.poker.evaluator import strength as strength
    from molt_bench.poker.observation import HandResult as HandResult
    from molt_bench.poker.observation import Observation as Observation
    from molt_bench.rating.openskill import Ratings as Ratings
    from molt_bench.records import Fault as Fault
    from molt_bench.records import GameRecord as GameRecord
    from molt_bench.records import MatchResult as MatchResult
    from molt_bench.report.artifacts import write_artifacts as write_artifacts
    from molt_bench.seeds import seed_pool as seed_pool
    from molt_bench.specs import GameSpec as GameSpec
    from molt_bench.specs import ParticipantSpec as ParticipantSpec
    from molt_bench.testing import AgentReport as AgentReport
    from molt_bench.testing import check_agent as check_agent

#: The names that each module gives to the face of the package.
_NAMES = {
    "_version": "BENCH_VERSION __version__",
    "agents.base": "Mix PokerAgent RaiseRange",
    "agents.kinds": "BUILTIN_AGENTS make_agent",
    "agents.settings_base": "AgentSettings",
    "arena.benchmark": "run_benchmark run_benchmark_async",
    "bench.result": "RunResult",
    "config.sections": "BenchmarkConfig",
    "errors": "AgentError AgentFailed ConfigError IllegalAction JournalError MoltBenchError ProviderError RulesError",
    "play.play_games": "play_game play_game_async",
    "play.match": "play_match",
    "poker.actions": "Action LegalActions LoggedAction",
    "poker.cards": "cards_from_text cards_to_text",
    "poker.equity": "equity",
    "poker.evaluator": "strength",
    "poker.observation": "HandResult Observation",
    "rating.openskill": "Ratings",
    "records": "Fault GameRecord MatchResult",
    "report.artifacts": "write_artifacts",
    "seeds": "seed_pool",
    "specs": "GameSpec ParticipantSpec",
    "testing": "AgentReport check_agent",
}
_HOMES = {name: f"molt_bench.{module}" for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'molt_bench' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
