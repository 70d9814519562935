"""The gate of `molt-bench compare`: whether a change fails it, why, and the exit status that says so. Pure."""

from typing import Final, NamedTuple

import msgspec

from molt_bench.records import MBB_PER_BB100
from molt_bench.study.comparison import Difference
from molt_bench.visible_text import on_one_line

#: Exit statuses: a loss; with --exit-code, a change that is not known; and with --fail-below, too few hands to notice
#: what it asks for.
LOST: Final = 1
UNKNOWN: Final = 4
CANNOT_TELL: Final = 6


class Failure(NamedTuple):
    """Why an agent's change is a failure, and the exit status that says so."""

    status: int
    reason: str


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What counts as a failure; the fields are flags of `molt-bench compare`.

    Attributes:
        fail_below: A certain loss of more than this is a failure; None to ask for nothing.
        strict: Whether any change is a failure that is not certainly no such loss.
        exit_code: Whether to fail by the verdict instead.
    """

    fail_below: float | None = None
    strict: bool = False
    exit_code: bool = False

    def failure(self, each: Difference) -> Failure | None:
        """Return why an agent's change is a failure; None if it is none."""
        if self.fail_below is None and not self.exit_code:
            return None
        if each.faults:
            return Failure(LOST, f"it gave no usable answer in {each.faults:.0%} of its hands")
        sure = f"{100 * each.confidence:.4g}% certain"
        if self.fail_below is None:
            unsure = Failure(UNKNOWN, f"it is not {sure} how it changed")
            return {"worse": Failure(LOST, f"it is {sure} that it lost"), "unknown": unsure}.get(each.verdict)
        more = f"more than {self.fail_below / MBB_PER_BB100:,.6g} bb/100"
        if self.strict:
            kept = each.kept(self.fail_below)
            return None if kept else Failure(LOST, f"it is not {sure} that it did not lose {more}")
        if each.lost(self.fail_below):
            on_average = each.interval[1] < -self.fail_below
            to = None if on_average or len(each.measured.by_opponent) < 2 else each.lost_to(self.fail_below)
            return Failure(LOST, f"it is {sure} that it lost {more}{'' if to is None else f' to {on_one_line(to)}'}")
        loss = self.fail_below or each.within
        if each.kept(self.fail_below) or each.sees(loss):
            return None
        count = each.seed_pairs_to_see(loss)
        takes = f"; that takes about {count:,}" if count else ""
        pairs = " and ".join(f"{count:,}" for count in each.measured.seed_pairs)
        return Failure(
            CANNOT_TELL,
            f"cannot tell: {pairs} seed pairs are too few to notice a loss of "
            f"{2 * loss / MBB_PER_BB100:,.6g} bb/100{takes}",
        )
