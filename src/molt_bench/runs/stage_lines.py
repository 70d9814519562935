"""The stages of a run as the lines of its journal tell of them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from molt_bench.bench.stages import Stage, plain_stop
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.runs.journal import Extension, Line, Resumption, Sitting


def stages_of(config: BenchmarkConfig, lines: Sequence[Line]) -> list[Stage]:
    """Return the stages of a run that a journal tells of, the first by its config.

    Raises:
        JournalError: A stage has a stop rule that cannot be.
    """
    stages = [Stage(config.stop)]
    for line in lines:
        if isinstance(line, Extension):
            under_way = tuple((first, second) for first, second in line.under_way)
            stages.append(Stage(_stop(config, line.stop), line.matches, under_way))
        elif stages[-1].reason is not None and not isinstance(line, Resumption):
            raise JournalError(f"the journal goes on after the run had stopped: {stages[-1].reason}")
        elif isinstance(line, Sitting) and line.stop_reason is not None:
            stages[-1] = msgspec.structs.replace(stages[-1], reason=line.stop_reason)
    return stages


def _stop(config: BenchmarkConfig, stop: dict[str, Any]) -> StopConfig:
    try:
        return load_config({**config.plain(), "stop": stop}).stop
    except ConfigError as error:
        raise JournalError(f"the journal tells of an extension that cannot be: {error}") from error


def extension_of(stage: Stage) -> Extension:
    """Return the line that tells of a new stage."""
    return Extension(stage.matches, plain_stop(stage.stop), list(stage.under_way))
