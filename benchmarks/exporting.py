"""Measure what exporting the hands of a run takes, by format; part of `make pipeline`."""

import tempfile
from pathlib import Path
from time import process_time

from molt_bench import run_benchmark
from molt_bench.luck.chance import forget
from molt_bench.report.exports import TEXTS, Format
from molt_bench.report.exports.dealt_hands import dealt_hands
from molt_bench.report.exports.hand_rows import write_parquet
from molt_bench.runs.journal import Journal
from molt_bench.runs.stored_run import RunFiles

#: Played, and counted up to so many.
PLAYED, COUNTED = 10_000, 100_000
RUN = {
    "participants": ["tight", "callstation", "random", "maniac", "tag"],
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": PLAYED // 1000}},
    "seeds": {"perMatch": 5, "masterSeed": "exporting"},
    "game": {"handsPerGame": 100},
}


def seconds_of_exports() -> dict[Format, float]:
    """Return the CPU seconds of exporting 100,000 hands of five bots, by format, as if no card had been seen before."""
    found: dict[Format, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/journal.jsonl"
        journal = Journal(path)
        run_benchmark(RUN, files=RunFiles(journal), keep_hands=False)
        journal.close()
        for form in (*TEXTS, "parquet"):
            forget()
            start = process_time()
            with Path(folder, form).open("wb") as file:
                if form == "parquet":
                    write_parquet(dealt_hands(path), file)
                else:
                    for piece in TEXTS[form](dealt_hands(path), None):
                        file.write(piece.encode())
            found[form] = (process_time() - start) * COUNTED / PLAYED
    return found
