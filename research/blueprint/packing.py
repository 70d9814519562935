"""Pack what the trainer wrote into `blueprint.bin`: strategies street by street, values as weights of a few shapes."""

import json
import zlib
from pathlib import Path

import numpy as np

from molt_bench.plugins.reference import buckets as bk
from molt_bench.plugins.reference.table import LEVELS, MAGIC, STREETS, VALUE_UNIT
from molt_bench.plugins.reference.tree import FOLD, NONE, Tree

#: How many shapes the values of each street are made of, at most: many where there are few points.
SHAPES = (96, 32, 16, 12)
#: A shape's largest number; weights are in VALUE_UNIT / SHAPE_UNIT of it.
SHAPE_UNIT = 1 << 12
#: So many times is a point taken to have been seen with a share of the pot that grows with the bucket from 0 to 1 ...
POINT_PRIOR = 100.0
#: ... and a bucket of it with what the line through all buckets of the point says.
BUCKET_PRIOR = 10.0


def card_sections(cards: dict[str, np.ndarray]) -> dict[str, bytes]:
    """Return the sections of the card buckets."""
    rows, sizes = [], []
    for flop, row in zip(cards["flops"].tolist(), cards["flop_table"], strict=True):
        named, renamings = bk.canonical(flop)
        numbers = bk.representatives(renamings)
        distinct = np.unique(numbers[~bk.collides(named)])
        rows.append(row[distinct])
        sizes.append(len(distinct))
    return {
        "flops": cards["flops"].astype("u1").tobytes(),
        "flop_sizes": np.array(sizes, "<i2").tobytes(),
        "flop_rows": np.concatenate(rows).astype("u1").tobytes(),
        "turn_centres": cards["turn_centres"].astype("<i2").tobytes(),
        "river_centres": cards["river_centres"].astype("<i2").tobytes(),
    }


def strategy_sections(tree: Tree, counts: list[int], path: Path) -> dict[str, bytes]:
    """Return the strategies of each street: for each node and action but the call, half a byte for each bucket."""
    numbers = np.fromfile(path, np.uint8)
    pieces: list[list[np.ndarray]] = [[] for _ in range(STREETS)]
    offered = tree.children != NONE
    at = 0
    for node, street in enumerate(tree.street.tolist()):
        actions = int(offered[node].sum())
        block = numbers[at : at + counts[street] * actions].reshape(counts[street], actions).T
        assert (block.sum(axis=0) == LEVELS).all(), f"{path} has weights that do not add up to {LEVELS}"
        pieces[street].append(np.delete(block, int(offered[node, FOLD]), axis=0).ravel())
        at += counts[street] * actions
    assert at == len(numbers), f"{path} has {len(numbers)} numbers: expected {at}"
    return {f"strategy{street}": halves_to_bytes(np.concatenate(parts)) for street, parts in enumerate(pieces)}


def halves_to_bytes(numbers: np.ndarray) -> bytes:
    """Put two numbers below 16 into each byte."""
    even = np.append(numbers, np.zeros(len(numbers) % 2, np.uint8))
    return (even[::2] | even[1::2] << 4).astype(np.uint8).tobytes()


def value_sections(tree: Tree, counts: list[int], path: Path) -> tuple[dict[str, bytes], dict[str, float]]:
    """Return the sections of the values, and the error that storing them makes on each street, in shares of the pot."""
    closers = np.flatnonzero(tree.closing >= 0)
    closers = closers[tree.closing[closers].argsort()]
    streets = np.concatenate([tree.street, tree.street[closers]])
    called = np.repeat(tree.paid[closers].max(axis=1)[:, None], 2, axis=1)
    paid = np.concatenate([tree.paid, called]) / 100
    content = np.fromfile(path, np.uint8)
    size = len(content) // 3
    means, seen = content[: 2 * size].view("<i2") / 128, content[2 * size :]
    widths = np.repeat(np.array(counts)[streets], 2)
    starts = np.concatenate([[0], widths.cumsum()])
    assert starts[-1] == size, f"{path} has {size} values: expected {starts[-1]}"
    sections, errors = {}, {}
    for street in range(STREETS):
        points = np.flatnonzero(streets == street)
        at = starts[2 * points][:, None] + np.arange(2 * counts[street])
        values, weights = (part[at].reshape(-1, counts[street]) for part in (means, seen))
        weights = np.where(weights > 0, 2.0 ** (weights.astype(float) - 0.5), 0)
        pots = np.repeat(paid[points].sum(axis=1), 2)[:, None]
        shares = _filled((values + paid[points].reshape(-1, 1)) / pots, weights)
        scores, shapes = _shapes(shares - paid[points].reshape(-1, 1) / pots, weights, SHAPES[street])
        sections[f"shapes{street}"] = split_bytes(shapes)
        sections[f"values{street}"] = split_bytes(scores.T)
        stored = scores @ shapes / VALUE_UNIT
        wrong = (stored - shares + paid[points].reshape(-1, 1) / pots) ** 2
        errors[str(street)] = float(np.sqrt((wrong * weights).sum() / max(weights.sum(), 1)))
    return sections, errors


def split_bytes(numbers: np.ndarray) -> bytes:
    """Write 16-bit numbers, all low bytes first, then all high bytes, which takes less when compressed."""
    return numbers.astype("<i2").ravel().view(np.uint8).reshape(-1, 2).T.tobytes()


def _filled(shares: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return shares of the pot, those seen seldom drawn to the line that fits the point's buckets by rank."""
    places = np.linspace(0, 1, shares.shape[1]) - 0.5
    total = weights.sum(axis=1, keepdims=True) + POINT_PRIOR
    mean = ((shares * weights).sum(axis=1, keepdims=True) + 0.5 * POINT_PRIOR) / total
    centre = (places * weights).sum(axis=1, keepdims=True) / total
    spread = ((places - centre) ** 2 * weights).sum(axis=1, keepdims=True) + POINT_PRIOR / 12
    slope = (((places - centre) * (shares - mean) * weights).sum(axis=1, keepdims=True) + POINT_PRIOR / 12) / spread
    line = mean + slope * (places - centre)
    return (shares * weights + BUCKET_PRIOR * line) / (weights + BUCKET_PRIOR)


def _shapes(values: np.ndarray, weights: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return whole weights and shapes whose product is near the values, in 1 / VALUE_UNIT.

    Shapes are those that explain most of the values. A point's weights fit its buckets, the often seen ones better.
    """
    trust = np.sqrt(np.minimum(weights.mean(axis=1, keepdims=True), 1000) + 1)
    weighted = values * trust
    found = np.linalg.eigh(weighted.T @ weighted)[1].T[: -min(count, *values.shape) - 1 : -1]
    shapes = np.rint(found / np.abs(found).max(axis=1, keepdims=True) * SHAPE_UNIT)
    scores = np.empty((len(values), len(shapes)))
    for at, row in enumerate(weights + BUCKET_PRIOR):
        seen = shapes * row
        scores[at] = np.linalg.solve(seen @ shapes.T, seen @ values[at])
    return np.clip(np.rint(scores * VALUE_UNIT), -32767, 32767), shapes


def pack(about: dict[str, object], sections: dict[str, bytes]) -> bytes:
    """Return the content of a table's file."""
    packed = {name: zlib.compress(raw, 9) for name, raw in sections.items()}
    places, at = {}, 0
    for name, content in packed.items():
        places[name] = [at, len(content)]
        at += len(content)
    text = json.dumps({**about, "sections": places}, sort_keys=True).encode()
    return b"".join([MAGIC, len(text).to_bytes(4, "little"), text, *packed.values()])
