"""Configs as the command line gives them: a file, flags on top, `--set` on top of those."""

from collections.abc import Mapping, Sequence
from typing import Any

from molt_bench.bench.extensions import another_stop
from molt_bench.bench.stop_rules import opening_shortfall
from molt_bench.cli.options import StopOptions
from molt_bench.cli.streams import warn
from molt_bench.config.loader import load_config, put, read_config_file, set_field
from molt_bench.config.participants import participants_from
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.runs.known_games import stages_of
from molt_bench.runs.master_seed import guessable
from molt_bench.runs.stored_run import StoredRun


def config_from(
    file: str | None, flags: Mapping[str, Any] | None = None, assignments: Sequence[str] = ()
) -> BenchmarkConfig:
    """Return the config of a file, overridden by flags, overridden by `--set`."""
    return _overridden(read_config_file(file) if file is not None else {}, flags or {}, assignments)


def extension_from(options: StopOptions, stored: StoredRun) -> StopConfig | None:
    """Return a run's stop rule as overridden by flags; None without flags."""
    flags, assignments = options.fields(), options.set_ or []
    if not assignments and all(value is None for value in flags.values()):
        return None
    now = stored.config.model_copy(update={"stop": stages_of(stored.config, stored.lines)[-1].stop})
    return another_stop(now, _overridden(now.plain(), flags, assignments))


def _overridden(values: dict[str, Any], flags: Mapping[str, Any], assignments: Sequence[str]) -> BenchmarkConfig:
    for path, value in flags.items():
        if value is not None:
            put(values, path, participants_from(value) if path == "participants" else value)
    for assignment in assignments:
        set_field(values, assignment)
    return load_config(values)


def warn_ahead(config: BenchmarkConfig) -> None:
    """Warn of what a run of this config will fall short of."""
    for shortfall in (opening_shortfall(config), guessable(config)):
        if shortfall is not None:
            warn(shortfall)
