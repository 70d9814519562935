"""Measure the command as users run it: `molt-bench run` from the shell, with its workers, beside its bare games.

Times are CPU time of all processes, from the start of Python to its end. The bare games are the same games, played by a
process that does nothing else; its own start counts as well. Memory is the most that the leading process held. Python
loads compiled modules, as it does once a package is installed.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import monotonic
from typing import NamedTuple

from rows import row

from molt_bench import make_agent
from molt_bench.play.play_games import drive
from molt_bench.runs.journal import read_journal
from molt_bench.runs.journal_lines import Game

FIVE = "tight,callstation,random,maniac,tag"
HANDS = 100
SEEDS = 50
MIB = 1 << 20


class Spent(NamedTuple):
    """What a command took: CPU seconds of all its processes, seconds, and bytes of memory of the first of them."""

    cpu_s: float
    wall_s: float
    memory: int


def timed(*command: str) -> Spent:
    """Run a command, and return what it took, its children included."""
    start = monotonic()
    silent = os.open(os.devnull, os.O_WRONLY)
    files = [(os.POSIX_SPAWN_DUP2, silent, 1), (os.POSIX_SPAWN_DUP2, silent, 2)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=files)
    os.close(silent)
    ended, most = Event(), [0]
    watching = Thread(target=_watch, args=(child, ended, most))
    watching.start()
    _, status, used = os.wait4(child, 0)
    ended.set()
    watching.join()
    if status:
        raise SystemExit(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    return Spent(used.ru_utime + used.ru_stime, monotonic() - start, most[0])


def _watch(child: int, ended: Event, most: list[int]) -> None:
    """Note the most memory that a process has held, until it has ended."""
    while not ended.wait(0.02):
        try:
            text = Path(f"/proc/{child}/status").read_text()
        except OSError:
            return
        for line in text.splitlines():
            if line.startswith("VmHWM:"):
                most[0] = max(most[0], 1024 * int(line.split()[1]))


def run_of(matches: int, folder: str, executor: str) -> list[str]:
    """Return the command of a run of five bots."""
    return [
        *(sys.executable, "-m", "molt_bench", "run", "--participants", FIVE, "--seeds", str(SEEDS)),
        *("--hands", str(HANDS), "--max-matches", str(matches), "--set", "stop.adjacentConfidence=null"),
        *("--master-seed", "command", "--output-dir", folder, "--executor", executor),
    ]


def play_bare(journal: str) -> None:
    """Play the games of a journal, and do nothing else with them."""
    for line in read_journal(journal).lines:
        if isinstance(line, Game):
            first, second = (make_agent(name) for name in line.record.players)
            drive(line.record.spec, (first, second))


def compare(matches: int, turns: int) -> None:
    """Print how much more CPU the command takes than its games, and what it holds in memory."""
    hands = matches * SEEDS * 2 * HANDS
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"PYTHONPYCACHEPREFIX": f"{folder}/compiled", "PYTHONDONTWRITEBYTECODE": ""}
        timed(*run_of(1, f"{folder}/first", "processes"))
        ratios, inline, memory, told = list[float](), list[float](), list[int](), list[float]()
        for turn in range(turns):
            here = f"{folder}/{turn}"
            whole = timed(*run_of(matches, here, "auto"))
            (run,) = Path(here).iterdir()
            bare = timed(sys.executable, __file__, "--bare", str(run / "journal.jsonl"))
            alone = timed(*run_of(matches, f"{here}-inline", "inline"))
            ratios.append(whole.cpu_s / bare.cpu_s)
            inline.append(alone.cpu_s / bare.cpu_s)
            memory.append(whole.memory)
            told.append(hands / whole.wall_s)
            print(f"auto {whole}, inline {alone}, bare {bare}", file=sys.stderr)
    row(f"`molt-bench run` over its bare games, {hands:,} hands", median(ratios), 1.3, digits=2)
    row(f"the same with `--executor inline`, {hands:,} hands", median(inline), 1.3, digits=2)
    row(f"memory of the leading process, {hands:,} hands", max(memory) / MIB, 100, " MiB")
    print(f"{median(told):,.0f} hands a second from the shell")


def main() -> None:
    """Measure runs of two lengths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, nargs="+", default=[10, 20], help="lengths of the runs")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--bare", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.bare is not None:
        play_bare(chosen.bare)
        return
    for matches in chosen.matches:
        compare(matches, chosen.turns)


if __name__ == "__main__":
    main()
