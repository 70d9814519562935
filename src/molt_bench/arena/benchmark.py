"""The benchmark: settles what is played, checks that it can be, and runs it."""

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Unpack

from molt_bench.agents.python_import import AgentFactory
from molt_bench.arena.cast import check_participants
from molt_bench.arena.executors import WhereOptions
from molt_bench.arena.run_session import Session
from molt_bench.arena.status import Observer
from molt_bench.bench.result import RunResult
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.plugin import Sitting
from molt_bench.runs.header import check_plugins, check_same_agents, played_as
from molt_bench.runs.master_seed import settled
from molt_bench.runs.run_files import RunFiles


def run_benchmark(
    config: BenchmarkConfig | Mapping[str, Any] | None = None,
    *,
    agents: Mapping[str, AgentFactory] | None = None,
    files: RunFiles | None = None,
    keep_hands: bool = True,
    preflight: bool = True,
    observer: Observer | None = None,
    live: Sitting | None = None,
    **where: Unpack[WhereOptions],
) -> RunResult:
    """Run a benchmark and return its result.

    Args:
        config: What to run; plain values are validated, and missing ones get their defaults. A continued run has its
            own config.
        agents: Custom agents: a participant whose `type` is a key here is created by that factory.
        files: The files that the run writes, and the run that it continues; None keeps it in memory only.
        keep_hands: Whether the result keeps every individual hand; a journal has them anyway.
        preflight: Whether programs, servers and language models are contacted once before the first card.
        observer: Called as the run progresses.
        live: Seats the participants of `type: live`; see `molt-bench serve`.
        where: Where games run, as in `molt_bench.arena.executors.WhereOptions`; this never affects a result.

    Raises:
        ConfigError: A setting cannot work, or a server is unreachable.
        AgentError: A participant cannot be created, or a program does not start.
        JournalError: The known games do not belong to this config, or the run did not stop where the journal says.
        RunHalted: A model cannot be asked, or what it or another agent answered cannot be recorded; what was played is
            in the journal.
    """
    files, agents, stored = files or RunFiles(), agents or {}, files.stored if files is not None else None
    if stored is None:
        checked = config if isinstance(config, BenchmarkConfig) else load_config(dict(config or {}))
        config, sealed = settled(checked, agents, secret=files.secret)
    else:
        config, sealed = stored.config, stored.sealed
    with stored.at_home(files.permission) if stored is not None else nullcontext():
        if stored is not None:
            check_plugins(stored.header, config)
        check_participants(config, agents, skills=files.replies.skills, permission=files.permission)
        if stored is not None:
            check_same_agents(stored.header, played_as(config, files.permission, agents))
        observer = observer or Observer()
        session = Session(config, agents, files, where, sealed=sealed, observer=observer, live=live)
        return session.run(keep_hands=keep_hands, preflight=preflight)


async def run_benchmark_async(*arguments: Any, **options: Any) -> RunResult:
    """Run a benchmark as `run_benchmark` does, in a thread, so that a notebook or a server stays responsive.

    A run that is cancelled plays on until its end, since a thread cannot be stopped.
    """
    return await asyncio.to_thread(run_benchmark, *arguments, **options)
