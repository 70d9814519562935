"""The lifecycle of a run: its cost limited, started, resumed, interrupted, finished."""

import os
import sys
from typing import Final

from molt_bench.agents.permission import BUILT_IN, OWN, Permission
from molt_bench.arena.announced_agents import outsiders
from molt_bench.arena.cast import check_participants
from molt_bench.cli.config_flags import changed_by
from molt_bench.cli.options import ResumeOptions, RunOptions
from molt_bench.cli.permission import permission_for
from molt_bench.cli.run_result import UNRATED, exit_by_result, rebuild_run
from molt_bench.cli.session import Session, saying_what_is_left
from molt_bench.cli.streams import notice, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, JournalError, MoltBenchError
from molt_bench.plugin import Hosting
from molt_bench.runs.folder import last_run, new_folder, summarized
from molt_bench.runs.master_seed import forget, only_built_in
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from molt_bench.seeds import load_seeds
from molt_bench.study.before_a_run import outlay_of, too_little, what_the_budget_shows, what_the_limit_buys

_UNWRITTEN: Final = "the run has ended, but not all its files were written: they are now, and no game is played"


def start_run(
    config: BenchmarkConfig,
    options: RunOptions,
    *,
    secret: str | None,
    resume_last: bool = False,
    live: Hosting | None = None,
) -> None:
    """Play a benchmark in a new folder, or with `resume_last` go on with the last unfinished run of its config.

    `secret` is its master seed if that is to stay secret.
    """
    unfinished = last_run(config, secret) if resume_last else None
    if unfinished is not None:
        resume_run(str(unfinished), options, secret=secret, own=config, live=live)
        return
    if resume_last and options.talks:
        notice("no run of this config is unfinished, so a new one begins")
    if config.paid():
        check_cost(config, options)
    folder = new_folder(config)
    ahead = what_the_budget_shows(config) if options.talks else None
    files = RunFiles.new(folder, config, secret=secret, warn=warn)
    hosted = None if live is None else live(folder, config, ())
    Session(config, files, folder, options).play(hosted, ahead=ahead)


def resume_run(
    folder: str,
    options: RunOptions,
    *,
    changes: ResumeOptions | None = None,
    secret: str | None = None,
    live: Hosting | None = None,
    run_agents: bool = False,
    own: BenchmarkConfig | None = None,
) -> None:
    """Continue a run that was interrupted, or one that ended but has a new stop rule; no game is played twice.

    With `run_agents`, the user permits the agents that the run names. `own` is the user's own config, if the
    run was found by it: then its agents are the user's.
    """
    stored = Run.open(folder, secret=secret, same_version=True)
    if own is not None:
        _check_seed_file(own.seeds.file, stored)
    changes = changes or ResumeOptions()
    if stored.ending is not None and "stop" not in changed_by(changes, stored)[0]:
        _finish(stored, options)
        return
    permission = _permission(stored, run_agents=run_agents, own=own)
    files, stored = RunFiles.reopen(folder, secret=secret, warn=warn)  # nothing was changed before
    files.permission = permission
    try:
        files.settings, stored.config = changed_by(changes, stored)
        if changes.forget_unaccounted:
            files.replies.ledger.forget()
    except MoltBenchError:
        files.close()
        raise
    games = [game.record for game in stored.games]
    hosted = None if live is None else live(stored.folder, stored.config, games)
    Session(stored.config, files, stored.folder, options).play(hosted)


def _check_seed_file(path: str | None, stored: Run) -> None:
    """Check that the file of seeds in the user's own config has not changed since a run of it began; it may be gone."""
    if path is not None and os.path.exists(path) and load_seeds(path) != stored.header.seeds:
        raise JournalError(f"the seed file {path} has been changed since the run began")


def _finish(stored: Run, options: RunOptions) -> None:
    """Write the files of a run that has ended again, and print its result."""
    if summarized(stored.folder) != (stored.content.line_count, stored.content.last_hash):
        notice(f"{stored.folder}: {_UNWRITTEN}")
    if not stored.sealed:
        forget(stored.folder)
    with saying_what_is_left(stored.folder):
        result = rebuild_run(str(stored.folder), options.printing())
    exit_by_result(result, str(stored.folder), options)


def _permission(stored: Run, *, run_agents: bool, own: BenchmarkConfig | None) -> Permission:
    """Return which agents may be made to go on with a run."""
    if only_built_in(stored.config):
        return BUILT_IN
    # Relative paths in the config mean the same files only where the run began.
    if own is not None and os.path.realpath(stored.header.folder) == os.path.realpath(os.curdir):
        return OWN
    return permission_for(stored, outsiders(stored), run_agents=run_agents)


def check_cost(config: BenchmarkConfig, options: RunOptions) -> None:
    """Say what a limit of cost buys; refuse a run without one, unless the user wants none.

    Raises ConfigError if the run must not begin; ends the program if the limit does not buy one seed pair.
    """
    check_participants(config)  # whatever else is wrong comes first
    limits = config.stop.budget
    if limits is not None and (limits.max_cost_usd or limits.max_tokens):
        bought, short = what_the_limit_buys(config), too_little(config)
        if bought is not None and options.talks:
            notice(bought)
        if short is not None and not options.no_cost_limit:
            notice(f"{short}: no model was asked (--no-cost-limit begins all the same)")
            sys.exit(UNRATED)
        return
    outlay = None if options.no_cost_limit else outlay_of(config)
    if outlay is not None:
        field, example = ("stop.budget.maxTokens", "1000000") if outlay.unpriced else ("stop.budget.maxCostUsd", "5")
        raise ConfigError(field, None, f"a limit, as with --set {field}={example}, or --no-cost-limit: {outlay.said}")
