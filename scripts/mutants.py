"""Changes one comparison, operator or number of the source at a time, and runs the tests that should notice it.

    python scripts/mutants.py poker luck rating bench --each 20

It prints every mutant that lives and the score by room. The package is copied first: the checkout stays as it is. The
kernels are off, so that the twins in Python are what is tested.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
#: The tests of each room.
ROOMS: Final = {
    "poker": "tests/poker",
    "luck": "tests/luck",
    "rating": "tests/rating",
    "bench": "tests/bench tests/prd/test_fr5_scheduler.py tests/prd/test_fr6_stop_conditions.py",
}
PAIRS: Final = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq)),
    *((ast.Add, ast.Sub), (ast.Mult, ast.FloorDiv), (ast.Div, ast.Mult), (ast.And, ast.Or)),
)
SWAPPED: Final = {other: one for one, other in PAIRS} | dict(PAIRS)


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, what was changed, and the source of every mutant of a file."""
    count = sum(1 for _ in ast.walk(ast.parse(source)))
    for number in range(count):
        tree = ast.parse(source)
        node = [*ast.walk(tree)][number]
        before = ast.unparse(node) if isinstance(node, ast.expr) else ""
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
            node.ops[0] = SWAPPED[type(node.ops[0])]()
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
            node.op = SWAPPED[type(node.op)]()
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            node.value += 1
        else:
            continue
        yield node.lineno, f"{before} -> {ast.unparse(node)}", ast.unparse(tree)


def chosen(room: str, each: int) -> list[tuple[Path, int, str, str]]:
    """Return so many mutants of a room, drawn by the hash of where they are, so that they are the same every time."""
    files = sorted((ROOT / "src" / "molt_bench" / room).glob("*.py"))
    every = [(path, *mutant) for path in files for mutant in mutants(path.read_text("utf-8"))]
    return sorted(every, key=lambda one: sha256(f"{one[0].name} {one[1]} {one[2]}".encode()).digest())[:each]


def main() -> None:
    """Try mutants of the rooms that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="+", choices=ROOMS)
    parser.add_argument("--each", type=int, default=20, help="mutants of each room")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        package = Path(shutil.copytree(ROOT / "src" / "molt_bench", Path(folder) / "molt_bench"))
        env = {**os.environ, "PYTHONPATH": folder, "MOLT_BENCH_PURE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        flags = ["-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", "--no-header"]
        for room in given.rooms:
            killed, tried = 0, chosen(room, given.each)
            for path, line, change, source in tried:
                copy = package / room / path.name
                copy.write_text(source, "utf-8")
                command = [sys.executable, "-m", "pytest", *flags, *ROOMS[room].split()]
                try:
                    status = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, timeout=600).returncode
                except subprocess.TimeoutExpired:
                    status = 1
                shutil.copyfile(path, copy)
                killed += status != 0
                if status == 0:
                    print(f"lives: {room}/{path.name}:{line}: {change}", flush=True)
            print(f"{room}: {killed} of {len(tried)} mutants were noticed", flush=True)


if __name__ == "__main__":
    main()
