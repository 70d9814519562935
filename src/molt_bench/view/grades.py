"""Grades on the pages: of a hand, computed when it is opened; of a run, once it has been graded."""

from typing import Any

import msgspec

from molt_bench.luck.reference.grade import MISTAKES, Grade, grade_hand, reference
from molt_bench.poker.actions import STREETS
from molt_bench.poker.notation import ParsedHand
from molt_bench.report.grades import left_out
from molt_bench.report.rows import Rows
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun


def hand_grades(parsed: ParsedHand, *, max_actions: int) -> list[dict[str, Any] | None]:
    """Return the grade of every decision of a hand, in big blinds; None for those without one."""
    hand = parsed.hand
    found: list[dict[str, Any] | None] = [None] * len(hand.log)
    for grade in grade_hand(hand, reference(), forced=parsed.forced, max_actions=max_actions):
        found[grade.at] = _decision(grade, hand.rules.big_blind)
    return found


def _decision(grade: Grade, big_blind: int) -> dict[str, Any]:
    return {
        "loss": rounded(grade.loss / big_blind),
        "value": rounded(grade.value / big_blind),
        "mistake": MISTAKES[grade.mistake] if grade.mistake else None,
        "options": [
            {
                "action": option.action.kind,
                "amount": option.action.amount or None,
                "chance": rounded(option.chance),
                "value": rounded(option.value / big_blind),
                "best": option.action == grade.best,
            }
            for option in grade.options
        ],
    }


def grades_data(run: OpenRun, rows: Rows | None) -> dict[str, Any] | None:
    """Return the grades of each participant; None if the run has not been graded, or not all of it here."""
    book = run.grades.known()
    if book is None or rows is None:
        return None
    found = book.grades(rows)
    return {
        "note": " ".join(filter(None, [found.note, left_out(found.participants)])),
        "games": found.games,
        "of": len(run.games),
        "streets": list(STREETS),
        "kinds": list(MISTAKES.values()),
        "rows": [
            {
                "id": row.id,
                "decisions": row.decisions,
                "forcedFolds": row.forced_folds,
                "mistakes": row.mistakes,
                "lossMbb": rounded(row.loss_mbb),
                "aboveMbb": rounded(row.above_mbb or None),
                "halfWidth": rounded(row.above_mbb_half_width_95 or None),
                "lossBb100": rounded(row.loss_bb_per_100),
                "byStreet": [_per_100(row.streets, street) for street in STREETS],
                "byKind": [_per_100(row.kinds, kind) for kind in MISTAKES],
                "costliest": [msgspec.to_builtins(each) for each in row.costliest if _shown(run, each)],
            }
            for row in found.participants
        ],
    }


def _per_100(sums: Any, key: str) -> float | None:
    return rounded(sums[key].loss_bb_per_100) if key in sums else None


def _shown(run: OpenRun, each: Any) -> bool:
    """Return whether the hand of a decision is there, and its cards may be shown."""
    if each.match not in run.pairs:
        return False
    seeds = run.seeds_of(each.match)
    if not 0 <= each.seed_index < len(seeds):
        return False
    return any(game.record.seating == each.seating for game in run.sides(each.match, seeds[each.seed_index]))


def losses_by_game(run: OpenRun) -> dict[tuple[int, int, str], tuple[list[int], list[int]]] | None:
    """Return the largest loss of players A and B in every hand, in mbb, by match, seed pair and seating."""
    book = run.grades.known()
    if book is None:
        return None
    return {(each.match, each.seed_index, each.seating): each.worst_mbb for each in book.games}
