import pytest
from blueprint.tree_builder import build_tree, tree_to_bytes

from molt_bench.plugins.reference.tree import CALL, NONE, SHOWDOWN, tree_from_bytes

MENU = (((75,), (100,)), ((50, 100), (100,)), ((75,),), ((50, 100),))


@pytest.fixture(scope="module", params=[5, 20, 100])
def tree(request):
    return build_tree(request.param, MENU)


def test_the_button_acts_first_before_the_flop_and_last_after_it(tree):
    assert tree.actor[0] == 0
    assert tree.paid[0].tolist() == [50, 100]
    for node in range(tree.nodes):
        child = tree.children[node, CALL]
        if child >= 0 and tree.street[child] > tree.street[node]:
            assert tree.actor[child] == 1
            assert tree.street[child] == tree.street[node] + 1


def test_all_in_is_the_last_column_and_offered_until_somebody_is(tree):
    depth = tree.paid.max()
    for node in range(tree.nodes):
        last = tree.children[node, -1]
        assert (last == NONE) == (tree.paid[node].max() == depth)
        assert last == NONE or tree.raise_to(node, tree.children.shape[1] - 1) == depth


def test_sizes_are_shares_of_the_pot_after_the_call():
    tree = build_tree(100, MENU)
    assert tree.raise_to(0, 2) == 250  # 100 + 75% of 200
    flop = tree.children[tree.children[0, CALL], CALL]
    assert tree.street[flop] == 1
    assert [tree.raise_to(flop, column) for column in tree.offered(flop)[1:]] == [200, 300, 10_000]


def test_every_call_that_ends_a_street_has_a_point_of_its_own(tree):
    closing = [node for node in range(tree.nodes) if tree.closing_point(node) >= 0]
    assert [*{tree.closing_point(node) for node in closing}] == [*range(tree.nodes, tree.points)]
    for node in range(tree.nodes):
        child = tree.children[node, CALL]
        ends = child == SHOWDOWN or tree.street[child] > tree.street[node]
        assert ends == (node in closing)


def test_a_tree_is_read_back_as_it_was_written(tree):
    again = tree_from_bytes(tree_to_bytes(tree))
    for name in ("street", "actor", "paid", "children", "closing"):
        assert (getattr(again, name) == getattr(tree, name)).all(), name
