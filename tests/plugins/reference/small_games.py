"""Games small enough to be solved exactly, for the trainer: a betting tree and a list of equally likely deals."""

from dataclasses import dataclass

import numpy as np

from molt_bench.plugins.reference import tree as trees


@dataclass
class Game:
    """A game.

    Attributes:
        tree: The betting.
        buckets: What each player knows on each street, shape (deals, 2, 4).
        signs: 1 if player 0 wins the deal, -1 if player 1 does, 0 if nobody.
    """

    tree: trees.Tree
    buckets: np.ndarray
    signs: np.ndarray

    @property
    def counts(self):
        return self.buckets.max(axis=(0, 1)) + 1

    def deals_file(self):
        rows = np.concatenate([self.buckets.reshape(len(self.signs), 8), self.signs[:, None]], axis=1)
        return np.concatenate([[len(rows)], self.counts, rows.ravel()]).astype("<i4").tobytes()


def leduc():
    """Leduc hold'em: six cards, ante 1, two rounds, bets of 2 and 4, at most two in each round."""
    rows: dict[str, list] = {name: [] for name in ("street", "actor", "paid", "children", "closing")}

    def add(street, actor, paid, raises, checked):
        node = len(rows["street"])
        for name, value in (("street", street), ("actor", actor), ("paid", paid), ("closing", -1)):
            rows[name].append(value)
        row = [trees.NONE] * 3
        rows["children"].append(row)
        other = paid[1 - actor]
        if paid[actor] < other:
            row[0] = trees.FOLDED
        if paid[actor] == other and not checked:
            row[1] = add(street, 1 - actor, paid, 0, True)
        else:
            rows["closing"][node] = sum(number >= 0 for number in rows["closing"])
            row[1] = trees.SHOWDOWN if street else add(1, 0, (other, other), 0, False)
        if raises < 2:
            to = other + (400 if street else 200)
            row[2] = add(street, 1 - actor, (to, other) if actor == 0 else (other, to), raises + 1, True)
        return node

    add(0, 0, (100, 100), 0, False)
    deals = [(a, b, c) for a in range(6) for b in range(6) for c in range(6) if len({a, b, c}) == 3]
    ranks = np.array(deals) // 2
    own, public = ranks[:, :2], ranks[:, 2:]
    buckets = np.zeros((len(deals), 2, 4), int)
    buckets[:, :, 0], buckets[:, :, 1] = own, own * 3 + public
    score = own + 3 * (own == public)
    return Game(
        trees.Tree(**{k: np.array(v, np.int32) for k, v in rows.items()}), buckets, np.sign(score[:, 0] - score[:, 1])
    )


def chances(game, numbers):
    """Split what the trainer wrote into one array for each node, shape (buckets, columns)."""
    found, at = [], 0
    for street, children in zip(game.tree.street, game.tree.children, strict=True):
        offered = np.flatnonzero(children != trees.NONE)
        own = np.zeros((game.counts[street], len(children)))
        own[:, offered] = numbers[at : at + own.shape[0] * len(offered)].reshape(-1, len(offered))
        at += own.shape[0] * len(offered)
        found.append(own)
    assert at == len(numbers)
    return found


def winnings(game, strategies, best=None):
    """Return what player 0 wins on average, exactly; player `best` plays a best response instead of the strategy."""
    tree = game.tree

    def value(node, reach):
        """Return what player 0 wins in each deal from here, times its reach."""
        actor, street = tree.actor[node], tree.street[node]
        own = game.buckets[:, actor, street]
        results = {}
        for column, child in enumerate(tree.children[node]):
            share = strategies[node][own, column] if actor != best else 1
            if child == trees.NONE:
                continue
            if child == trees.FOLDED:
                results[column] = reach * share * tree.paid[node, actor] / 100 * (1 if actor else -1)
            elif child == trees.SHOWDOWN:
                results[column] = reach * share * tree.paid[node, 1 - actor] / 100 * game.signs
            else:
                results[column] = value(child, reach * share)
        if actor != best:
            return sum(results.values())
        sums = np.array([np.bincount(own, result, game.counts[street]) for result in results.values()])
        chosen = (sums if best == 0 else -sums).argmax(axis=0)
        return np.choose(chosen[own], [*results.values()])

    return float(value(0, np.full(len(game.signs), 1 / len(game.signs))).sum())


def exploitability(game, strategies):
    """Return how much best responses win from the strategies, on average of both seats."""
    return (winnings(game, strategies, best=0) - winnings(game, strategies, best=1)) / 2
