"""What a gate or a comparison of two runs found, in one shape for every form in which it is shown."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final, Literal, NamedTuple

import msgspec

from molt_bench.records import MBB_PER_BB100

#: The exit status of each verdict; 0 for every other.
STATUSES: Final = {"worse": 4, "open": 6}


class Case(NamedTuple):
    """One thing that was tested, what came of it, and that in words."""

    name: str
    came: Literal["passed", "failure", "skipped"]
    said: str


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, to be shown in any form.

    Attributes:
        command: Who found it: `gate` or `compare`.
        verdict: The verdict on everything together.
        sentence: The same as a sentence; "" where the table says it.
        headings: Of the columns of the table: names first, then numbers, and `verdict` if there is one.
        rows: Its cells.
        foot: What the numbers are.
        tests: What is a test of its own where tests are counted.
        warnings: What is good to know.
        content: Everything as JSON values.
        status: The exit status.
    """

    command: str
    verdict: str
    sentence: str = ""
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    foot: str
    tests: Sequence[Case]
    warnings: Sequence[str] = ()
    content: dict[str, Any]
    status: int


def signed_bb(mbb: float) -> str:
    """Format thousandths of a big blind per hand as big blinds per 100 hands; what rounds to zero has no sign."""
    text = f"{mbb / MBB_PER_BB100:+,.1f}"
    return text if text.strip("+-") != "0.0" else "0.0"


def unsigned_bb(mbb: float) -> str:
    """Format a width as big blinds per 100 hands; `-` where nothing is known."""
    return signed_bb(mbb).lstrip("+") if isfinite(mbb) else "-"
