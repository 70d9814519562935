"""What a result holds besides its games: warnings, time, the journal's hash, and no seed that is still secret."""

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager

from msgspec import structs

from molt_bench.bench.result import RunResult
from molt_bench.bench.stop_rules import opening_shortfall
from molt_bench.config.sections import BenchmarkConfig, SeedsConfig, StopConfig
from molt_bench.errors import JournalError, RulesError
from molt_bench.runs.journal import Extension, Game, Journal, JournalContent, Line, Sitting
from molt_bench.runs.master_seed import MasterSeed, guessable, guessable_file, only_built_in, revealed, with_master_seed
from molt_bench.seeds import Seed, load_seeds

_TOLD_BEFORE = "the run was extended after its master seed had been told: an agent that read it knows the cards since"


def listed_seeds(config: SeedsConfig, known: list[Seed] | None = None) -> list[Seed] | None:
    """Return the seeds from the config's file; None if it has none.

    `known` are the seeds recorded in the journal: the file may then be gone, but must not have changed.
    """
    if config.file is None or (known is not None and not os.path.exists(config.file)):
        return known
    listed = load_seeds(config.file)
    if known is not None and known != listed:
        raise JournalError(f"the seed file {config.file} has been changed since the run began")
    return listed


def warnings_ahead(
    config: BenchmarkConfig, seed: MasterSeed, listed: list[Seed] | None, *, stop: StopConfig, own: Container[str] = ()
) -> list[str]:
    """Return warnings about what a run will fall short of.

    Args:
        config: The config, including its master seed.
        seed: That seed.
        listed: The seeds from the config's file.
        stop: The stop rule of the run's last stage.
        own: The types of the caller's custom agents.
    """
    found = [
        guessable(config, own, secret=seed.value if seed.sealed else None),
        opening_shortfall(config.model_copy(update={"stop": stop})),
        None if only_built_in(config, own) else guessable_file(config.seeds.file, listed),
    ]
    return [each for each in found if each is not None]


def told_before(content: JournalContent, *, extended: bool = False) -> list[str]:
    """Return a warning if a run was extended after its master seed was revealed; `extended`: it is being extended."""
    lines = content.lines
    told = next((at for at, line in enumerate(lines) if revealed([line]) is not None), len(lines))
    later = any(isinstance(line, Extension) for line in lines[told:])
    return [_TOLD_BEFORE] if told < len(lines) and (extended or later) else []


def session_warnings(lines: Iterable[Line]) -> list[str]:
    """Return the warnings that sessions of a run left in its journal."""
    return [warning for line in lines if isinstance(line, Sitting) for warning in line.warnings or ()]


def concluded(
    result: RunResult,
    seed: MasterSeed,
    seconds: float,
    *,
    warnings: Iterable[str | None],
    journal: Journal | JournalContent | None,
    harnesses: Mapping[str, str],
) -> RunResult:
    """Return a result, completed with what does not follow from its games; without a master seed that is sealed."""
    config, seeds = result.config, result.seeds
    if seed.sealed:
        config = with_master_seed(config, None)
        played = [pair.seed for match in result.matches for pair in match.result.seed_results]
        seeds = tuple(dict.fromkeys(played))
    return structs.replace(
        result,
        config=config,
        seeds=seeds,
        seconds=seconds,
        warnings=tuple(each for each in warnings if each),
        harnesses=dict(harnesses),
        journal_lines=0 if journal is None else journal.line_count,
        journal_hash="" if journal is None else journal.last_hash,
    )


@contextmanager
def naming_damage(content: JournalContent | None) -> Iterator[None]:
    """Name the journal line with a hand that cannot have happened, in a JournalError."""
    try:
        yield
    except RulesError as error:
        for number, line in enumerate(content.lines if content else (), start=2):
            why = line.record.unreadable() if isinstance(line, Game) else None
            if why is not None:
                raise JournalError(f"the journal's line {number} is damaged: {why}") from error
        raise
