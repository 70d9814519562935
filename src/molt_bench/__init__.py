"""molt-bench: which agent plays better heads-up no-limit hold'em, and how sure are we?

A name is loaded when it is first asked for, so that `import molt_bench` and the help of the command are quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from molt_bench._version import BENCH_VERSION as BENCH_VERSION
    from molt_bench._version import __version__ as __version__
    from molt_bench.agents.base import PokerAgent as PokerAgent
    from molt_bench.agents.base import Policy as Policy
    from molt_bench.agents.base import Sizes as Sizes
    from molt_bench.agents.kinds import BUILTIN_AGENTS as BUILTIN_AGENTS
    from molt_bench.agents.kinds import make_agent as make_agent
    from molt_bench.arena.benchmark import run_benchmark as run_benchmark
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
    from molt_bench.play.drivers import play_game as play_game
    from molt_bench.play.drivers import play_game_async as play_game_async
    from molt_bench.play.match import play_match as play_match
    from molt_bench.poker.actions import Action as Action
    from molt_bench.poker.actions import LegalActions as LegalActions
    from molt_bench.poker.actions import LoggedAction as LoggedAction
    from molt_bench.poker.cards import cards_from_text as cards_from_text
    from molt_bench.poker.cards import cards_to_text as cards_to_text
    from molt_bench.poker.equity import equity as equity
    from molt_bench.poker.evaluator import strength as strength
    from molt_bench.poker.observation import HandResult as HandResult
    from molt_bench.poker.observation import Observation as Observation
    from molt_bench.records import Fault as Fault
    from molt_bench.records import GameRecord as GameRecord
    from molt_bench.records import MatchResult as MatchResult
    from molt_bench.report.artifacts import write_artifacts as write_artifacts
    from molt_bench.specs import GameSpec as GameSpec
    from molt_bench.specs import ParticipantSpec as ParticipantSpec
    from molt_bench.testing import AgentReport as AgentReport
    from molt_bench.testing import check_agent as check_agent

__all__ = [
    "BENCH_VERSION",
    "BUILTIN_AGENTS",
    "Action",
    "AgentError",
    "AgentFailed",
    "AgentReport",
    "BenchmarkConfig",
    "ConfigError",
    "Fault",
    "GameRecord",
    "GameSpec",
    "HandResult",
    "IllegalAction",
    "JournalError",
    "LegalActions",
    "LoggedAction",
    "MatchResult",
    "MoltBenchError",
    "Observation",
    "ParticipantSpec",
    "PokerAgent",
    "Policy",
    "ProviderError",
    "RulesError",
    "RunResult",
    "Sizes",
    "__version__",
    "cards_from_text",
    "cards_to_text",
    "check_agent",
    "equity",
    "make_agent",
    "play_game",
    "play_game_async",
    "play_match",
    "run_benchmark",
    "strength",
    "write_artifacts",
]

_HOMES = {
    "__version__": "molt_bench._version",
    "BENCH_VERSION": "molt_bench._version",
    "PokerAgent": "molt_bench.agents.base",
    "Policy": "molt_bench.agents.base",
    "Sizes": "molt_bench.agents.base",
    "BUILTIN_AGENTS": "molt_bench.agents.kinds",
    "make_agent": "molt_bench.agents.kinds",
    "run_benchmark": "molt_bench.arena.benchmark",
    "BenchmarkConfig": "molt_bench.config.sections",
    "AgentError": "molt_bench.errors",
    "AgentFailed": "molt_bench.errors",
    "ConfigError": "molt_bench.errors",
    "IllegalAction": "molt_bench.errors",
    "JournalError": "molt_bench.errors",
    "MoltBenchError": "molt_bench.errors",
    "ProviderError": "molt_bench.errors",
    "RulesError": "molt_bench.errors",
    "play_game": "molt_bench.play.drivers",
    "play_game_async": "molt_bench.play.drivers",
    "play_match": "molt_bench.play.match",
    "Action": "molt_bench.poker.actions",
    "LegalActions": "molt_bench.poker.actions",
    "LoggedAction": "molt_bench.poker.actions",
    "cards_from_text": "molt_bench.poker.cards",
    "cards_to_text": "molt_bench.poker.cards",
    "equity": "molt_bench.poker.equity",
    "strength": "molt_bench.poker.evaluator",
    "HandResult": "molt_bench.poker.observation",
    "Observation": "molt_bench.poker.observation",
    "Fault": "molt_bench.records",
    "GameRecord": "molt_bench.records",
    "MatchResult": "molt_bench.records",
    "RunResult": "molt_bench.bench.result",
    "write_artifacts": "molt_bench.report.artifacts",
    "GameSpec": "molt_bench.specs",
    "ParticipantSpec": "molt_bench.specs",
    "AgentReport": "molt_bench.testing",
    "check_agent": "molt_bench.testing",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'molt_bench' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
