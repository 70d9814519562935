"""What a comparison of two runs found, as it is shown: a row and a test for each agent."""

from typing import Any, Final

from molt_bench.bench.gate import bb
from molt_bench.records import bb_per_100
from molt_bench.study.change import Change, Verdict
from molt_bench.study.comparison import Comparison, Difference
from molt_bench.study.findings import STATUSES, Case, Findings, signed_bb, unsigned_bb

_GRAVEST_FIRST: Final[tuple[Verdict, ...]] = ("worse", "open", "better", "not worse")
_HEADINGS: Final = ("agent", "opponents", "seed pairs", "old", "new", "change")


def comparison_findings(found: Comparison, old: str, new: str) -> Findings:
    """Return what a comparison of the runs in two folders found."""
    given = {each.judged.verdict for each in found.differences}
    verdict = next(each for each in _GRAVEST_FIRST if each in given)
    return Findings(
        command="compare",
        verdict=verdict,
        headings=(
            "agent",
            "opponents",
            "seed pairs",
            "old",
            "new",
            "change",
            f"±{100 * found.confidence:.4g}%",
            "verdict",
        ),
        rows=[_row(each, found.confidence) for each in found.differences],
        foot=_foot(found),
        tests=[_test(each, found.confidence) for each in found.differences],
        warnings=found.warnings,
        content={
            "old": old,
            "new": new,
            "estimator": found.estimator,
            "confidence": found.confidence,
            "marginBbPer100": None if found.margin is None else bb_per_100(found.margin),
            "verdict": verdict,
            "agents": [_plain(each, found.confidence) for each in found.differences],
            "warnings": list(found.warnings),
        },
        status=0 if found.margin is None else STATUSES.get(verdict, 0),
    )


def _row(each: Difference, confidence: float) -> list[str]:
    pairs = " / ".join(f"{count:,}" for count in each.seed_pairs)
    won = [signed_bb(mbb) for mbb in (each.old, each.new, each.change.mean)]
    half = unsigned_bb(each.change.half_width(confidence))
    return [each.name, str(len(each.by_opponent)), pairs, *won, half, each.judged.verdict]


def _test(each: Difference, confidence: float) -> Case:
    """Return a difference as a test: failed if it is worse, skipped if that is open, else passed."""
    verdict, reasons = each.judged
    change, half = signed_bb(each.change.mean), unsigned_bb(each.change.half_width(confidence))
    said = "; ".join(reasons) or f"{verdict}: {change} ± {half} bb/100"
    return Case(each.name, "failure" if verdict == "worse" else "skipped" if verdict == "open" else "passed", said)


def _foot(found: Comparison) -> str:
    """Return what the numbers are."""
    paired = {each.paired for each in found.differences}
    cards = "On the same cards, except rows with two numbers of seed pairs"
    if len(paired) == 1:
        cards = "Paired by seed on the same cards" if True in paired else "On different cards, so unpaired"
    multiples = [each.change.multiple(found.confidence) for each in found.differences]
    wide = " to ".join(dict.fromkeys(f"{each:.1f}" for each in (min(multiples), max(multiples))))
    by = "" if found.margin is None else f" Worse: by more than {bb(found.margin)}, on average or to one opponent."
    return (
        f"{cards}; in bb/100 (estimator {found.estimator}).{by} ± is {wide} standard errors, for one look at the runs."
    )


def _plain(each: Difference, confidence: float) -> dict[str, Any]:
    return {
        "oldId": each.old_id,
        "newId": each.new_id,
        "paired": each.paired,
        "seedPairs": list(each.seed_pairs),
        "oldBbPer100": bb_per_100(each.old),
        "newBbPer100": bb_per_100(each.new),
        **_plain_change(each.change, confidence),
        "multiple": each.change.multiple(confidence),
        "byOpponent": {name: _plain_change(change, confidence) for name, change in each.by_opponent.items()},
        "verdict": each.judged.verdict,
        "reasons": list(each.judged.reasons),
    }


def _plain_change(change: Change, confidence: float) -> dict[str, float]:
    low, high = change.interval(confidence)
    return {"changeBbPer100": bb_per_100(change.mean), "lowBbPer100": bb_per_100(low), "highBbPer100": bb_per_100(high)}
