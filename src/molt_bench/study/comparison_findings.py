"""What a comparison of two runs found, as it is shown: a row and a test for each agent."""

from typing import Any, Final

from molt_bench.bench.gate import GateVerdict
from molt_bench.records import MBB_PER_BB100, bb_per_100
from molt_bench.study.change import Change
from molt_bench.study.comparison import Comparison, Difference
from molt_bench.study.findings import OPEN, WORSE, Case, Findings, signed_bb, unsigned_bb
from molt_bench.visible_text import on_one_line

_UNIT: Final = "bb/100"


def comparison_findings(found: Comparison, old: str, new: str, margin: float | None = None) -> Findings:
    """Return what a comparison found: between which folders, and what its answer is by a margin, where there is one."""
    first = found.differences[0]
    level = f"{100 * first.confidence:.4g}%"
    answers: list[tuple[GateVerdict, str]] = [
        ("kept", "") if margin is None else each.answer(margin) for each in found.differences
    ]
    failed = [each for each, (answer, _) in zip(found.differences, answers, strict=True) if answer != "kept"]
    given = {answer for answer, _ in answers}
    return Findings(
        command="compare",
        verdict=found.verdict,
        headings=("agent", "opponents", "seed pairs", "old", "new", "change", f"±{level}", "verdict"),
        rows=[[each.name, *_cells(each)] for each in found.differences],
        words=("verdict",),
        spare=("opponents", "seed pairs", "old", "new", "change"),
        foot=_foot(found),
        tests=[_test(each, why) for each, (_, why) in zip(found.differences, answers, strict=True)],
        warnings=found.warnings,
        content={
            "old": old,
            "new": new,
            "estimator": found.estimator,
            "confidence": first.confidence,
            "withinBbPer100": bb_per_100(first.within),
            "verdict": found.verdict,
            "agents": [_plain(each) for each in found.differences],
            "failed": [each.new_id for each in failed],
            "warnings": list(found.warnings),
            "marginBbPer100": None if margin is None else bb_per_100(margin),
        },
        status=WORSE if "worse" in given else OPEN if "open" in given else 0,
    )


def _cells(each: Difference) -> list[str]:
    """Return a row of the table, without the agent."""
    measured, half = each.measured, each.change.half_width(each.confidence)
    won = [signed_bb(mbb) for mbb in (measured.old, measured.new, each.change.mean)]
    said = f"within {each.within / MBB_PER_BB100:g}" if each.verdict == "within" else each.verdict
    return [str(len(measured.by_opponent)), each.pairs_text, *won, unsigned_bb(half), said]


def _test(each: Difference, why: str) -> Case:
    """Return a difference as a test: failed by the margin, skipped if its verdict is not known, else passed."""
    _, pairs, _, _, change, half, said = _cells(each)
    line = f"{on_one_line(each.name)}: {said}, {change} ± {half} {_UNIT}, {pairs} seed pairs"
    return Case(each.name, "failure" if why else "skipped" if each.verdict == "unknown" else "passed", why or line)


def _foot(found: Comparison) -> str:
    """Return what the numbers are."""
    paired = {each.measured.paired for each in found.differences}
    cards = "On the same cards, except rows with two numbers of seed pairs"
    if len(paired) == 1:
        cards = "Paired by seed on the same cards" if True in paired else "On different cards, so unpaired"
    multiples = [each.change.multiple(each.confidence) for each in found.differences]
    wide = " to ".join(dict.fromkeys(f"{each:.1f}" for each in (min(multiples), max(multiples))))
    return f"{cards}; in {_UNIT} (estimator {found.estimator}). ± is {wide} standard errors, for one look at the runs."


def _plain(each: Difference) -> dict[str, Any]:
    measured, confidence = each.measured, each.confidence
    return {
        "oldId": each.old_id,
        "newId": each.new_id,
        "opponents": list(measured.by_opponent),
        "paired": measured.paired,
        "seedPairs": list(measured.seed_pairs),
        "oldBbPer100": bb_per_100(measured.old),
        "newBbPer100": bb_per_100(measured.new),
        **_plain_change(each.change, confidence),
        "multiple": each.change.multiple(confidence),
        "byOpponent": {name: _plain_change(change, confidence) for name, change in measured.by_opponent.items()},
        "decidedByFaults": each.faulty is not None,
        "verdict": each.verdict,
    }


def _plain_change(change: Change, confidence: float) -> dict[str, float]:
    low, high = change.interval(confidence)
    return {"changeBbPer100": bb_per_100(change.mean), "lowBbPer100": bb_per_100(low), "highBbPer100": bb_per_100(high)}
