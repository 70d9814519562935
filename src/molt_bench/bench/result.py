"""The result of a run: its matches, the ratings after each, and what was spent."""

import msgspec

from molt_bench._version import BENCH_VERSION
from molt_bench.bench.endings import Ending, said_of
from molt_bench.bench.gate import GateFinding
from molt_bench.bench.past import Extension
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.llm.types import Unaccounted
from molt_bench.records import MatchResult, Rating
from molt_bench.seeds import Seed


class Convergence(msgspec.Struct, frozen=True):
    """The leaderboard after a match.

    Attributes:
        ranking: The participants in the order used by the stop rule, best first.
        confidences: Confidence in the order of each adjacent pair of the ranking.
    """

    match: int
    ratings: tuple[Rating, ...]
    ranking: tuple[str, ...]
    confidences: tuple[float, ...]


class AgentUsage(msgspec.Struct, frozen=True):
    """What one language model used, and how well it followed the reply format.

    Attributes:
        id: The participant's id.
        model: The model as named in the config.
        reported: The model as reported by its provider; several if that changed.
        fingerprints: What its servers call the configurations that they ran with.
        decisions: Decisions it was asked for.
        exchanges: Questions in games, including those after a fault. Tokens and dollars also include the preflight.
        requests: Requests sent, including those that got no reply.
        input_tokens: Tokens read, including cached ones.
        cached_tokens: Tokens read from a cache.
        output_tokens: Tokens written, including reasoning.
        reasoning_tokens: Output tokens that are reasoning.
        cost_usd: Dollars; None if a price is unknown, or no reply ever came.
        latency_p50_s: Seconds within which half of the replies came; None without replies.
        latency_p95_s: Seconds within which 95% of them came.
        replies: Questions that got a reply.
    """

    id: str
    model: str
    reported: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    decisions: int = 0
    exchanges: int = 0
    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    replies: int = 0


class RunResult(msgspec.Struct, frozen=True):
    """One benchmark from start to finish: the basis of all reports.

    Attributes:
        config: The config.
        matches: All matches, in schedule order.
        leaderboard: The final ratings, best first.
        convergence: The ratings after every match.
        ending: Why the run ended; None if it is still going.
        converged: Whether its order was decided by the rules that it was played by.
        seeds: The seeds used, in pool order.
        seconds: How long it took, over all sessions.
        warnings: What the user should know, such as results that could not be written.
        usage: What each language model used.
        unaccounted: Requests to language models whose cost is not known, as after a kill, and what it is at most.
        reply_forms: The form of the replies of each language model, with its version.
        boxes: The box that each program, and each participant of Python code, played in; "none" for those without.
        extensions: When it went on under another stop rule.
        journal_lines: Lines in its journal; 0 without one.
        journal_hash: SHA-256 of the last line, which identifies the whole journal.
        bench_version: The bench version that played it.
        gate: What it found, if it is a gate.
    """

    config: BenchmarkConfig
    matches: tuple[MatchResult, ...]
    leaderboard: tuple[Rating, ...]
    convergence: tuple[Convergence, ...]
    ending: Ending | None
    seeds: tuple[Seed, ...]
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    usage: tuple[AgentUsage, ...] = ()
    unaccounted: Unaccounted = Unaccounted()
    reply_forms: dict[str, str] = {}
    boxes: dict[str, str] = {}
    extensions: tuple[Extension, ...] = ()
    journal_lines: int = 0
    journal_hash: str = ""
    bench_version: int = BENCH_VERSION
    converged: bool = False
    gate: GateFinding | None = None

    @property
    def stop_reason(self) -> str:
        """Why the run ended, in words."""
        return said_of(self.ending, {each.id: each.display_name or each.id for each in self.config.participants})

    def __repr__(self) -> str:
        """Say what it is on one line: every hand of a run would fill a notebook."""
        order = ", ".join(rating.id for rating in self.leaderboard)
        return f"<RunResult: {len(self.matches)} matches; by mu: {order}; {self.stop_reason}>"
