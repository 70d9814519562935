"""Hands as table rows: CSV for spreadsheets and Parquet for data frames, with the same columns."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Any, Final

from molt_bench.errors import MoltBenchError
from molt_bench.luck.estimators import hand_estimates
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand import NOBODY
from molt_bench.report.exports.chip_flow import all_in_street, chip_flow
from molt_bench.report.exports.dealt_hands import DealtHand

#: Every column and its type.
COLUMNS: Final[dict[str, type]] = {
    "run": str,
    "match": int,
    "seed": str,
    "seating": str,
    "hand": int,
    "counts": bool,
    "player_a": str,
    "player_b": str,
    "button": str,
    "small_blind": int,
    "big_blind": int,
    "ante": int,
    "stack_a": int,
    "stack_b": int,
    "cards_a": str,
    "cards_b": str,
    "board": str,
    "actions": str,
    "pot": int,
    "showdown": bool,
    "all_in_street": str,
    "net_a": int,
    "all_in_ev_a": float,
    "luck_adjusted_a": float,
    "faults_a": int,
    "faults_b": int,
    "forced_fold": str,
}
#: A spreadsheet treats a cell that starts with one of these as a formula, or drops the apostrophe.
_FORMULA: Final = tuple("=+-@\t\r\n'")
#: Rows of a Parquet file held in memory at once.
_GROUP: Final = 20_000


def row(dealt: DealtHand) -> dict[str, Any]:
    """Return one hand from the view of player A, with the types of `COLUMNS`."""
    hand = dealt.hand
    won = hand_estimates(hand)
    sign = 1 if dealt.seating == "AB" else -1
    player = dealt.turned(("A", "B"))
    stacks, holes = dealt.turned(hand.starting_stacks), dealt.turned(hand.holes)
    values = (
        dealt.run,
        dealt.match,
        str(dealt.seed),
        dealt.seating,
        dealt.number,
        dealt.counts,
        *dealt.players,
        player[hand.button],
        hand.rules.small_blind,
        hand.rules.big_blind,
        hand.rules.ante,
        *stacks,
        *map(cards_to_text, holes),
        cards_to_text(hand.board),
        dealt.text.split(":")[5],
        chip_flow(hand).pot,
        hand.folded == NOBODY,
        all_in_street(hand) or "",
        sign * won.raw,
        sign * won.all_in + 0.0,  # no negative zero
        sign * won.adjusted + 0.0,
        *[sum([fault.player == who for fault in dealt.faults]) for who in (0, 1)],
        "" if dealt.forced == NOBODY else player[dealt.forced],
    )
    return dict(zip(COLUMNS, values, strict=True))


def hands_csv(hands: Iterable[DealtHand]) -> Iterator[str]:
    """Write CSV according to RFC 4180, safe to open in a spreadsheet.

    Text that a spreadsheet would treat as a formula, or that starts with an apostrophe, gets an apostrophe in front, so
    dropping the first apostrophe always restores the text.
    """
    yield _csv_line(COLUMNS)
    for dealt in hands:
        yield _csv_line(map(_cell, row(dealt).values()))


def _csv_line(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{round(value, 4) + 0.0:.4f}"
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def write_parquet(hands: Iterable[DealtHand], file: IO[bytes]) -> None:
    """Write a Parquet file, one group of rows at a time."""
    try:
        import pyarrow  # loaded when needed, for a fast start
        from pyarrow import parquet
    except ImportError as error:
        raise MoltBenchError("Parquet needs pyarrow: pip install 'molt-bench[export]'; csv needs nothing") from error
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    with parquet.ParquetWriter(file, schema) as writer:
        rows = map(row, hands)
        while group := list(islice(rows, _GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
