"""The trainer solves games that are small enough to be solved exactly. It needs a C compiler."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from blueprint.tree_builder import build_tree, tree_to_bytes

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


def test_more_deals_come_nearer(solve):
    game = small_games.leduc()
    few, many = (small_games.exploitability(game, solve(game, deals)) for deals in (1_000, 100_000))
    assert many < few / 4


def test_a_pot_sized_bet_on_the_river_is_bluffed_and_called_as_theory_says(solve):
    """Half of the first player's hands are the nuts, half are nothing; the other has a hand that beats only nothing.

    In equilibrium one bluff comes with two bets for value, half of the bets are called, and 3/4 of the pot is won.
    """
    game = small_games.river(
        "2c2d7h8s9c", ["KhKd", "JsTs JhTh 4c3c 4d3d"], pot=200, depth=300, menu=((), (), (), ((), ()))
    )
    strategies = solve(game, 300_000)
    bet, call = strategies[0][:, -1], strategies[game.tree.children[0, -1]][0, 1]
    assert (*bet[:2], bet[2:].mean()) == pytest.approx((1, 1, 0.5), abs=0.03)
    assert call == pytest.approx(0.5, abs=0.03)
    assert -small_games.winnings(game, strategies) == pytest.approx(0.5, abs=0.02)


def test_a_river_with_many_hands_is_nearly_solved(solve):
    hands = "AhQd AdAc KdKs QhQs JcJd TsTh 9h9d 8c7c 6h5h AsQc KcJs Td9s 7d6d 5s4s Ac2h 3h3d"
    menu = ((), (), (), ((50, 100), (100,)))
    game = small_games.river("2c7h8s9cKh", [hands, hands], pot=600, depth=3000, menu=menu)
    assert small_games.exploitability(game, solve(game, 400_000)) < 0.05  # of a pot of 6


def test_one_thread_trains_the_same_again(solve):
    game = small_games.leduc()
    one, two = solve(game, 2_000, seed=5), solve(game, 2_000, seed=5)
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert any((a != b).any() for a, b in zip(one, solve(game, 2_000, seed=6), strict=True))


def test_training_continues_from_its_checkpoint(solve, tmp_path):
    game = small_games.leduc()
    for _ in range(2):
        again = solve(game, 20_000, checkpoint=tmp_path / "checkpoint")
    assert int(np.fromfile(tmp_path / "checkpoint", "<i8", 1)[0]) == 40_000
    assert small_games.exploitability(game, again) < 0.06


def test_values_are_what_the_rounded_strategies_win(solve, tmp_path):
    game = small_games.leduc()
    files = {"strategy": tmp_path / "strategy", "values": tmp_path / "values"}
    solve(game, 50_000, **files, **{"value-iterations": 200_000})
    weights = small_games.chances(game, np.fromfile(files["strategy"], np.uint8))
    won = small_games.winnings(game, [own / own.sum(axis=1, keepdims=True) for own in weights])
    means = np.frombuffer(files["values"].read_bytes()[:12], "<i2") / 128
    assert means[:3].mean() == pytest.approx(won, abs=0.06)  # of player 0 with each rank at the first decision
    assert means[3:6].mean() == pytest.approx(-won, abs=0.06)


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


def test_a_small_tree_of_holdem_trains(trainer, tmp_path, cards_file):
    (tmp_path / "cards").write_bytes(cards_file)
    tree = build_tree(5, ((), (), (), ()))
    (tmp_path / "tree").write_bytes(tree_to_bytes(tree))
    words = ["--tree", tmp_path / "tree", "--cards", tmp_path / "cards", "--strategy", tmp_path / "strategy"]
    subprocess.run([trainer, "solve", *words, "--iterations", "200", "--threads", "2"], check=True)
    numbers = np.fromfile(tmp_path / "strategy", np.uint8)
    assert numbers[: 169 * 3].reshape(169, 3).sum(axis=1).tolist() == [15] * 169
