"""What a result holds besides its games: warnings, time, the journal's hash, and no seed that is still secret."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import structs

from molt_bench._version import BENCH_VERSION
from molt_bench.bench.result import RunResult
from molt_bench.bench.run_warnings import opening_shortfall
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError, RulesError
from molt_bench.llm.types import Unaccounted
from molt_bench.runs.journal import Journal, JournalContent
from molt_bench.runs.journal_lines import Game, Header, Line, Resumption
from molt_bench.runs.master_seed import guessable, revealed, with_master_seed
from molt_bench.seeds import Seed

_TOLD_BEFORE = "the run was extended after its master seed had been told: an agent that read it knows the cards since"


def recorded_seeds(header: Header) -> list[Seed] | None:
    """Return the seeds of a stored run that came from a file; None if none did. The file itself is not needed."""
    if header.seeds is None and header.config.get("seeds", {}).get("file"):
        raise JournalError("the journal's first line lacks the seeds from the file that its config names")
    return header.seeds


def warnings_ahead(
    config: BenchmarkConfig,
    listed: list[Seed] | None,
    lines: Sequence[Line] = (),
    *,
    sealed: bool,
    own: Collection[str] = (),
) -> list[str]:
    """Return warnings about what a run will fall short of, and who may know its cards.

    `listed` are the seeds from the config's file, `lines` those of its journal so far, and `own` the types of the
    caller's custom agents. A person plays few hands, and the result says how little they tell.
    """
    found = [
        guessable(config, own, sealed=sealed),
        None if config.people() else opening_shortfall(config),
        SeedBlocks(config, listed).shortfall,
        _TOLD_BEFORE if _told_before(lines) else None,
    ]
    return [each for each in found if each is not None]


def _told_before(lines: Sequence[Line]) -> bool:
    """Return whether a run was extended after its master seed was revealed."""
    told = next((at for at, line in enumerate(lines) if revealed([line]) is not None), len(lines))
    return any(isinstance(line, Resumption) and line.extends for line in lines[told:])


def by_another_version(header: Header) -> list[str]:
    """Return a warning if another version wrote a run: what it decided stands, and is not decided again."""
    if header.bench_version == BENCH_VERSION:
        return []
    return [
        f"the run was written by bench version {header.bench_version}, and this is {BENCH_VERSION}: its rounds and its "
        "end are as the journal has them, and were not decided again"
    ]


def concluded(
    result: RunResult,
    header: Header,
    journal: Journal | JournalContent | None,
    *,
    sealed: bool,
    seconds: float,
    warnings: Iterable[str | None],
    unaccounted: Unaccounted,
) -> RunResult:
    """Return a result, completed with what does not follow from its games; without a master seed that is sealed."""
    config, seeds = result.config, result.seeds
    if sealed:
        config = with_master_seed(config, None)
        seeds = tuple(dict.fromkeys(pair.seed for match in result.matches for pair in match.seed_results))
    return structs.replace(
        result,
        config=config,
        seeds=seeds,
        seconds=seconds,
        warnings=tuple(each for each in warnings if each),
        reply_forms=header.known("reply"),
        bench_version=header.bench_version,
        boxes=header.known("sandbox"),
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
