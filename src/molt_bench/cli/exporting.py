"""`export`: a run in the formats of other programs, written as it is read."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TypeAlias

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.files import fill_whole
from molt_bench.report.analysis import Analysis
from molt_bench.report.exports.dealt_hands import DealtHand, GameFilter, dealt_hands, read_header, that_count
from molt_bench.report.exports.formats import FILES, TABLES, TEXTS, WITH_HERO, Format
from molt_bench.report.exports.hand_rows import write_parquet
from molt_bench.report.exports.latex import latex
from molt_bench.runs.folder import journal_in, opened, recorder_in
from molt_bench.runs.journal import Game

#: Fills a file and returns what it was filled with, in words.
Fill: TypeAlias = Callable[[IO[bytes]], str]


def export_run(
    folder: str, form: Format, *, output: str | None, match: int | None, agent: str | None, hero: str | None
) -> None:
    """Write a run in another format, and say on standard error what went where.

    Args:
        folder: The folder of the run.
        form: The format.
        output: A file, or "-" for standard output; left out, a file in the folder of the run.
        match: Only the hands of this match.
        agent: Only the hands of this participant.
        hero: Show cards as this participant saw them.
    """
    journal = journal_in(folder)
    participants = [each["id"] for each in read_header(str(journal)).config["participants"]]
    for option, name in (("--agent", agent), ("--hero", hero)):
        if name is not None and name not in participants:
            raise ConfigError(option, name, f"one of {', '.join(participants)}")
    if hero is not None and form not in WITH_HERO:
        raise ConfigError("--hero", hero, f"with it --format {' or '.join(sorted(WITH_HERO))}")
    if form == "latex" and not (match is None and agent is None):
        raise ConfigError("--format", form, "neither --match nor --agent beside it, since it is about the whole run")
    # Made absolute first of all, since opening a run changes to the folder where it was started.
    target = journal.parent / FILES[form] if output is None else Path(output).absolute()
    fill = _tables(journal.parent) if form == "latex" else _hands(journal, form, _filter(match, agent), hero)
    if output == "-":
        written = fill(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        written = _write(target, fill)
    where = "standard output" if output == "-" else output or Path(folder) / FILES[form]
    print(f"molt-bench: wrote {written} to {where}", file=sys.stderr)


def _filter(match: int | None, agent: str | None) -> GameFilter | None:
    if match is None and agent is None:
        return None

    def wanted(game: Game) -> bool:
        return match in (None, game.match) and (agent is None or agent in game.participants)

    return wanted


def _hands(journal: Path, form: Format, wanted: GameFilter | None, hero: str | None) -> Fill:
    def fill(file: IO[bytes]) -> str:
        count = 0

        def counted() -> Iterator[DealtHand]:
            nonlocal count
            hands = dealt_hands(str(journal), wanted or (lambda _: True))
            for dealt in hands if form in TABLES else that_count(hands):
                count += 1
                yield dealt

        if form == "parquet":
            write_parquet(counted(), file)
        else:
            for piece in TEXTS[form](counted(), hero):
                file.write(piece.encode())
        if wanted and not count:
            raise MoltBenchError(f"{journal.parent}: no hand of this match and participant")
        return f"{count:,} {'hand' if count == 1 else 'hands'}"

    return fill


def _tables(folder: Path) -> Fill:
    def fill(file: IO[bytes]) -> str:
        file.write("".join(latex(_analysis_of(folder))).encode())
        return "the leaderboard and the payoff matrix"

    return fill


def _analysis_of(folder: Path) -> Analysis:
    config, content = opened(str(folder))
    recorder = recorder_in(folder, content, read_only=True)
    return Analysis(run_benchmark(config, known=content, recorder=recorder, keep_hands=False, play=False))


def _write(target: Path, fill: Fill) -> str:
    """Write a file whole or not at all; a pipe, a device or a link must stay what it is, so it is written directly."""
    special = target.is_symlink() or (target.exists() and not target.is_file())
    try:
        if not special:
            return fill_whole(target, fill)
        with open(target, "wb") as file:
            return fill(file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ConfigError("--output", str(target), f"a file that can be written ({error.strerror})") from error
