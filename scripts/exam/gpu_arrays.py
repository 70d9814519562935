"""The arrays of the solver on a GPU: CuPy, with running sums that take one pass.

`python scripts/exam/gpu_arrays.py` checks on small games that the GPU finds what numpy does.
"""

from typing import Any, Final

import cupy
import numpy as np

#: One warp for each row: it goes along the row in steps of its 32 lanes, and carries the sum on.
_RUNNING_SUMS: Final = cupy.RawKernel(
    r"""
extern "C" __global__ void running_sums(const double* from, double* to, long long rows, int length, int to_length) {
    long long row = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= rows) return;
    from += row * length;
    to += row * to_length + to_length - length;
    double carried = 0;
    if (to_length > length && !lane) to[-1] = 0;
    for (int start = 0; start < length; start += 32) {
        int at = start + lane;
        double value = at < length ? from[at] : 0;
        for (int step = 1; step < 32; step <<= 1) {
            double below = __shfl_up_sync(0xffffffff, value, step);
            if (lane >= step) value += below;
        }
        value += carried;
        if (at < length) to[at] = value;
        carried = __shfl_sync(0xffffffff, value, 31);
    }
}
""",
    "running_sums",
)
_WARPS: Final = 8


class GpuArrays:
    """What the solver uses of numpy, on the GPU, with 64 bits."""

    def __getattr__(self, name: str) -> Any:
        return getattr(cupy, name)

    def running_sums(self, amounts: Any) -> Any:
        """Return the running sums along the last axis, with a 0 first."""
        amounts = cupy.ascontiguousarray(amounts)
        length = amounts.shape[-1]
        found = cupy.empty((*amounts.shape[:-1], length + 1))
        rows = amounts.size // length
        blocks = (rows + _WARPS - 1) // _WARPS
        _RUNNING_SUMS(
            (blocks,), (32 * _WARPS,), (amounts, found, np.int64(rows), np.int32(length), np.int32(length + 1))
        )
        return found


def check() -> None:
    """Compare the values of small games with those of numpy."""
    from molt_bench.exam.drawing import draw
    from molt_bench.exam.questions import RULES
    from molt_bench.exam.solving import ranges_at
    from molt_bench.poker.cards import cards_from_text
    from molt_bench.solver.betting_tree import BettingTree, Menu
    from molt_bench.solver.ranges_game import RangesGame

    for street in ("turn", "river"):
        decision = draw("check", 1, (street,))[0].decision
        hand, ranges = decision.hand(), ranges_at(decision)
        found = []
        for arrays in (np, GpuArrays()):
            tree = BettingTree(decision.hand(), Menu(((100,),)))
            game = RangesGame(tree, cards_from_text(decision.board), ranges, arrays=arrays)
            game.solve(10)
            solution = game.solution()
            found.append((solution.action_values(0, hand.actor), solution.exploitability))
        apart = np.abs(found[0][0] - found[1][0]).max() / RULES.big_blind
        print(f"{street}: values differ by at most {apart:.1e} bb, exploitability {found[0][1]:.6f} {found[1][1]:.6f}")
        assert apart < 1e-6


if __name__ == "__main__":
    check()
