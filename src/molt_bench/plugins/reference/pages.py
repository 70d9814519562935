"""Grades on the pages of the viewer: of a hand, computed when it is opened; of a run, once it has been graded."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from molt_bench.plugins.reference.grade import MISTAKES, Grade, grade_hand, reference
from molt_bench.plugins.reference.grades import GRADES, AgentGrades, CostlyDecision, GradeBook, Grades, left_out
from molt_bench.poker.actions import STREETS
from molt_bench.poker.notation import ParsedHand
from molt_bench.report.rows import Rows
from molt_bench.runs.run import Game

#: Far more than are shown: a number that is rounded twice may come out wrong.
_DIGITS = 9


class GradesSection:
    """The grades of one run.

    A run is graded after its journal is closed, so nothing vouches for `grades.json`. That the file is there tells that
    grades are wanted. What it says is not shown: they are worked out again.
    """

    def __init__(self) -> None:
        self._agents: list[str] = []
        self._book: GradeBook | None = None
        self._written, self._wanted = 0, False

    def wanted(self, folder: Path, participants: list[str]) -> bool:
        """Return whether the run has been graded."""
        self._agents, path = participants, folder / GRADES
        try:
            written = path.stat().st_mtime_ns
            if path.is_symlink():
                return False
            if written != self._written:
                self._written, self._wanted = written, False
                msgspec.json.decode(path.read_bytes(), type=Grades)
                self._wanted = True
        except (OSError, msgspec.MsgspecError, RecursionError):
            return False
        return self._wanted

    def add(self, game: Game, seed_index: int) -> None:
        """Grade the decisions of a game."""
        if self._book is None:
            self._book = GradeBook(self._agents, reference())
        self._book.add(game, seed_index)

    def data(self, rows: Rows, shown: Callable[[int, int, str], bool]) -> Mapping[str, Any]:
        """Return the grades of each participant, and the costliest decisions in hands that may be shown."""
        found = (self._book or GradeBook(self._agents, reference())).grades(rows)
        return {
            "note": " ".join(filter(None, [found.note, left_out(found.participants)])),
            "games": found.games,
            "of": found.games,
            "streets": list(STREETS),
            "kinds": list(MISTAKES.values()),
            "rows": [_row(row, [one for one in row.costliest if shown(*_place(one))]) for row in found.participants],
        }

    def deals(self, data: Mapping[str, Any]) -> list[tuple[int, int, int]]:
        """Return the deals that its section links to, by match, seed pair and hand."""
        linked = [each for row in data["rows"] for each in row["costliest"]]
        return [(each["match"], each["seedIndex"], each["hand"]) for each in linked]

    def costs(self) -> Mapping[tuple[int, int, str], tuple[list[int], list[int]]]:
        """Return the largest loss of players A and B in every hand, in mbb, by match, seed pair and seating."""
        games = self._book.games if self._book is not None else []
        return {(each.match, each.seed_index, each.seating): each.worst_mbb for each in games}

    def hand(self, parsed: ParsedHand, max_actions: int) -> list[Mapping[str, Any] | None]:
        """Return the grade of every decision of a hand, in big blinds; None for those without one."""
        hand = parsed.hand
        found: list[Mapping[str, Any] | None] = [None] * len(hand.log)
        for grade in grade_hand(hand, reference(), forced=parsed.forced, max_actions=max_actions):
            found[grade.at] = _decision(grade, hand.rules.big_blind)
        return found


def _row(row: AgentGrades, costliest: list[CostlyDecision]) -> dict[str, Any]:
    return {
        "id": row.id,
        "decisions": row.decisions,
        "forcedFolds": row.forced_folds,
        "mistakes": row.mistakes,
        "lossMbb": row.loss_mbb,
        "aboveMbb": row.above_mbb or None,
        "halfWidth": row.above_mbb_half_width_95 or None,
        "lossBb100": row.loss_bb_per_100,
        "byStreet": [row.streets[street].loss_bb_per_100 for street in STREETS],
        "byKind": [row.kinds[kind].loss_bb_per_100 for kind in MISTAKES],
        "costliest": [msgspec.to_builtins(each) for each in costliest],
    }


def _place(each: CostlyDecision) -> tuple[int, int, str]:
    return each.match, each.seed_index, each.seating


def _decision(grade: Grade, big_blind: int) -> dict[str, Any]:
    return {
        "loss": _in_big_blinds(grade.loss, big_blind),
        "value": _in_big_blinds(grade.value, big_blind),
        "mistake": MISTAKES[grade.mistake] if grade.mistake else None,
        "options": [
            {
                "action": option.action.kind,
                "amount": option.action.amount or None,
                "chance": round(option.chance, _DIGITS),
                "value": _in_big_blinds(option.value, big_blind),
                "best": option.action == grade.best,
            }
            for option in grade.options
        ],
    }


def _in_big_blinds(chips: float, big_blind: int) -> float:
    return round(chips / big_blind, _DIGITS) + 0.0
