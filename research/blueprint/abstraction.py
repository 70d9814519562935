"""Make the card buckets: the flop table, and centres for turn and river, by k-means on features from the trainer."""

import subprocess
from itertools import combinations
from pathlib import Path

import numpy as np

from molt_bench.plugins.reference import buckets as bk
from molt_bench.poker import equity, evaluator

FLOP_FEATURES = 19
#: How much an outcome against each group of starting hands counts, beside the distribution of river strengths.
GROUP_WEIGHT = 2.0


def canonical_flops() -> np.ndarray:
    """Return the 1,755 flops that differ in more than the names of suits, ascending."""
    return np.array(sorted({bk.canonical(flop)[0] for flop in combinations(range(52), 3)}), np.uint8)


def live_representatives(flop: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the holes of a canonical flop that are their own representatives, and the representative of each."""
    named, renamings = bk.canonical(flop)
    assert named == flop
    numbers = bk.representatives(renamings)
    return np.unique(numbers[~bk.collides(flop)]), numbers


def preflop_groups() -> np.ndarray:
    """Return which quarter of starting hands each hole belongs to, by its equity against a random hand."""
    classes = bk.preflop_buckets()
    holes = [tuple(hole) for hole in bk.holes().tolist()]
    strength = np.zeros(169)
    for number in range(169):
        own = holes[int(np.flatnonzero(classes == number)[0])]
        strength[number] = np.mean([equity.equity(own, other) for other in holes if not {*own} & {*other}])
    places = strength[classes].argsort(kind="stable").argsort(kind="stable")
    middle = np.array([places[classes == number].mean() for number in range(169)])
    return (4 * middle[classes] // bk.HOLES).astype(np.uint8)


def cards_file(cards: dict[str, np.ndarray]) -> bytes:
    """Return what `load_cards` of the trainer reads; before buckets exist, `cards` has only the flops."""
    flops = cards["flops"]
    turn, river = (cards.get(name, np.zeros((0, 0))) for name in ("turn_centres", "river_centres"))
    table = cards.get("flop_table", np.zeros((len(flops), bk.HOLES), np.uint8))
    counts = [bk.PREFLOP_BUCKETS, int(table.max()) + 1, len(turn), len(river)]
    head = [len(evaluator.SEVEN_OFFSETS), len(evaluator.SEVEN), *counts]
    pieces = [
        (head, "<i4"),
        (evaluator.SEVEN_OFFSETS, "<i4"),
        (evaluator.SEVEN, "<u2"),
        (evaluator.FLUSH, "<u2"),
        (evaluator.CARD_KEYS, "<i8"),
        (bk.preflop_buckets(), "u1"),
        (flops, "u1"),
        (table, "u1"),
        (turn, "<i4"),
        (river, "<i4"),
    ]
    return b"".join([np.asarray(piece).astype(kind).tobytes() for piece, kind in pieces])


def k_means(points: np.ndarray, count: int, rounds: int, seed: int) -> np.ndarray:
    """Return centres of points, found by k-means from a random start with distances in mind."""
    random = np.random.default_rng(seed)
    points = points.astype(np.float32)
    centres = _spread(points[random.choice(len(points), min(len(points), 20 * count), replace=False)], count, random)
    for _ in range(rounds):
        nearest = assign(points, centres)
        sizes = np.bincount(nearest, minlength=count)
        sums = np.stack([np.bincount(nearest, column, count) for column in points.T], axis=1)
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres).astype(np.float32)
    return centres


def _spread(points: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Choose starting centres, far ones with more chance (k-means++)."""
    chosen = [points[0]]
    distance = ((points - chosen[0]) ** 2).sum(axis=1)
    for _ in range(count - 1):
        chosen.append(points[random.choice(len(points), p=distance.astype(float) / distance.sum(dtype=float))])
        distance = np.minimum(distance, ((points - chosen[-1]) ** 2).sum(axis=1))
    return np.array(chosen)


def assign(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the nearest centre of each point."""
    half = (centres * centres).sum(axis=1) / 2
    parts = [(half - part @ centres.T).argmin(axis=1) for part in np.array_split(points, len(points) // 50_000 + 1)]
    return np.concatenate(parts)


def flop_table(features: np.ndarray, flops: np.ndarray, count: int, rounds: int) -> np.ndarray:
    """Return the bucket of every hole on every canonical flop, buckets in order of strength."""
    scale = np.array([1.0] * 15 + [GROUP_WEIGHT * 2] * 4, np.float32)
    own, where = [], []
    for at, flop in enumerate(flops.tolist()):
        distinct, _ = live_representatives(tuple(flop))
        own.append(features[at, distinct] * scale)
        where.append((at, distinct))
    points = np.concatenate(own)
    random = np.random.default_rng(1)
    fitted = k_means(points[random.choice(len(points), min(len(points), 150_000), replace=False)], count, rounds, 2)
    fitted = fitted[_strength_order(fitted, 15)]
    found = np.zeros((len(flops), bk.HOLES), np.uint8)
    nearest = np.split(assign(points, fitted), np.cumsum([len(part) for part in own])[:-1])
    for (at, distinct), row in zip(where, nearest, strict=True):
        found[at, distinct] = row
        found[at] = found[at][live_representatives(tuple(flops[at].tolist()))[1]]
    return found


def _strength_order(centres: np.ndarray, below: int) -> np.ndarray:
    """Order centres by mean strength: the first `below` columns say how often it is low, the others are strengths."""
    return (centres[:, below:].sum(axis=1) - 1e-3 * centres[:, :below].sum(axis=1)).argsort()


def centres_of(features: np.ndarray, count: int, rounds: int, below: int) -> np.ndarray:
    """Return whole-numbered centres in order of strength."""
    found = k_means(features, count, rounds, 3)
    return np.rint(found[_strength_order(found, below)]).astype(np.int64)


def _flop_table_of(trainer: Path, folder: Path, cards: dict, count: int, threads: int, rounds: int) -> np.ndarray:
    path = folder / f"flops-{count}.npy"
    if path.exists():
        return np.load(path)
    if not (folder / "flops.f4").exists():
        (folder / "bare.cards").write_bytes(cards_file(cards))
        (folder / "groups").write_bytes(preflop_groups().tobytes())
        command = [
            trainer,
            "flops",
            folder / "bare.cards",
            folder / "groups",
            folder / "flops.f4",
            "--threads",
            threads,
        ]
        subprocess.run([str(word) for word in command], check=True)
    features = np.memmap(folder / "flops.f4", np.float32, "r").reshape(len(cards["flops"]), bk.HOLES, FLOP_FEATURES)
    table = flop_table(features, cards["flops"], count, rounds)
    np.save(path, table)
    return table


def make(trainer: Path, folder: Path, counts: tuple[int, int, int], *, threads: int, boards: int, rounds: int) -> dict:
    """Make all buckets, or read what an earlier call has left in the folder.

    Args:
        trainer: The compiled trainer.
        folder: Where intermediate files go.
        counts: Buckets on flop, turn and river.
        threads: For the features of the flop.
        boards: Random boards from which the centres of turn and river are fitted.
        rounds: Of k-means.
    """
    path = folder / f"cards-{'-'.join(map(str, counts))}.npz"
    if path.exists():
        return dict(np.load(path))
    cards = {"flops": canonical_flops()}
    cards["flop_table"] = _flop_table_of(trainer, folder, cards, counts[0], threads, rounds)
    cards["turn_centres"] = np.zeros((1, bk.TURN_FEATURES), np.int64)
    cards["river_centres"] = np.zeros((1, bk.GROUPS), np.int64)
    (folder / "flop.cards").write_bytes(cards_file(cards))
    files = [folder / "turn.features", folder / "river.features"]
    command = [trainer, "sample", folder / "flop.cards", boards, 5, *files]
    subprocess.run([str(word) for word in command], check=True)
    turn = np.fromfile(files[0], "<i2").reshape(-1, bk.TURN_FEATURES)
    river = np.fromfile(files[1], "<i2").reshape(-1, bk.GROUPS)
    cards["turn_centres"] = centres_of(turn, counts[1], rounds, bk.TURN_BINS - 1)
    cards["river_centres"] = centres_of(river, counts[2], rounds, 0)
    np.savez_compressed(path, **cards)
    return cards


def unpacked(own: bk.CardBuckets) -> dict[str, np.ndarray]:
    """Return the buckets of a table in the form in which `make` returns them."""
    flops = np.array([*own.flops], np.uint8)
    rows = [own.buckets(tuple(flop)) for flop in flops.tolist()]
    return {
        "flops": flops,
        "flop_table": np.array(rows, np.uint8),
        "turn_centres": own.turn_centres,
        "river_centres": own.river_centres,
    }
