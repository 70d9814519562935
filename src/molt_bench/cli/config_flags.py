"""Configs as the command line gives them: a file, flags on top, `--set` on top of those."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from molt_bench.arena.cast import check_participants
from molt_bench.bench.changed_settings import changed_settings
from molt_bench.bench.run_warnings import opening_shortfall
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.cli.options import ResumeOptions
from molt_bench.cli.parser import set_by
from molt_bench.cli.streams import warn
from molt_bench.config.assignments import put, set_field
from molt_bench.config.loader import examined, load_config, read_config_file
from molt_bench.config.participants import boxed_alike, participants_from
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, MoltBenchError, raise_all
from molt_bench.runs.master_seed import guessable
from molt_bench.runs.run import Run
from molt_bench.seeds import load_seeds


def config_from(
    source: str | dict[str, Any] | None,
    flags: Mapping[str, Any] | None = None,
    assignments: Sequence[str] = (),
    *,
    players: bool = False,
) -> BenchmarkConfig:
    """Return the config of a file, or of plain values, overridden by flags, overridden by `--set`.

    Raises everything that is wrong with it and around it. With `players`, it is checked who could not play. A run finds
    that out by itself when it makes them, so it needs this only if it will not come to that.
    """
    values = read_config_file(source) if isinstance(source, str) else source or {}
    config, problems = examined(_overridden(values, flags or {}, assignments))
    found = [*problems, *_surroundings(config)]
    if found or players:
        found += _unfit(config)
    raise_all(found)
    return config


def _surroundings(config: BenchmarkConfig) -> list[MoltBenchError]:
    """Return what is wrong around a config: a seed file that cannot be read, a folder that cannot be written to."""
    found = list[MoltBenchError]()
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


def _unfit(config: BenchmarkConfig) -> Sequence[MoltBenchError]:
    """Return why participants cannot play, without starting anything."""
    try:
        check_participants(config, keys=False)
    except MoltBenchError as error:
        return getattr(error, "problems", (error,))
    return ()


def changed_by(options: ResumeOptions, stored: Run) -> tuple[dict[str, Any], BenchmarkConfig]:
    """Return which settings of a run are to be other ones by flags, by their paths, and its config with them.

    Raises ConfigError for a setting on which something depends that was played.
    """
    flags, assignments = set_by(options), options.assignments
    if not assignments and not flags:
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
