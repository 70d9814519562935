"""What a gate found: whether the new version is worse by its results, by its faults, or by the time it takes."""

from math import ceil, isfinite
from typing import Final, Literal

import msgspec

from molt_bench.bench.gate import GateFinding, bb, lost
from molt_bench.bench.result import RunResult
from molt_bench.study.findings import STATUSES, Case, Findings, signed_bb, unsigned_bb

#: A decision may take so long however long it took before.
_QUICK_S: Final = 0.001


class Speed(msgspec.Struct, frozen=True):
    """How long both versions take for a decision on this machine: the median, in seconds.

    Attributes:
        slower: How many times as long the new one may take; 0 for any.
    """

    new: float
    old: float
    slower: float

    @property
    def problem(self) -> str | None:
        """Why the new version is too slow; None if it is not."""
        if not self.slower or self.new <= max(_QUICK_S, self.slower * self.old):
            return None
        return f"a decision takes {_duration(self.new)}, and took the old version {_duration(self.old)}"


def gate_findings(result: RunResult, found: GateFinding, speed: Speed | None = None) -> Findings:
    """Return what the games of a gate say, and the time that decisions take, where that was measured."""
    estimator, slow = result.config.rating.estimator, None if speed is None else speed.problem
    usd = sum(each.cost_usd or 0.0 for each in result.usage) if result.usage else None
    reasons = [*found.reasons, *([] if slow is None else [slow])]
    verdict = "worse" if reasons else found.verdict
    sentence = _sentence(found, verdict, reasons, usd)
    spent = "" if usd is None else f" and ${usd:,.2f}"
    timed = {} if speed is None else {"speed": {"newMs": 1000 * speed.new, "oldMs": 1000 * speed.old}}
    rows = [
        [
            each.opponent,
            f"{each.seed_pairs:,}",
            *map(signed_bb, (each.old, each.new, each.change)),
            unsigned_bb(each.half_width),
        ]
        for each in found.against
    ]
    return Findings(
        command="gate",
        verdict=verdict,
        sentence=sentence,
        headings=("opponent", "seed pairs", "old", "new", "change", "±"),
        rows=[*rows, ["mean", "", "", "", signed_bb(found.change), unsigned_bb(found.half_width)]],
        foot=f"{found.hands:,} hands{spent}, both versions on the same decks; in bb/100 (estimator {estimator}). "
        "± holds at 95% however often one looks: for the mean, and for all opponents together.",
        tests=_tests(found, verdict, sentence, speed),
        warnings=result.warnings,
        content={
            **found.plain(),
            "verdict": verdict,
            "reasons": reasons,
            "sentence": sentence,
            "stopReason": result.stop_reason,
            "estimator": estimator,
            "costUsd": usd,
            **timed,
            "warnings": list(result.warnings),
        },
        status=STATUSES.get(verdict, 0),
    )


def _sentence(found: GateFinding, verdict: str, reasons: list[str], usd: float | None) -> str:
    """Return the verdict, the change, and what a verdict would take where there is none."""
    margin = f"{bb(found.margin)} bb/100"
    said = {
        "not worse": f"The new version is not worse by more than {margin}",
        "worse": f"The new version is worse: {'; '.join(reasons)}",
        "open": f"It is not known whether the new version is worse by more than {margin}",
    }[verdict]
    if isfinite(found.half_width):
        said += f". The change is {signed_bb(found.change)} ± {unsigned_bb(found.half_width)} bb/100"
    if verdict != "open":
        return f"{said}."
    if not isfinite(found.more_play):
        return f"{said}. The change is too close to the margin for any number of hands."
    hands = ceil(found.more_play * found.hands / 1000) * 1000
    dollars = "" if usd is None else f" and ${found.more_play * usd:,.2f}"
    return f"{said}. An answer takes about {hands:,} hands{dollars} in all, if the change stays as it is."


def _tests(found: GateFinding, verdict: str, sentence: str, speed: Speed | None) -> list[Case]:
    """Return the mean, every opponent, faults and speed as tests of their own."""
    mean, to = lost(found.margin), {each.opponent: lost(found.margin, to=each.opponent) for each in found.against}
    failed = {
        "mean": mean if mean in found.reasons else None,
        **{f"against {name}": reason if reason in found.reasons else None for name, reason in to.items()},
        "faults": "; ".join(found.fault_reasons),
    }
    if speed is not None:
        failed["speed"] = speed.problem
    rest: Literal["skipped", "passed"] = "skipped" if verdict == "open" else "passed"
    return [Case(name, "failure" if why else rest, why or sentence) for name, why in failed.items()]


def _duration(seconds: float) -> str:
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{1000 * seconds:{'.0f' if seconds >= 0.01 else '.2g'}} ms"
