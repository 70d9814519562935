"""Build the blueprint's table: `python research/blueprint/build.py`, about two hours on two cores.

Steps, which can run one at a time (`--steps`): `prepare` compiles the trainer, makes the card buckets and the betting
trees; `train` trains every depth, and continues if it was stopped; `pack` writes the table into the package.
"""

import argparse
import hashlib
import json
import re
import subprocess
from pathlib import Path

import abstraction
import packing
from tree_builder import Menu, build_tree, tree_to_bytes

from molt_bench.plugins.reference import table

HERE = Path(__file__).parent
#: Buckets on flop, turn and river.
COUNTS = (256, 400, 500)
#: Bet sizes by depth in big blinds, street and raises made on it, in percent of the pot after the call.
MENUS: dict[int, Menu] = {
    8: (((50, 100), (50, 100)), ((33, 75), (100,)), ((50, 100), (100,)), ((50, 100), (100,))),
    20: (((50, 100), (50, 100)), ((33, 75, 150), (50, 100)), ((50, 100), (100,)), ((50, 100), (100,))),
    50: (((75, 150), (75,), (75,)), ((33, 75, 150), (75,), (75,)), ((50, 100), (100,)), ((50, 100), (100,))),
    100: (((75, 150), (75,), (75,)), ((33, 75, 150), (75,), (75,)), ((50, 100), (75,)), ((50, 100), (75,))),
    200: (((75,), (100,), (100,)), ((50, 100), (75,), (75,)), ((50, 100), (75,)), ((50, 100), (75,))),
}


def compile_trainer(folder: Path) -> Path:
    """Compile the trainer with the C compiler of the machine."""
    sources = [str(HERE / name) for name in ("cards.c", "solver.c", "main.c")]
    path = folder / "trainer"
    subprocess.run(["cc", "-O3", "-march=native", "-pthread", "-o", str(path), *sources, "-lm"], check=True)
    return path


def prepare(folder: Path, options: argparse.Namespace) -> None:
    """Write everything that training reads into the folder."""
    trainer = compile_trainer(folder)
    cards = abstraction.make(trainer, folder, COUNTS, threads=options.threads, boards=options.boards, rounds=15)
    (folder / "cards").write_bytes(abstraction.cards_file(cards))
    for depth, menu in MENUS.items():
        (folder / f"{depth}.tree").write_bytes(tree_to_bytes(build_tree(depth, menu)))


def train(folder: Path, options: argparse.Namespace) -> None:
    """Train every depth for its share of the time, which is larger for larger trees."""
    shares = {depth: (folder / f"{depth}.tree").stat().st_size ** 0.5 for depth in MENUS}
    unit = options.minutes * 60 / sum(shares.values())
    plans = [f"{depth}:{0.85 * unit * share:.0f}:{0.15 * unit * share:.0f}" for depth, share in shares.items()]
    subprocess.run(["sh", str(HERE / "train.sh"), str(folder), str(options.threads), *plans], check=True)


def pack(folder: Path, options: argparse.Namespace) -> None:
    """Write the table and its hash into the package."""
    cards = abstraction.make(
        folder / "trainer", folder, COUNTS, threads=options.threads, boards=options.boards, rounds=15
    )
    counts = [169, *COUNTS]
    sections = packing.card_sections(cards)
    errors = {}
    for depth, menu in MENUS.items():
        tree = build_tree(depth, menu)
        assert tree_to_bytes(tree) == (folder / f"{depth}.tree").read_bytes(), f"{depth}.tree is of another menu"
        values, errors[depth] = packing.value_sections(tree, counts, folder / f"{depth}.values")
        parts = {"tree": tree_to_bytes(tree), **packing.strategy_sections(tree, counts, folder / f"{depth}.strategy")}
        sections |= {f"{depth}/{name}": content for name, content in {**parts, **values}.items()}
    measured = folder / "measured.json"
    about = {
        "depths": [*MENUS],
        "menus": {str(depth): menu for depth, menu in MENUS.items()},
        "buckets": counts,
        "training": json.loads(options.note),
        "value_errors": errors,
        "measured": json.loads(measured.read_text()) if measured.exists() else {},
    }
    content = packing.pack(about, sections)
    Path(table.PATH).write_bytes(content)
    code = Path(table.__file__)
    digest = hashlib.sha256(content).hexdigest()
    code.write_text(re.sub(r'SHA256: Final = "\w*"', f'SHA256: Final = "{digest}"', code.read_text()))
    print(f"{table.PATH}: {len(content):,} bytes")


def main() -> None:
    """Read the options and run the steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build/blueprint"))
    parser.add_argument("--steps", default="prepare,train,pack")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=120, help="of training all depths, by the clock")
    parser.add_argument("--boards", type=int, default=12000, help="random boards from which buckets are made")
    parser.add_argument("--note", default="{}", help="JSON about the training, kept in the table")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for step in options.steps.split(","):
        {"prepare": prepare, "train": train, "pack": pack}[step](options.folder, options)


if __name__ == "__main__":
    main()
