"""A run as tables, for notebooks: data frames of pandas or polars, whichever is there, or plain rows."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from molt_bench import RunResult
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.poker.cards import cards_to_text
from molt_bench.report.rows import DealtHand, Rows, hand_rows, hands_of
from molt_bench.runs.run import Game, Run

Row: TypeAlias = dict[str, Any]
LIBRARIES: Final = ("pandas", "polars", "rows")


class RunFrames:
    """The tables of a run.

    Args:
        result: The result of a run, with its hands (`keep_hands`); for a run in a folder see `open`.
        library: What the tables are made with; None for pandas or polars, whichever is installed, and else rows.
        run: The name of the run, for the column of that name.
    """

    def __init__(self, result: RunResult, *, library: str | None = None, run: str = "") -> None:
        if library is not None and library not in LIBRARIES:
            raise ConfigError("library", library, f"None or one of {', '.join(LIBRARIES)}")
        self._result, self._rows, self._run = result, Rows(result), run
        self._library: str = library or next((each for each in LIBRARIES if find_spec(each)), "rows")

    @classmethod
    def open(cls, folder: str | Path, *, library: str | None = None) -> "RunFrames":
        """Open a run in its folder, as far as it has come.

        Raises:
            ConfigError: There is no run in the folder.
            JournalError: Its journal cannot be read, was changed after the run, or is from another version.
        """
        stored = Run.open(folder)
        return cls(stored.result(keep_hands=True), library=library, run=stored.folder.name)

    def leaderboard(self) -> Any:
        """Return a row for each participant, best first, with the fields of `leaderboard.json`."""
        rows = msgspec.to_builtins(self._rows.agents)
        for row in rows:
            row["rankBest"], row["rankWorst"] = row.pop("rankRange") or (None, None)
            row["faults"] = sum(row["faults"].values())
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
                **seed["marginsMbb"],
            }
            for match in self._rows.matches
            for seed in match.seeds()
        )

    def _hands(self) -> Iterator[DealtHand]:
        for match in self._result.matches:
            for game in match.games:
                if game.hands and not game.hand_texts:
                    raise MoltBenchError("the result was made without its hands: run_benchmark(..., keep_hands=True)")
                yield from hands_of(Game(match.number, game), run=self._run)

    def _table(self, rows: Iterable[Row]) -> Any:
        if self._library == "rows":
            return [*rows]
        options = {"infer_schema_length": None} if self._library == "polars" else {}
        return import_module(self._library).DataFrame([*rows], **options)


def _decisions(dealt: DealtHand) -> Iterator[Row]:
    for number, (table, action) in enumerate(dealt.hand.steps(), start=1):
        seat = table.actor
        yield {
            "run": dealt.run,
            "match": dealt.match,
            "seed": str(dealt.seed),
            "hand": dealt.number,
            "counts": dealt.counts,
            "decision": number,
            "street": table.street,
            "id": dealt.names[seat],
            "position": "button" if seat == table.button else "big_blind",
            "cards": cards_to_text(dealt.hand.holes[seat]),
            "board": cards_to_text(table.board),
            "pot": table.betting.chips,
            "stack": table.limits[seat] - table.bets[seat],
            "to_call": table.to_call,
            "action": action.kind,
            "amount": action.amount,
        }
