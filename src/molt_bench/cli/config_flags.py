"""Configs as the command line gives them: a file, flags on top, `--set` on top of those."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from molt_bench.arena.cast import check_participants
from molt_bench.bench.changed_settings import changed_settings
from molt_bench.bench.run_warnings import opening_shortfall
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.cli.options import StopOptions
from molt_bench.cli.streams import warn
from molt_bench.config.assignments import put, set_field
from molt_bench.config.loader import examined, load_config, read_config_file
from molt_bench.config.participants import boxed_alike, participants_from
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, ConfigErrors, MoltBenchError, raise_all
from molt_bench.runs.master_seed import guessable
from molt_bench.runs.run import Run
from molt_bench.seeds import load_seeds


def config_from(
    source: str | dict[str, Any] | None, flags: Mapping[str, Any] | None = None, assignments: Sequence[str] = ()
) -> BenchmarkConfig:
    """Return the config of a file, or of plain values, overridden by flags, overridden by `--set`.

    Raises everything that is wrong with it, participants that cannot play included.
    """
    values = read_config_file(source) if isinstance(source, str) else source or {}
    config, problems = examined(_overridden(values, flags or {}, assignments))
    if problems:
        raise ConfigErrors([*problems, *problems_of(config)])
    return config


def config_to_run(
    source: str | dict[str, Any] | None, flags: Mapping[str, Any] | None = None, assignments: Sequence[str] = ()
) -> BenchmarkConfig:
    """Return a config like `config_from` that has its seeds and a place for its results.

    Raises everything that is wrong. Participants are made by the run itself, so only if it will not come to that.
    """
    config = config_from(source, flags, assignments)
    found = _surroundings(config)
    if found:
        raise_all([*found, *problems_of(config, around=False)])
    return config


def _surroundings(config: BenchmarkConfig) -> list[MoltBenchError]:
    """Return what is wrong around a config: a seed file that cannot be read, a folder that cannot be written to."""
    found: list[MoltBenchError] = []
    if config.seeds.file is not None:
        try:
            load_seeds(config.seeds.file)
        except ConfigError as error:
            found.append(error)
    place = Path(config.output_dir)
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        problem = "read-only" if place.is_dir() else "a file"
        expected = f"a folder that can be written, and {place} is {problem}"
        found.append(ConfigError("outputDir", config.output_dir, expected))
    return found


def problems_of(config: BenchmarkConfig, *, around: bool = True) -> list[MoltBenchError]:
    """Return what is wrong with a config without starting anything: who cannot play, and what is around it."""
    found = _surroundings(config) if around else []
    try:
        check_participants(config, keys=False)
    except MoltBenchError as error:
        found.append(error)
    return [one for each in found for one in getattr(each, "problems", (each,))]


def changed_by(options: StopOptions, stored: Run) -> tuple[dict[str, Any], BenchmarkConfig]:
    """Return which settings of a run are to be other ones by flags, by their paths, and its config with them.

    Raises ConfigError for a setting on which something depends that was played.
    """
    flags, assignments = options.fields(), options.assignments
    if not assignments and all(value is None for value in flags.values()):
        return {}, stored.config
    changed = load_config(_overridden(stored.config.plain(), flags, assignments))
    return changed_settings(stored.config, changed), changed


def _overridden(values: dict[str, Any], flags: Mapping[str, Any], assignments: Sequence[str]) -> dict[str, Any]:
    """Return plain values with flags and assignments on top; the flag of the sandbox is for all participants."""
    given = {path: value for path, value in flags.items() if value is not None}
    box = given.pop("sandbox", None)
    for path, value in given.items():
        put(values, path, participants_from(value) if path == "participants" else value)
    for assignment in assignments:
        set_field(values, assignment)
    if box is not None and "participants" in values:
        values["participants"] = boxed_alike(values["participants"], box)
    return values


def warn_ahead(config: BenchmarkConfig) -> None:
    """Warn of what a run of this config will fall short of."""
    for shortfall in (opening_shortfall(config), _too_few_seeds(config), guessable(config)):
        if shortfall is not None:
            warn(shortfall)


def _too_few_seeds(config: BenchmarkConfig) -> str | None:
    """Return a warning if the seed file is too short for a match of every pair."""
    if config.seeds.file is None:
        return None
    return SeedBlocks(config, load_seeds(config.seeds.file)).shortfall
