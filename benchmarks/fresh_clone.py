"""Measure `make bench` in a fresh clone, part by part.

The clone is of what is committed here. Packages come from wherever pip gets them on this machine.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

from rows import ROOT, row

GOAL_S = 30


def timed(name: str, *command: str, folder: Path) -> float:
    """Run a command; print and return the seconds it took by the clock."""
    before, start = getrusage(RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    took, after = perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"  {name:32}{took:6.1f} s, wall clock; {spent:6.1f} s of CPU", flush=True)
    return took


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as outside:
        folder = Path(outside, "clone")
        timed("git clone", "git", "clone", "--quiet", str(ROOT), str(folder), folder=Path(outside))
        whole = timed("make bench", "make", "bench", f"PYTHON={sys.executable}", folder=folder)
        again = timed("of it the run (make bench again)", "make", "bench", folder=folder)
        venv = timed("of it an empty environment", sys.executable, "-m", "venv", "again", folder=folder)
    print(f"  {'so installing took':32}{whole - again - venv:6.1f} s, wall clock")
    row("make bench in a fresh clone, wall clock", whole, GOAL_S, " s", digits=0)


if __name__ == "__main__":
    main()
