"""Measure what starting a game costs with programs and Python files, with and without a sandbox.

    python benchmarks/sandbox.py [--rounds 7] [--source OTHER/src]

Each figure is the best of some games of one hand, and of some of many hands. Beside them stands what it takes to start
Python in such a sandbox, and to end it again: all that a machine has to do at least. With `--source`, the code of
another checkout is measured in turns with this one, and the ratio of the processor time is printed, children included.
"""

import argparse
import compileall
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
#: Hands of a long game, in which the start no longer counts.
HANDS = 200


def spec_of(bot: str, *, boxed: bool):
    """Return a participant, as this version or an older one spells it."""
    from molt_bench import ParticipantSpec

    fields = ParticipantSpec.__struct_fields__
    for word in ("required", "bwrap") if boxed else ("off",):
        try:
            box = {"settings": {"sandbox": word}} if "settings" in fields else {"sandbox": word}
            spec = ParticipantSpec(id="bot", type=bot, **box)
            played(spec, 1)
        except Exception:
            continue
        return spec
    return None


def played(spec, hands: int) -> tuple[float, float]:
    """Play a game; return its seconds, and those of the processor with all children."""
    from molt_bench import make_agent, play_game

    def used() -> float:
        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(each.ru_utime + each.ru_stime for each in both)

    start, before = time.perf_counter(), used()
    record = play_game((make_agent(spec), make_agent("callstation")), seed=1, hands=hands)
    if record.faults:
        raise RuntimeError(record.faults[0])
    return time.perf_counter() - start, used() - before


def started(*, boxed: bool) -> float:
    """Return the seconds that it takes to start Python and to end it again, without a game."""
    from molt_bench.agents.external.box import Box, bubblewrap

    command, box = [sys.executable, "-I", "-S", "-c", "pass"], bubblewrap()
    if boxed and isinstance(box, Box):
        command = box.words(command, [sys.prefix, sys.base_prefix])
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def measure(bots: list[str], rounds: int) -> dict[str, list[float]]:
    """Return milliseconds to start, milliseconds of processor time, and seconds of it in a long game, by bot."""
    found = {}
    for bot in bots:
        for boxed in (False, True):
            spec = spec_of(bot, boxed=boxed)
            if spec is None:
                continue
            short = [played(spec, 1) for _ in range(rounds)]
            long = [played(spec, HANDS)[1] for _ in range(max(1, rounds // 2))]
            key = f"{Path(bot.split()[-1]).name}{', boxed' if boxed else ''}"
            figures = (1000 * min(wall for wall, _ in short), 1000 * min(cpu for _, cpu in short), min(long))
            found[key] = [round(each, 4) for each in figures]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--source", help="the folder src of another checkout")
    parser.add_argument("--bots", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.bots:
        print(json.dumps(measure(json.loads(given.bots), given.rounds)))
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O2", "-o", f"{folder}/bot", str(EXAMPLES / "bots" / "bot.c")], check=True)
        python = f"{sys.executable} -I -S {EXAMPLES / 'bots' / 'bot.py'}"
        bots = [f"exec:{folder}/bot", f"exec:{python}", f"{EXAMPLES / 'cautious.py'}:Cautious"]
        command = [sys.executable, __file__, "--rounds", str(given.rounds), "--bots", json.dumps(bots)]
        sources = [str(ROOT / "src"), *([given.source] if given.source else [])]
        figures = []
        for source in sources:
            compileall.compile_dir(f"{source}/molt_bench", quiet=2)  # as an installation does: a box cannot
            environment = {**os.environ, "PYTHONPATH": source}
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, cwd=folder)
            figures.append(json.loads(done.stdout))
    least = [1000 * min(started(boxed=boxed) for _ in range(2 * given.rounds)) for boxed in (False, True)]
    print(f"{'python -I -S -c pass':24} start {least[0]:7.1f} ms; boxed {least[1]:.1f} ms")
    for key, now in figures[0].items():
        line = f"{key:24} start {now[0]:7.1f} ms, {now[1]:7.1f} ms of processor; {HANDS} hands {now[2]:.3f} s of it"
        before = figures[-1].get(key)
        if len(figures) > 1 and before:
            line += (
                f"; by the other {before[0]:.1f} ms, {before[1]:.1f} ms, {before[2]:.3f} s: {now[2] / before[2]:.2f}"
            )
        print(line)


if __name__ == "__main__":
    main()
