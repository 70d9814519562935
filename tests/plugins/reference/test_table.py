import hashlib

import numpy as np
import pytest
from blueprint import packing
from blueprint.tree_builder import build_tree, tree_to_bytes

from molt_bench.errors import MoltBenchError
from molt_bench.plugins.reference import table
from molt_bench.plugins.reference.tree import NONE


@pytest.fixture(scope="module")
def shipped():
    return table.load()


@pytest.fixture(params=table.load().depths)
def depth(request, shipped):
    return shipped.at(request.param)


def test_the_hash_in_the_code_is_that_of_the_file():
    with open(table.PATH, "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == table.SHA256


def test_a_damaged_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "bad.bin").write_bytes(b"molt-bp1 but not the rest")
    monkeypatch.setattr(table, "PATH", str(tmp_path / "bad.bin"))
    with pytest.raises(MoltBenchError, match="is damaged"):
        table.load.__wrapped__()
    with pytest.raises(MoltBenchError, match="starts with b'MZ'"):
        table.Table(b"MZ")


def test_trees_are_those_of_the_menus(depth, shipped):
    menu = shipped.about["menus"][str(depth.depth)]
    assert tree_to_bytes(depth.tree) == tree_to_bytes(build_tree(depth.depth, menu))


def test_weights_add_up_and_only_offered_actions_have_some(depth):
    for node in range(0, depth.tree.nodes, 37):
        weights = depth.strategy(node)
        assert weights.shape == (depth.buckets[depth.tree.street[node]], depth.tree.children.shape[1])
        assert (weights.sum(axis=1) == table.LEVELS).all()
        assert not weights[:, depth.tree.children[node] == NONE].any()


def test_values_stay_within_what_can_be_won(depth):
    """Stored values are rounded, so they may lie outside by a little."""
    for point in range(0, depth.tree.points, 41):
        for player in (0, 1):
            values = depth.values(point, player)
            assert len(values) == depth.buckets[depth._street_of[point]]
            assert np.abs(values).max() <= 1.5 * depth.depth


def test_a_packed_table_is_read_back():
    content = packing.pack({"depths": [7], "buckets": [169, 1, 1, 1]}, {"one": b"first", "two": b"second"})
    again = table.Table(content)
    assert again.depths == (7,)
    assert (again.section("one"), again.section("two")) == (b"first", b"second")
