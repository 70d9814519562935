"""`molt-bench replay`: a whole benchmark again from its records, compared file by file."""

import json
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.replayed_games import played_again
from molt_bench.cli.options import AsJson, Root, RunFolder
from molt_bench.cli.result import show_result
from molt_bench.cli.streams import warn
from molt_bench.errors import ConfigError, JournalError, MoltBenchError
from molt_bench.records import RunResult
from molt_bench.report.artifacts import ARTIFACTS, TIMED, TIMES, write_artifacts
from molt_bench.runs.folder import JOURNAL, at_root, journal_in, opened, recorder_in
from molt_bench.runs.journal import JournalContent, games_in, stop_reason_in
from molt_bench.runs.lines import being_written
from molt_bench.runs.master_seed import with_master_seed
from molt_bench.runs.moved_files import changed_code


def replay(
    folder: RunFolder,
    output: Annotated[str | None, typer.Option(metavar="DIR", help="Write the new files to this folder.")] = None,
    root: Root = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Rerun a whole benchmark from its records, calling no model, and compare every file."""
    path = journal_in(folder).parent
    target = Path(output).absolute() if output is not None else None
    if target is not None and being_written(target / JOURNAL):
        raise ConfigError("--output", output, "another folder: a run is still going in this one")
    going = being_written(path / JOURNAL)
    content, result = replay_games(folder, root)
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
        for warning in write_artifacts(result, target):
            warn(warning)
    show_result(result, output or folder, as_json=as_json)
    if going:
        warn("the run is still going, so its files were not compared")
        return
    differing = _differing_files(result, path)
    if differing:
        raise MoltBenchError(f"{folder}: {', '.join(differing)} differ from the replayed games")
    exchanges = sum(each.exchanges for each in result.usage)
    print(
        f"Replayed {len(games_in(content.lines)):,} games and {exchanges:,} exchanges without calling a model: "
        "all files are identical, byte for byte.",
        file=sys.stderr if as_json else sys.stdout,
    )


def replay_games(folder: str, root: str | None) -> tuple[JournalContent, RunResult]:
    """Replay every game of a run from its records.

    Args:
        folder: The run's folder.
        root: The folder that its files are in now, if they have moved.

    Returns:
        What the journal would hold, and the result.

    Raises:
        JournalError: A game differs, or the run cannot be replayed.
    """
    path = journal_in(folder).parent
    place = Path(root).absolute() if root is not None else None
    config, content = opened(folder)
    remembering = next((each.id for each in config.participants if each.may_remember), None)
    if remembering is not None and stop_reason_in(content.lines) is None:
        raise JournalError(
            f"{folder}: the run has not ended, and {remembering!r} may remember the cards of replayed games: "
            "finish the run first"
        )
    here = config if place is None else with_master_seed(at_root(place, content.header), config.seeds.master_seed)
    for name in changed_code(here, content.header.source_hashes):
        warn(f"the code of {name!r} has changed since the run")
    recorder = recorder_in(path, content, read_only=True, every_game=True)
    again = played_again(here, content, recorder)
    result = run_benchmark(here, known=again, recorder=recorder, play=False)
    # Files that have moved keep their old names in the result.
    named = {
        "participants": config.plain()["participants"],
        "seeds": {**result.config["seeds"], "file": config.seeds.file},
    }
    return again, msgspec.structs.replace(result, config={**result.config, **named})


def _differing_files(result: RunResult, folder: Path) -> list[str]:
    """Return the names of a run's files that are not what the result gives."""
    return [
        name
        for name, make in ARTIFACTS.items()
        if _without_times(name, _text_of(folder / name)) != _without_times(name, make(result))
    ]


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None
    except OSError:
        return None


def _without_times(name: str, content: str | None) -> object:
    """Return a file's content without its times, which differ from run to run."""
    if name not in TIMED or content is None:
        return content
    try:
        return {key: value for key, value in json.loads(content).items() if key not in TIMES}
    except (ValueError, AttributeError, RecursionError):
        return content
