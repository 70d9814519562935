"""Grades on the pages of the viewer: of a hand, computed when it is opened; of a run, as its file has them."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from molt_bench.plugins.reference.grade import MISTAKES, Grade, grade_hand, reference
from molt_bench.plugins.reference.grades import GRADES, AgentGrades, CostlyDecision, Grades, left_out
from molt_bench.poker.actions import STREETS
from molt_bench.report.rows import DealtHand
from molt_bench.runs.run import Run

_SOURCE = f"This is what {GRADES} says; molt-bench verify grades the run again."
#: Far more than are shown: a number that is rounded twice may come out wrong.
_DIGITS = 9


class GradesSection:
    """The grades of one run, as `molt-bench grade` wrote them; `molt-bench verify` grades its games again."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @cached_property
    def _written(self) -> Grades | None:
        try:
            return msgspec.json.decode((self._run.folder / GRADES).read_bytes(), type=Grades)
        except (OSError, msgspec.MsgspecError, RecursionError):
            return None

    def data(self, shown: Callable[[int, int, str], bool]) -> Mapping[str, Any] | None:
        """Return the grades of each participant, and the costliest decisions in hands that may be shown."""
        found = self._written
        if found is None:
            return None
        return {
            "note": " ".join(filter(None, [_SOURCE, found.note, left_out(found.participants)])),
            "games": found.games,
            "of": len(self._run.games),
            "streets": list(STREETS),
            "kinds": list(MISTAKES.values()),
            "rows": [_row(row, [one for one in row.costliest if shown(*_place(one))]) for row in found.participants],
        }

    def deals(self) -> list[tuple[int, int, int]]:
        """Return the deals that its section links to, by match, seed pair and hand."""
        rows = self._written.participants if self._written is not None else []
        return [(each.match, each.seed_index, each.hand) for row in rows for each in row.costliest]

    def costs(self) -> Mapping[tuple[int, int, str], tuple[list[int], list[int]]]:
        """Return the largest loss of players A and B in every hand, in mbb, by match, seed pair and seating."""
        games = self._written.hands if self._written is not None else []
        return {(each.match, each.seed_index, each.seating): each.worst_mbb for each in games}

    def hand(self, hand: DealtHand, max_actions: int) -> list[Mapping[str, Any] | None]:
        """Return the grade of every decision of a hand, in big blinds; None for those without one."""
        found: list[Mapping[str, Any] | None] = [None] * len(hand.hand.log)
        for grade in grade_hand(hand.hand, reference(), forced=hand.forced, max_actions=max_actions):
            found[grade.at] = _decision(grade, hand.hand.rules.big_blind)
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
