"""Measure what exporting the hands of a run takes, by format; part of `pipeline.py`."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

from molt_bench import run_benchmark, write_artifacts
from molt_bench.poker.street_equity import forget_equities
from molt_bench.report.dealt_hands import dealt_hands
from molt_bench.report.exports import TEXTS, Format
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles

#: Played, and counted up to so many.
PLAYED, COUNTED = 10_000, 100_000
#: Hands of a slice of a text; the median of the slices is counted, since other work on the machine comes in bursts.
SLICE = 1_000
RUN = {
    "participants": ["tight", "callstation", "random", "maniac", "tag"],
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": PLAYED // 1000}},
    "seeds": {"perMatch": 5, "masterSeed": "exporting"},
    "game": {"handsPerGame": 100},
}


def seconds_of_exports() -> Iterator[tuple[Format, float]]:
    """Return the CPU seconds of exporting 100,000 hands of five bots, by format, as if no card had been seen before."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(f"{folder}/journal.jsonl")
        write_artifacts(run_benchmark(RUN, files=RunFiles(journal), keep_hands=False), folder)
        journal.close()
        for form in TEXTS:
            yield form, _text_seconds(Path(folder), form)


def _text_seconds(folder: Path, form: Format) -> float:
    forget_equities()
    slices, start = [], process_time()
    with Path(folder, form).open("wb") as file:
        for count, piece in enumerate(TEXTS[form](dealt_hands(f"{folder}/journal.jsonl")), start=1):
            file.write(piece.encode())
            if count % SLICE == 0:
                slices.append(process_time() - start)
                start = process_time()
    return median(slices) * COUNTED / SLICE
