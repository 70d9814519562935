"""The solver on a GPU: whole ranges on all boards at once, with CuPy and a few kernels, in 32 bits.

`python scripts/exam/gpu_game.py` checks on small games that the GPU finds what numpy does.
"""

from typing import Any, Final

import cupy
import numpy as np

from molt_bench.poker.range_equity import hole_cards
from molt_bench.solver.ranges_game import RangesGame
from molt_bench.solver.showdowns import Ranked, Showdowns

_THREADS: Final = 256
#: Arrays have the shape (points, boards, holes); `size` is boards times holes.
_CODE: Final = r"""
extern "C" {

// How likely a seat plays to what follows some decisions: one thread for each decision, board and hole.
__global__ void pass_down(float* reach, const long long* points, const float* chances, long long first,
                          int width, long long size, long long all, float kept, float slip) {
    long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= all) return;
    long long decision = at / size, place = at % size;
    float here = reach[points[decision] * size + place];
    for (int action = 0; action < width; action++) {
        long long child = (decision * width + action) * size + place;
        reach[first * size + child] = chances ? here * (chances[child] * kept + slip) : here;
    }
}

// New regrets, averages and strategies of some decisions, and what they were worth before.
__global__ void update(const float* below, float* now, float* regrets, float* sums, const float* reach,
                       const long long* points, float* means, int width, long long size, long long all,
                       float kept, float decay) {
    long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= all) return;
    long long decision = at / size, place = at % size, start = decision * width * size + place;
    float own = reach[points[decision] * size + place], mean = 0, whole = 0;
    for (int action = 0; action < width; action++)
        mean += below[start + action * size] * now[start + action * size];
    for (int action = 0; action < width; action++) {
        long long child = start + action * size;
        sums[child] = sums[child] * decay + now[child] * own;
        float regret = fmaxf(0, regrets[child] * kept + below[child] - mean);
        regrets[child] = regret;
        whole += regret;
    }
    for (int action = 0; action < width; action++) {
        long long child = start + action * size;
        now[child] = whole > 0 ? regrets[child] / whole : 1.0f / width;
    }
    means[at] = mean;
}

// What each hole wins by folds: one block for each end and board.
__global__ void folds(const float* reach, float* values, const long long* places, const float* pays, int points,
                      int boards, int holes, const short* first, const short* second) {
    __shared__ float cards[52];
    __shared__ float whole;
    int point = blockIdx.x % points, board = blockIdx.x / points;
    long long base = (places[point] * boards + board) * holes;
    for (int at = threadIdx.x; at < 52; at += blockDim.x) cards[at] = 0;
    if (!threadIdx.x) whole = 0;
    __syncthreads();
    float sum = 0;
    for (int hole = threadIdx.x; hole < holes; hole += blockDim.x) {
        float weight = reach[base + hole];
        sum += weight;
        atomicAdd(&cards[first[hole]], weight);
        atomicAdd(&cards[second[hole]], weight);
    }
    atomicAdd(&whole, sum);
    __syncthreads();
    for (int hole = threadIdx.x; hole < holes; hole += blockDim.x)
        values[base + hole] = pays[point] * (whole - cards[first[hole]] - cards[second[hole]] + reach[base + hole]);
}

// What each hole wins at showdowns: one block for each end and board. `card_order` has the cards in its last axis.
__global__ void showdowns(const float* reach, float* values, const long long* places, const float* pays, int points,
                          int boards, int holes, int cards, int per_card, const short* first, const short* second,
                          const short* order, const short* weaker, const short* not_stronger, const short* card_order,
                          const short* bounds, long long bounds_size) {
    extern __shared__ float shared[];
    __shared__ float parts[256];
    float *weights = shared, *sums = weights + holes, *card_sums = sums + holes + 1;
    int point = blockIdx.x % points, board = blockIdx.x / points, thread = threadIdx.x;
    long long base = (places[point] * boards + board) * holes, row = (long long)board * holes;
    for (int hole = thread; hole < holes; hole += 256) weights[hole] = reach[base + hole];
    __syncthreads();
    int chunk = (holes + 255) / 256, from = thread * chunk, to = min(holes, from + chunk);
    float sum = 0;
    for (int at = from; at < to; at++) sum += weights[order[row + at]];
    parts[thread] = sum;
    __syncthreads();
    for (int step = 1; step < 256; step <<= 1) {
        float before = thread >= step ? parts[thread - step] : 0;
        __syncthreads();
        parts[thread] += before;
        __syncthreads();
    }
    float carried = thread ? parts[thread - 1] : 0;
    if (!thread) sums[0] = 0;
    for (int at = from; at < to; at++) {
        carried += weights[order[row + at]];
        sums[at + 1] = carried;
    }
    for (int card = thread; card < cards; card += 256) {
        float run = 0, *of_card = card_sums + card * (per_card + 1);
        of_card[0] = 0;
        for (int at = 0; at < per_card; at++) {
            run += weights[card_order[((long long)board * per_card + at) * cards + card]];
            of_card[at + 1] = run;
        }
    }
    __syncthreads();
    for (int hole = thread; hole < holes; hole += 256) {
        float won = sums[weaker[row + hole]] + sums[not_stronger[row + hole]] - sums[holes];
        for (int side = 0; side < 2; side++) {
            const float* of_card = card_sums + (side ? second : first)[hole] * (per_card + 1);
            const short* own = bounds + 2 * side * bounds_size + row + hole;
            won -= of_card[own[0]] + of_card[own[bounds_size]] - of_card[per_card];
        }
        values[base + hole] = won * pays[point];
    }
}
}
"""
_KERNELS: Final = cupy.RawModule(code=_CODE)


def _blocks(count: int) -> tuple[int]:
    return ((count + _THREADS - 1) // _THREADS,)


class GpuShowdowns(Showdowns):
    """The places that the kernel of showdowns needs."""

    def _keep(self, ranked: Ranked) -> None:
        def small(numbers: Any) -> Any:
            return cupy.asarray(np.ascontiguousarray(numbers, np.int16))

        self.sizes = tuple(np.int32(each) for each in (*ranked.order.shape, *ranked.card_order.shape[1:]))
        self.places = [
            small(ranked.own[:, 0]),
            small(ranked.own[:, 1]),
            small(ranked.order),
            small(ranked.weaker),
            small(ranked.not_stronger),
            small(ranked.card_order.transpose(0, 2, 1)),
            small(np.stack([each for both in ranked.card_bounds for each in both])),
        ]


class GpuRangesGame(RangesGame):
    """A game for two ranges on a GPU."""

    showdowns = GpuShowdowns

    def __init__(self, tree: Any, board: Any, ranges: Any) -> None:
        holes = np.flatnonzero(~np.isin(hole_cards(), list(board)).any(axis=1))
        self._cards = [cupy.asarray(card.astype(np.int16)) for card in hole_cards()[holes].T]
        self._prepared: dict[tuple[int, str, int], Any] = {}
        super().__init__(tree, board, ranges, arrays=cupy, precise=False)

    def _pass_down(self, reach: Any, group: Any, chances: Any, *, slip: float) -> None:
        count, width, boards, holes = group.shape
        size = boards * holes
        _KERNELS.get_function("pass_down")(
            _blocks(count * size),
            (_THREADS,),
            (
                reach,
                group.points,
                np.uint64(0) if chances is None else chances,
                np.int64(group.first),
                np.int32(width),
                np.int64(size),
                np.int64(count * size),
                np.float32(1 - width * slip),
                np.float32(slip),
            ),
        )

    def _update(self, at: int, number: int, below: Any) -> Any:
        group = self._streets[at].groups[number]
        count, width, boards, holes = group.shape
        size = boards * holes
        means = cupy.empty((count, boards, holes), cupy.float32)
        before = float(self.rounds - 1)
        kept = before**1.5
        _KERNELS.get_function("update")(
            _blocks(count * size),
            (_THREADS,),
            (
                below,
                self._now[at][number],
                self._regrets[at][number],
                self._sums[at][number],
                self._reaches[group.seat][at],
                group.points,
                means,
                np.int32(width),
                np.int64(size),
                np.int64(count * size),
                np.float32(kept / (kept + 1)),
                np.float32((before / self.rounds) ** 4),
            ),
        )
        return means

    def _fill_endings(self, seat: int, at: int, reach: Any, values: Any) -> None:
        street, held = self._streets[at], self._held[at]
        boards, holes = reach.shape[1:]
        sign = 1 if seat == 0 else -1
        if street.folds:
            places, pays = self._ends(at, "folds", seat, street.folds, sign * street.fold_pays)
            _KERNELS.get_function("folds")(
                (len(places) * boards,),
                (_THREADS,),
                (reach, values, places, pays, np.int32(len(places)), np.int32(boards), np.int32(holes), *self._cards),
            )
        if street.showdowns:
            places, pays = self._ends(at, "showdowns", 0, street.showdowns, street.showdown_pays)
            _, _, cards, per_card = held.sizes
            shared = 4 * (2 * holes + 1 + int(cards) * (int(per_card) + 1))
            _KERNELS.get_function("showdowns")(
                (len(places) * boards,),
                (_THREADS,),
                (
                    reach,
                    values,
                    places,
                    pays,
                    np.int32(len(places)),
                    *held.sizes,
                    *held.places,
                    np.int64(boards * holes),
                ),
                shared_mem=shared,
            )

    def _ends(self, at: int, kind: str, seat: int, places: Any, pays: Any) -> Any:
        """Return the places of ends and what they pay, on the GPU."""
        key = (at, kind, seat)
        if key not in self._prepared:
            self._prepared[key] = (cupy.asarray(np.array(places, np.int64)), cupy.asarray(pays.astype(np.float32)))
        return self._prepared[key]

    def weight(self, weights: Any) -> Any:
        """Return for each hole the weight of the other seat's holes that share no card with it."""
        values = cupy.empty_like(weights)
        points, boards, holes = weights.shape
        places, pays = cupy.arange(points, dtype=cupy.int64), cupy.ones(points, cupy.float32)
        _KERNELS.get_function("folds")(
            (points * boards,),
            (_THREADS,),
            (weights, values, places, pays, np.int32(points), np.int32(boards), np.int32(holes), *self._cards),
        )
        return values


def check() -> None:
    """Compare the values of small games with those of numpy."""
    from molt_bench.exam.question_sampling import draw
    from molt_bench.exam.questions import RULES
    from molt_bench.exam.solving import ranges_at
    from molt_bench.poker.cards import cards_from_text
    from molt_bench.solver.betting_tree import BettingTree, Menu

    for street in ("flop", "turn", "river"):
        decision = draw("check", 1, (street,))[0].decision
        hand, ranges = decision.hand(), ranges_at(decision)
        found = []
        for kind in (RangesGame, GpuRangesGame):
            menu = Menu(((),), later=((),)) if street == "flop" else Menu(((100,),))
            tree = BettingTree(decision.hand(), menu)
            game = kind(tree, cards_from_text(decision.board), ranges)
            game.solve(4 if street == "flop" else 10)
            solution = game.solution()
            found.append((solution.action_values(0, hand.actor), solution.exploitability))
        apart = np.abs(found[0][0] - found[1][0]).max() / RULES.big_blind
        errors = [each[1] / RULES.big_blind for each in found]
        print(f"{street}: values differ by at most {apart:.1e} bb, exploitability {errors[0]:.6f} {errors[1]:.6f} bb")
        # After a few rounds from the flop on, numpy's own 32 bits differ from its 64 bits by a tenth of a big blind.
        assert abs(errors[1] / errors[0] - 1) < 0.02
        assert street == "flop" or apart < 1e-2


if __name__ == "__main__":
    check()
