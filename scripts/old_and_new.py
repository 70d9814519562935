"""Run one command with version 1.0.0 (commit 38c8f04e) and with this one, in turns, and compare what it took.

    python scripts/old_and_new.py
    python scripts/old_and_new.py --pairs 7 -- --participants tag,tight,callstation,maniac,random --seeds 4

The old version lies in a worktree with an environment of its own, made once beside this checkout. Each pair runs both,
the first of the two changing from pair to pair, so that a busy machine slows both alike: read the ratio, not the
seconds. CPU counts the whole command with all its children. Nothing else is decided here: the words after `--` are
those of `molt-bench`, for both sides.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic

ROOT = Path(__file__).resolve().parents[1]
OLD = "38c8f04e"
FIVE_BOTS = ("--participants", "tag,tight,callstation,maniac,random")


@dataclass(frozen=True)
class Took:
    """What one run of the command took, and what came of it."""

    cpu_s: float
    seconds: float
    status: int
    hands: int | None
    ranking: tuple[str, ...]
    stopped: str


def environment(home: Path, tree: Path) -> Path:
    """Return the program of a checkout, installed with the extra for models into an environment of its own."""
    program = home / "bin" / "molt-bench"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        install = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*map(str, install), "--editable", f"{tree}[llm]"], check=True)
    return program


def old_program() -> Path:
    """Return the program of the old version; its worktree and environment are made if they are not there."""
    home = ROOT.parent / f"{ROOT.name}-{OLD}"
    if not home.exists():
        subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--detach", str(home), OLD], check=True)
    return environment(home / ".venv", home)


def run(program: Path, words: Sequence[str]) -> Took:
    """Run the command in an empty folder."""
    with tempfile.TemporaryDirectory(prefix="old-and-new-") as folder:
        before, start = os.times(), monotonic()
        done = subprocess.run(
            [str(program), *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        seconds, after = monotonic() - start, os.times()
        cpu_s = after.children_user - before.children_user + after.children_system - before.children_system
        found = next(iter(sorted(Path(folder).glob("benchmark-results/*/leaderboard.json"))), None)
        ranking: tuple[str, ...] = ()
        hands, stopped = None, done.stderr.strip().rpartition("\n")[2]
        if found is not None:
            ranking = tuple(each["id"] for each in json.loads(found.read_text())["participants"])
            summary = json.loads((found.parent / "summary.json").read_text())
            totals = summary.get("totals", summary)
            hands, stopped = totals.get("hands", summary.get("hands")), str(summary.get("stopReason", ""))
        return Took(cpu_s, seconds, done.returncode, hands, ranking, stopped)


def line(name: str, took: Sequence[Took]) -> str:
    """Return the row of one version: medians, and the outcome of the last run."""
    last = took[-1]
    cpu_s, seconds = median(each.cpu_s for each in took), median(each.seconds for each in took)
    hands = "-" if last.hands is None else f"{last.hands:,}"
    numbers = f"{name:<4} {cpu_s:8.2f} {seconds:8.2f} {hands:>10} {last.status:>6}"
    return f"{numbers}  {' > '.join(last.ranking)}\n     {last.stopped}"


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5, help="how often to run both")
    parser.add_argument("--new", default="", metavar="WORDS", help="more words for this version alone")
    parser.add_argument("--old", default="", metavar="WORDS", help="more words for the old version alone")
    parser.add_argument("words", nargs="*", help="words of the command; by default, a run of five bots")
    options = parser.parse_args()
    words = options.words or FIVE_BOTS
    sides = {
        "old": (old_program(), [*words, *shlex.split(options.old)]),
        "new": (environment(ROOT / ".venv", ROOT), [*words, *shlex.split(options.new)]),
    }
    found: dict[str, list[Took]] = {"old": [], "new": []}
    for number in range(options.pairs):
        for name in ("old", "new") if number % 2 else ("new", "old"):
            found[name].append(run(*sides[name]))
    print(f"{'':4} {'CPU s':>8} {'seconds':>8} {'hands':>10} {'status':>6}  ranking")
    for name, took in found.items():
        print(line(name, took))
    ratios = sorted(new.cpu_s / old.cpu_s for new, old in zip(found["new"], found["old"], strict=True))
    print(f"CPU new / old: {median(ratios):.2f} (pairs from {ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
