"""What a result holds besides its games: warnings, time, the journal's hash, and no seed that is still secret."""

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from molt_bench._version import BENCH_VERSION
from molt_bench.bench.endings import INTERRUPTED, Interrupted
from molt_bench.bench.result import RunResult
from molt_bench.bench.run_warnings import opening_shortfall
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.game import SeedsConfig
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import StopConfig
from molt_bench.errors import JournalError, RulesError
from molt_bench.llm.types import Unaccounted
from molt_bench.runs.file_lock import being_written
from molt_bench.runs.header import recorded_boxes, recorded_reply_forms
from molt_bench.runs.journal import Journal, JournalContent
from molt_bench.runs.journal_lines import Extension, Game, Header, ending_in, halt_in
from molt_bench.runs.master_seed import MasterSeed, guessable, guessable_file, only_built_in, revealed, with_master_seed
from molt_bench.seeds import Seed, load_seeds

_TOLD_BEFORE = "the run was extended after its master seed had been told: an agent that read it knows the cards since"


def listed_seeds(config: SeedsConfig) -> list[Seed] | None:
    """Return the seeds from the file that the user's own config names; None if it names none."""
    return None if config.file is None else load_seeds(config.file)


def recorded_seeds(header: Header) -> list[Seed] | None:
    """Return the seeds of a stored run that came from a file; None if none did. The file itself is not needed."""
    if header.seeds is None and header.config.get("seeds", {}).get("file"):
        raise JournalError("the journal's first line lacks the seeds from the file that its config names")
    return header.seeds


def check_seed_file(config: SeedsConfig, header: Header) -> None:
    """Check that the file of seeds in the user's own config has not changed since a run of it began; it may be gone."""
    if config.file is not None and os.path.exists(config.file) and listed_seeds(config) != header.seeds:
        raise JournalError(f"the seed file {config.file} has been changed since the run began")


def warnings_ahead(
    config: BenchmarkConfig, seed: MasterSeed, listed: list[Seed] | None, *, stop: StopConfig, own: Collection[str] = ()
) -> list[str]:
    """Return warnings about what a run will fall short of, by the stop rule of its last stage.

    `listed` are the seeds from the config's file, `own` the types of the caller's custom agents. A person plays few
    hands, and the result says how little they tell.
    """
    found = [
        guessable(config, own, secret=seed.value if seed.sealed else None),
        None if config.people() else opening_shortfall(config.model_copy(update={"stop": stop})),
        SeedBlocks(config, listed).shortfall,
        None if only_built_in(config, own) else guessable_file(config.seeds.file, listed),
    ]
    return [each for each in found if each is not None]


def by_another_version(header: Header) -> str | None:
    """Return a warning if another version wrote a run: what it decided stands, and is not decided again."""
    if header.bench_version == BENCH_VERSION:
        return None
    return (
        f"the run was written by bench version {header.bench_version}, and this is {BENCH_VERSION}: its rounds and its "
        "end are as the journal has them, and were not decided again"
    )


def told_before(content: JournalContent, *, extended: bool = False) -> list[str]:
    """Return a warning if a run was extended after its master seed was revealed; `extended`: it is being extended."""
    lines = content.lines
    told = next((at for at, line in enumerate(lines) if revealed([line]) is not None), len(lines))
    later = any(isinstance(line, Extension) for line in lines[told:])
    return [_TOLD_BEFORE] if told < len(lines) and (extended or later) else []


def concluded(
    result: RunResult,
    seed: MasterSeed,
    seconds: float,
    *,
    warnings: Iterable[str | None],
    journal: Journal | JournalContent | None,
    header: Header,
    unaccounted: Unaccounted,
) -> RunResult:
    """Return a result, completed with what does not follow from its games; without a master seed that is sealed."""
    config, seeds = result.config, result.seeds
    if seed.sealed:
        config = with_master_seed(config, None)
        played = [pair.seed for match in result.matches for pair in match.seed_results]
        seeds = tuple(dict.fromkeys(played))
    halted = halt_in(journal.lines) if isinstance(journal, JournalContent) else None
    ending = Interrupted(halted) if halted and result.ending == INTERRUPTED else result.ending
    return structs.replace(
        result,
        ending=ending,
        config=config,
        seeds=seeds,
        seconds=seconds,
        warnings=tuple(each for each in warnings if each),
        reply_forms=recorded_reply_forms(header),
        bench_version=header.bench_version,
        boxes=recorded_boxes(header),
        unaccounted=unaccounted,
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


def notes_on(content: JournalContent, journal: Path) -> list[str]:
    """Return what a reader of a run should know: who wrote it, if another version did, and that it has not ended."""
    another = by_another_version(content.header)
    found = [] if another is None else [another]
    if ending_in(content.lines) is None:
        state = "is still going" if being_written(journal) else "has not ended"
        found.append(f"{journal.parent}: the run {state}: this is what was finished so far")
    return found
