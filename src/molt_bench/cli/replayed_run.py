"""A stored run whose games are replayed, for `verify` and `replay`."""

from msgspec import UNSET

from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.arena.replayed_games import Replayed, replay_games, without_answers
from molt_bench.bench.result import RunResult
from molt_bench.cli.permission import ask_permission
from molt_bench.cli.streams import warn
from molt_bench.report.analysis import Analysis
from molt_bench.runs.conclusion import naming_version
from molt_bench.runs.header import unasked_code
from molt_bench.runs.stored_run import NEVER_RUN, StoredRun


def replay_run(stored: StoredRun, *, run_agents: bool) -> tuple[Replayed, Analysis]:
    """Replay the games of a run, and return them and the result; only with permission are its agents run."""
    permission = ask_permission(stored, without_answers(stored), run_agents=True) if run_agents else BUILT_IN
    with naming_version(stored.header):
        replayed = replay_games(stored, permission)
    result = stored.result(content=replayed.content, permission=permission)
    _warn_of_policies(stored, result, permission)
    return replayed, Analysis(result)


def _warn_of_policies(stored: StoredRun, result: RunResult, permission: Permission) -> None:
    """Warn of policies that a replayed result does without, or that it takes the run's word for."""
    for warning in result.warnings:
        if NEVER_RUN in warning:
            warn(warning)
    stated = stored.header.stated_policies
    unasked = [] if stated is UNSET else [name for name in unasked_code(stored.config, permission) if name in stated]
    for name in unasked:
        warn(f"{name!r}: margins that follow from its policy are as the run recorded them, {NEVER_RUN}")
