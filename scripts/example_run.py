"""Play the run of docs/examples/run again, after a change of what a run writes: `python scripts/example_run.py`."""

import json
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final

from molt_bench import run_benchmark
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles

KEPT: Final = Path(__file__).resolve().parents[1] / "docs" / "examples" / "run" / "journal.jsonl"
CONFIG: Final = {
    "participants": ["tag", "maniac"],
    "seeds": {"perMatch": 2, "masterSeed": "molt-bench"},
    "game": {"handsPerGame": 5},
    "stop": {"budget": {"maxMatches": 2}},
}


def without_machine(journal: bytes) -> bytes:
    """Return a journal without the folder in which it was written, chained anew."""
    found, last = list[bytes](), ""
    for line in map(json.loads, journal.splitlines()):
        if line["line"] == "header":
            line["folder"] = "."
        text = json.dumps(line | ({"prev": last} if last else {}), separators=(",", ":"), ensure_ascii=False).encode()
        last = sha256(text).hexdigest()
        found.append(text + b"\n")
    return b"".join(found)


def main() -> None:
    """Play, and write the journal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "journal.jsonl")
        journal = Journal(str(path))
        run_benchmark(CONFIG, files=RunFiles(journal), executor="inline")
        journal.close()
        KEPT.write_bytes(without_machine(path.read_bytes()))


if __name__ == "__main__":
    main()
