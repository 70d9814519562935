"""Solve the questions on turn and river: `python scripts/exam/build.py`, a few minutes with a GPU, hours without.

Decisions are drawn from a seed, solved one by one on all cores, and written as they are done: called again, it
continues. With `--gpu`, games from the turn on are solved there; it takes CuPy.
"""

import argparse
import os
import sys
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

import msgspec

from molt_bench.exam.question_sampling import Drawn, draw
from molt_bench.exam.questions import Question, path_of
from molt_bench.exam.solving import ranges_at, solved
from molt_bench.solver.ranges_game import RangesGame

SEED = "molt-bench exam, public questions 1"


def solve(name: str, drawn: Drawn, *, gpu: bool) -> bytes | None:
    """Solve one decision; None if the solution hardly ever comes to it."""
    game: Any = RangesGame
    if gpu:
        from gpu_game import GpuRangesGame

        game = GpuRangesGame
    found = solved(name, drawn.decision, drawn.weight, ranges_at(drawn.decision), game=game)
    return None if found is None else msgspec.json.encode(found)


def main() -> None:
    """Draw, solve, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=int, default=600, help="questions of both streets (%(default)s)")
    parser.add_argument("--streets", nargs="*", default=["turn", "river"], help="which of them are solved")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many at once (%(default)s)")
    parser.add_argument("--gpu", type=int, default=0, help="processes that share the GPU, for the turn (%(default)s)")
    parser.add_argument("--done", type=Path, default=Path("build/exam.jsonl"), help="what is solved (%(default)s)")
    parser.add_argument("--seed", default=SEED, help="what the questions are drawn from; another one for another set")
    parser.add_argument("--to", type=Path, default=path_of(1), help="the file of the set (%(default)s)")
    parser.add_argument("--seconds", type=float, default=1e9, help="end after this time, done or not")
    options = parser.parse_args()
    start = perf_counter()
    options.done.parent.mkdir(parents=True, exist_ok=True)
    known = {}
    for path in (options.to, options.done):
        for line in path.read_bytes().splitlines() if path.exists() else ():
            question = msgspec.json.decode(line, type=Question)
            known[question.id] = question
    todo, order = [], []
    drawn = draw(options.seed, options.questions, ("turn", "river"))
    for number, each in enumerate(drawn, start=1):
        street = each.decision.kind().street
        order.append(f"{street}-{number}")
        if order[-1] in known and known[order[-1]].decision != each.decision:
            del known[order[-1]]  # of another set
        if order[-1] not in known and street in options.streets:
            todo.append((order[-1], each, street == "turn"))
    print(f"{len(drawn)} drawn, {len(todo)} to solve, {perf_counter() - start:.0f} s", flush=True)
    spawn = get_context("spawn")
    with (
        ProcessPoolExecutor(options.processes, mp_context=spawn) as cores,
        ProcessPoolExecutor(max(1, options.gpu), mp_context=spawn) as gpu,
        options.done.open("ab") as file,
    ):
        jobs: list[Future[bytes | None]] = []
        for name, each, turn in todo:
            there = turn and options.gpu > 0
            jobs.append((gpu if there else cores).submit(solve, name, each, gpu=there))
        try:
            for at, job in enumerate(as_completed(jobs, timeout=options.seconds - (perf_counter() - start)), start=1):
                line = job.result()
                if line is None:
                    continue
                question = msgspec.json.decode(line, type=Question)
                known[question.id] = question
                file.write(line + b"\n")
                file.flush()
                error = 100 * question.error / question.pot
                print(f"{at} {question.id} {error:.3f}% {perf_counter() - start:.0f} s", flush=True)
        except TimeoutError:
            for pool in (cores, gpu):
                for process in list(pool._processes.values()):
                    process.kill()
    options.to.write_bytes(b"".join(msgspec.json.encode(known[name]) + b"\n" for name in order if name in known))
    print(f"wrote {len(known)} of {len(order)} questions to {options.to}")


if __name__ == "__main__":
    main()
