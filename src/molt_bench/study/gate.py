"""What a gate found, for people and for the programs of others: text, Markdown for a pull request, JUnit, JSON."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil, isfinite
from typing import Any, Final

import msgspec

from molt_bench.bench.endings import said_of
from molt_bench.bench.gate import GateFinding, bb, gate_finding
from molt_bench.bench.result import RunResult
from molt_bench.study.comparison_formats import code, entities, junit_suite, signed_bb
from molt_bench.visible_text import on_one_line

#: Exit statuses: the new version is worse, and it is not known.
WORSE: Final = 4
OPEN: Final = 6
#: Column headings of the table; all but the first are numbers.
HEADINGS: Final = ("opponent", "seed pairs", "old", "new", "change", "±")
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


class GateOutcome(msgspec.Struct, frozen=True):
    """What a gate found, and where.

    Attributes:
        finding: What its games say.
        stopped: Why it stopped, as a sentence.
        usd: Dollars spent; None if nobody costs anything.
        speed: How long decisions take; None where that was not measured.
        warnings: What is good to know.
    """

    finding: GateFinding
    stopped: str
    estimator: str
    usd: float | None = None
    speed: Speed | None = None
    warnings: tuple[str, ...] = ()

    @property
    def failures(self) -> list[str]:
        """Why the new version is worse."""
        slow = None if self.speed is None else self.speed.problem
        return [*self.finding.reasons, *([] if slow is None else [slow])]

    @property
    def verdict(self) -> str:
        """What is said of the new version: `kept`, `worse` or `open`."""
        return "worse" if self.failures else self.finding.verdict

    @property
    def status(self) -> int:
        """The exit status."""
        return {"kept": 0, "worse": WORSE}.get(self.verdict, OPEN)

    def sentence(self) -> str:
        """Return the verdict, the change, and what a verdict would take where there is none."""
        found = self.finding
        margin = f"{bb(found.margin)} bb/100"
        said = {
            "kept": f"The new version is not worse by more than {margin}",
            "worse": f"The new version is worse: {'; '.join(self.failures)}",
        }.get(self.verdict, f"It is not known whether the new version is worse by more than {margin}")
        if isfinite(found.half_width):
            said += f". The change is {signed_bb(found.change)} ± {unsigned_bb(found.half_width)} bb/100"
        return f"{said}. {self._takes()}".rstrip() if self.verdict == "open" else f"{said}."

    def _takes(self) -> str:
        more = self.finding.more_play
        if not isfinite(more):
            return "The change is too close to the margin for any number of hands."
        hands = ceil(more * self.finding.hands / 1000) * 1000
        usd = "" if self.usd is None else f" and ${more * self.usd:,.2f}"
        return f"An answer takes about {hands:,} hands{usd} in all, if the change stays as it is."

    def rows(self) -> list[list[str]]:
        """Return the rows of the table, one for each opponent, and the mean."""
        found = self.finding
        rows = [
            [
                on_one_line(each.opponent),
                f"{each.seed_pairs:,}",
                *map(signed_bb, (each.old, each.new, each.change)),
                unsigned_bb(each.half_width),
            ]
            for each in found.against
        ]
        return [*rows, ["mean", "", "", "", signed_bb(found.change), unsigned_bb(found.half_width)]]

    def foot(self) -> str:
        """Return what the numbers are."""
        usd = "" if self.usd is None else f" and ${self.usd:,.2f}"
        return (
            f"{self.finding.hands:,} hands{usd}, both versions on the same decks; in bb/100 (estimator "
            f"{self.estimator}). ± holds at 95% however often one looks: for the mean, and for all opponents together."
        )


def outcome_of(result: RunResult, speed: Speed | None = None) -> GateOutcome:
    """Return what a run found that is a gate."""
    usd = sum(each.cost_usd or 0.0 for each in result.usage) if result.usage else None
    found, estimator = gate_finding(result.config, result.matches), result.config.rating.estimator
    return GateOutcome(found, said_of(result.ending, {}), estimator, usd, speed, result.warnings)


def unsigned_bb(mbb: float) -> str:
    """Format a width as big blinds per 100 hands; `-` where nothing is known."""
    return signed_bb(mbb).lstrip("+") if isfinite(mbb) else "-"


def _duration(seconds: float) -> str:
    return (
        f"{seconds:,.1f} s"
        if seconds >= 1
        else f"{1000 * seconds:.2g} ms"
        if seconds < 0.01
        else f"{1000 * seconds:.0f} ms"
    )


def markdown(outcome: GateOutcome) -> str:
    """Return a heading, the verdict and the table, for a comment on a pull request."""
    heading = {"kept": "not worse", "worse": "worse"}.get(outcome.verdict, "not known")
    rules = ["---", *["---:"] * (len(HEADINGS) - 1)]
    *rows, mean = outcome.rows()
    shown = [[code(name), *cells] for name, *cells in rows]
    table = [f"| {' | '.join(row)} |" for row in (list(HEADINGS), rules, *shown, mean)]
    lines = [f"### molt-bench gate: {heading}", "", entities(outcome.sentence()), "", *table, "", outcome.foot(), ""]
    return "\n".join([*lines, *[f"- {entities(warning)}" for warning in outcome.warnings]]).rstrip() + "\n"


def junit(outcome: GateOutcome, when: datetime) -> str:
    """Return a test suite: the mean, every opponent, faults and speed are tests of their own."""
    found, kind = outcome.finding, "skipped" if outcome.verdict == "open" else None
    cases: list[tuple[str, str | None, dict[str, str]]] = []

    def add(name: str, reasons: Sequence[str]) -> None:
        said = {"message": "; ".join(reasons) or outcome.sentence(), "type": outcome.verdict}
        cases.append((name, "failure" if reasons else kind, said))

    lost = [reason for reason in found.reasons if reason not in found.fault_reasons]
    to = {each.opponent: [one for one in lost if one.endswith(f" to {each.opponent}")] for each in found.against}
    add("mean", [reason for reason in lost if not any(reason in each for each in to.values())])
    for opponent, reasons in to.items():
        add(f"against {opponent}", reasons)
    add("faults", found.fault_reasons)
    if outcome.speed is not None:
        add("speed", [outcome.speed.problem] if outcome.speed.problem else [])
    table = ["  ".join(row) for row in (HEADINGS, *outcome.rows())]
    stated = {"verdict": outcome.verdict, "estimator": outcome.estimator, "hands": str(found.hands)}
    out = "\n".join([outcome.sentence(), *table, outcome.foot()])
    return junit_suite("gate", when, cases, stated, out, "\n".join(map(on_one_line, outcome.warnings)))


def plain(outcome: GateOutcome) -> Mapping[str, Any]:
    """Return a gate as JSON values."""
    speed = outcome.speed
    timed = {} if speed is None else {"speed": {"newMs": 1000 * speed.new, "oldMs": 1000 * speed.old}}
    return {
        **outcome.finding.plain(),
        "verdict": outcome.verdict,
        "reasons": outcome.failures,
        "sentence": outcome.sentence(),
        "stopReason": outcome.stopped,
        "estimator": outcome.estimator,
        "costUsd": outcome.usd,
        **timed,
        "warnings": list(outcome.warnings),
    }
