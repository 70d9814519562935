"""molt-bench: which agent plays better heads-up no-limit hold'em, and how sure are we?"""

from typing import TYPE_CHECKING

from molt_bench._version import BENCH_VERSION as BENCH_VERSION
from molt_bench._version import __version__ as __version__
from molt_bench.agents.base import PokerAgent as PokerAgent
from molt_bench.agents.registry import BUILTIN_AGENTS as BUILTIN_AGENTS
from molt_bench.agents.registry import make_agent as make_agent
from molt_bench.errors import AgentError as AgentError
from molt_bench.errors import ConfigError as ConfigError
from molt_bench.errors import IllegalAction as IllegalAction
from molt_bench.errors import JournalError as JournalError
from molt_bench.errors import MoltBenchError as MoltBenchError
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
from molt_bench.records import RunResult as RunResult
from molt_bench.specs import GameSpec as GameSpec
from molt_bench.specs import ParticipantSpec as ParticipantSpec
from molt_bench.testing import AgentReport as AgentReport
from molt_bench.testing import check_agent as check_agent

if TYPE_CHECKING:
    from molt_bench.bench.benchmark import run_benchmark as run_benchmark
    from molt_bench.bench.config import BenchmarkConfig as BenchmarkConfig
    from molt_bench.report.artifacts import write_artifacts as write_artifacts

# Loaded when first asked for, since pydantic takes longer to import than all the rest.
_LAZY = {
    "BenchmarkConfig": "molt_bench.bench.config",
    "run_benchmark": "molt_bench.bench.benchmark",
    "write_artifacts": "molt_bench.report.artifacts",
}

__all__ = [
    "BENCH_VERSION",
    "BUILTIN_AGENTS",
    "Action",
    "AgentError",
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
    "RulesError",
    "RunResult",
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


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'molt_bench' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
