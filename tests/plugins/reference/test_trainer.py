"""The trainer solves games that are small enough to be solved exactly. It needs a C compiler."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from blueprint.tree_builder import tree_to_bytes

from molt_bench.plugins.reference import buckets
from tests.plugins.reference import small_games

SOURCES = Path(__file__).parents[3] / "research" / "blueprint"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler named cc"),
]


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    path = tmp_path_factory.mktemp("trainer") / "trainer"
    sources = [str(SOURCES / name) for name in ("cards.c", "solver.c", "main.c")]
    subprocess.run(["cc", "-O2", "-pthread", "-Wall", "-Wextra", "-Werror", "-o", path, *sources, "-lm"], check=True)
    return path


@pytest.fixture
def solve(trainer, tmp_path):
    def run(game, iterations, **options):
        (tmp_path / "tree").write_bytes(tree_to_bytes(game.tree))
        (tmp_path / "deals").write_bytes(game.deals_file())
        words = {"tree": tmp_path / "tree", "deals": tmp_path / "deals", "average": tmp_path / "average", **options}
        words["iterations"] = iterations
        subprocess.run(
            [trainer, "solve", *[str(word) for name, value in words.items() for word in (f"--{name}", value)]],
            check=True,
            capture_output=True,
        )
        return small_games.chances(game, np.fromfile(tmp_path / "average", "<f4"))

    return run


def test_leduc_is_nearly_solved(solve):
    game = small_games.leduc()
    strategies = solve(game, 1_000_000)
    assert small_games.exploitability(game, strategies) < 0.015
    # The value of the game is known: -0.0856 for the player who acts first.
    assert small_games.winnings(game, strategies) == pytest.approx(-0.0856, abs=0.01)


def test_training_continues_from_its_checkpoint(solve, tmp_path):
    game = small_games.leduc()
    for _ in range(2):
        again = solve(game, 20_000, checkpoint=tmp_path / "checkpoint")
    assert int(np.fromfile(tmp_path / "checkpoint", "<i8", 1)[0]) == 40_000
    assert small_games.exploitability(game, again) < 0.06


def test_the_trainer_reads_trees_and_buckets_as_python_does(trainer, tmp_path, cards_file):
    random = np.random.default_rng(3)
    mixed = [random.permutation(52)[:7].tolist() for _ in range(30)]
    # Many holes on one board, since the trainer takes long to read a turn.
    board = mixed[0][2:]
    rest = [hole for hole in buckets.holes().tolist() if not {*hole} & {*board}]
    deals = np.array([*mixed, *[[*hole, *board] for hole in rest]], np.uint8)
    shipped = buckets.shipped()
    (tmp_path / "cards").write_bytes(cards_file)
    (tmp_path / "in").write_bytes(deals.tobytes())
    subprocess.run([trainer, "buckets", tmp_path / "cards", tmp_path / "in", tmp_path / "out"], check=True)
    theirs = np.fromfile(tmp_path / "out", "<i4").reshape(-1, 4)
    ours = [[shipped.bucket(tuple(deal[:2]), tuple(deal[2:end])) for end in (2, 5, 6, 7)] for deal in mixed]
    everything = [shipped.buckets(tuple(board[:end])) for end in (0, 3, 4, 5)]
    ours += [[int(street[buckets.hole_number(hole)]) for street in everything] for hole in rest]
    assert theirs.tolist() == ours


@pytest.fixture(scope="module")
def cards_file():
    import importlib.util

    spec = importlib.util.spec_from_file_location("blueprint_abstraction", SOURCES / "abstraction.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.cards_file(module.unpacked(buckets.shipped()))
