"""Plays runs of many kinds and prints a hash of all that they leave behind: `python golden_runs.py [NAME ...]`.

With and without the compiled kernels, and before and after a change for speed, it must print the same.
"""

import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from molt_bench import run_benchmark, write_artifacts
from molt_bench.report.artifacts import TIMED
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles


def run(participants, *, matches=6, seeds=3, hands=12, stop=None, **config):
    """Return a config that ends after some matches."""
    game = {"handsPerGame": hands, **config.pop("game", {})}
    return {
        "participants": participants.split(),
        "seeds": {"perMatch": seeds, "masterSeed": "golden"},
        "game": game,
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": matches}, **(stop or {})},
        **config,
    }


#: Runs by name. Together they use every estimator and every option of a game.
RUNS = {
    "five": run("tight callstation random maniac tag", matches=20, hands=20),
    "cheap": run("random tight", matches=8),
    "carry": run("tag maniac random", game={"stacks": "carry", "stack": 1500}),
    "ante": run("tag random shover", game={"ante": 7, "smallBlind": 13, "bigBlind": 31, "stack": 733}),
    "cap": run("maniac random tag", game={"raiseCap": 2, "warmupHands": 2, "maxActionsPerHand": 9}),
    "short": run("maniac random shover", game={"stack": 3, "smallBlind": 1, "bigBlind": 2, "stacks": "carry"}),
    "deep": run("maniac random callstation", game={"stack": 3_000_000_019, "bigBlind": 100}),
    "huge": run("maniac random", matches=3, game={"stack": 10**15, "bigBlind": 100}),
    "blueprint": run("blueprint maniac random", matches=3, seeds=2, hands=6, rating={"estimator": "aivat"}),
    "aivat carry": run("blueprint tag", matches=2, seeds=2, hands=6, game={"stacks": "carry", "stack": 2000}),
    "raw": run("tag maniac folder", rating={"estimator": "raw"}),
    "solid": run("tag maniac folder", rating={"estimator": "correctedSolid"}),
    "openskill": run("tag maniac tight folder", stop={"adjacentConfidence": {"method": "openskill"}}),
    "processes": run("tight callstation random maniac", matches=6),
}


def hash_of(name: str) -> str:
    """Play a run, and return the hash of its files without those that hold times, and of its journal."""
    executor = "processes" if name == "processes" else "inline"
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(f"{folder}/journal.jsonl")
        write_artifacts(run_benchmark(RUNS[name], files=RunFiles(journal), executor=executor), folder)
        journal.close()
        files = sorted(path for path in Path(folder).iterdir() if path.name not in {*TIMED, "journal.jsonl"})
        found = sha256()
        for path in files:
            found.update(path.name.encode() + path.read_bytes())
        return found.hexdigest()


if __name__ == "__main__":
    for name in sys.argv[1:] or RUNS:
        print(f"{name}: {hash_of(name)}", flush=True)
