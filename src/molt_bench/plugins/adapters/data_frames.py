"""A run as tables, for notebooks: data frames of pandas or polars, whichever is there, or plain rows."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from molt_bench import RunResult
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.poker.cards import cards_to_text
from molt_bench.report.rows import AgentRow, DealtHand, Rows, hand_rows, hands_of, signed
from molt_bench.runs.run import Game, Run

FrameLibrary: TypeAlias = Literal["pandas", "polars", "rows"]
Row: TypeAlias = dict[str, Any]
LIBRARIES: Final[tuple[FrameLibrary, ...]] = ("pandas", "polars", "rows")


class RunFrames:
    """The tables of a run. Displayed in a notebook, it is the leaderboard.

    Args:
        result: The result of a run, with its hands (`keep_hands`); for a run in a folder see `open`.
        library: What the tables are made with; None for pandas or polars, whichever is installed, and else rows.
    """

    def __init__(self, result: RunResult, *, library: FrameLibrary | None = None) -> None:
        if library is not None and library not in LIBRARIES:
            raise ConfigError("library", library, f"None or one of {', '.join(LIBRARIES)}")
        self.result = result
        installed: list[FrameLibrary] = [each for each in LIBRARIES if each == "rows" or find_spec(each)]
        self._library: FrameLibrary = library or installed[0]
        self._folder: Path | None = None

    @classmethod
    def open(cls, folder: str | Path, *, library: FrameLibrary | None = None) -> "RunFrames":
        """Open a run in its folder, as far as it has come.

        Raises:
            ConfigError: There is no run in the folder.
            JournalError: Its journal cannot be read, was changed after the run, or is from another version.
        """
        stored = Run.open(folder)
        found = cls(stored.result(keep_hands=True), library=library)
        found._folder = stored.folder
        return found

    @cached_property
    def rows(self) -> Rows:
        """The rows that all reports print."""
        return Rows(self.result)

    def leaderboard(self) -> Any:
        """Return a row for each participant, best first, with the fields of `leaderboard.json`."""
        rows = []
        for each in msgspec.to_builtins(self.rows.agents):
            best, worst = each.pop("rankRange") or (None, None)
            faults = sum(each.pop("faults").values())
            ranks = {"rankBest": best, "rankWorst": worst}
            rows.append({**each, **ranks, "faults": faults})
        return self._table(rows)

    def hands(self) -> Any:
        """Return a row for each hand, with the columns of `molt-bench export --format csv`."""
        return self._table(hand_rows(self._hands()))

    def decisions(self) -> Any:
        """Return a row for each decision: who acted, what it saw of the table, and what it did."""
        return self._table(each for dealt in self._hands() for each in _decisions(dealt))

    def margins(self) -> Any:
        """Return a row for each seed pair: what player A won in mbb per hand by each estimator."""
        return self._table(
            {
                "match": match.played.number,
                "player_a": match.played.participants[0],
                "player_b": match.played.participants[1],
                "seed": str(seed["seed"]),
                "hands": seed["hands"],
                "net_a": seed["netA"],
                **seed["marginsMbb"],
            }
            for match in self.rows.matches
            for seed in match.seeds()
        )

    def _hands(self) -> Iterator[DealtHand]:
        for match in self.result.matches:
            games = match.games
            if any(game.hands and not game.hand_texts for game in games):
                raise MoltBenchError("the result was made without its hands: run_benchmark(..., keep_hands=True)")
            for game in games:
                run = self._folder.name if self._folder is not None else ""
                yield from hands_of(Game(match.number, game), run=run)

    def _table(self, rows: Iterable[Row]) -> Any:
        if self._library == "pandas":
            import pandas as pd  # noqa: PLC0415 - optional

            return pd.DataFrame([*rows])
        if self._library == "polars":
            import polars as pl  # noqa: PLC0415 - optional

            return pl.DataFrame([*rows], infer_schema_length=None)
        return [*rows]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in ("", "agent", "bb/100", "±", "hands", "faults"))
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
            for cells in map(self._cells, self.rows.agents)
        )
        said = escape(" ".join(self.result.stop_reason.split()))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{said}</p>"

    def _cells(self, row: AgentRow) -> tuple[str, ...]:
        won, half = row.bb_per_100, row.bb_per_100_half_width
        return (
            row.rank_text,
            self.rows.names[row.id],
            "" if won is None else signed(won),
            "" if half is None else f"{half:,.1f}",
            f"{row.hands:,}",
            str(row.fault_count),
        )


def _decisions(dealt: DealtHand) -> Iterator[Row]:
    hand, names, player = dealt.hand, dealt.names, dealt.turned(("A", "B"))
    for number, (table, action) in enumerate(hand.steps(), start=1):
        seat = table.actor
        least, most = table.raise_range()
        yield {
            "run": dealt.run,
            "match": dealt.match,
            "seed": str(dealt.seed),
            "seating": dealt.seating,
            "hand": dealt.number,
            "counts": dealt.counts,
            "decision": number,
            "street": table.street,
            "player": player[seat],
            "id": names[seat],
            "position": "button" if seat == table.button else "big_blind",
            "cards": cards_to_text(hand.holes[seat]),
            "board": cards_to_text(table.board),
            "pot": table.betting.chips,
            "stack": table.limits[seat] - table.bets[seat],
            "to_call": table.to_call,
            "min_raise_to": least,
            "max_raise_to": most,
            "action": action.kind,
            "amount": action.amount,
            "forced": dealt.forced == seat and number == len(hand.log),
        }
