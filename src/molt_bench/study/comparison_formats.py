"""A comparison in the formats of others: Markdown for a comment, JUnit, JSON.

Ids are the user's own and may hold anything. Every format shows them on one line, with whatever means something to the
format escaped.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec

from molt_bench.records import MBB_PER_BB100, bb_per_100
from molt_bench.study.change import Change
from molt_bench.study.comparison import Comparison, Difference
from molt_bench.visible_text import on_one_line

#: Column headings of the table; `confidence` is filled in.
HEADINGS: Final = ("agent", "opponents", "seed pairs", "old", "new", "change", "±{confidence}", "verdict")
_UNIT: Final = "bb/100"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison of two runs and what it means for a gate: why participants fail, by the name of their difference."""

    old: str
    new: str
    found: Comparison
    confidence: float
    within: float
    failures: Mapping[str, str]

    def headings(self) -> list[str]:
        """Return the headings of the table."""
        return [each.format(confidence=f"{100 * self.confidence:.4g}%") for each in HEADINGS]

    def cells(self, each: Difference) -> list[str]:
        """Return a row of the table, without the agent."""
        measured, half = each.measured, each.change.half_width(self.confidence)
        won = [signed_bb(mbb) for mbb in (measured.old, measured.new, each.change.mean)]
        return [str(len(measured.by_opponent)), _counts(each), *won, signed_bb(half).lstrip("+"), self.said(each)]

    def said(self, each: Difference) -> str:
        """Return a verdict in words."""
        return f"within {self.within / MBB_PER_BB100:g}" if each.verdict == "within" else each.verdict

    def sentence(self, each: Difference) -> str:
        """Return a difference as one line."""
        _, pairs, _, _, change, half, said = self.cells(each)
        line = f"{on_one_line(each.name)}: {said}, {change} ± {half} {_UNIT}, {pairs} seed pairs"
        return f"{line}; {self.failures[each.name]}" if each.name in self.failures else line

    def foot(self) -> str:
        """Return what the numbers are."""
        multiples = [each.change.multiple(self.confidence) for each in self.found.differences]
        wide = " to ".join(dict.fromkeys(f"{each:.1f}" for each in (min(multiples), max(multiples))))
        return (
            f"{self.found.cards}; in {_UNIT} (estimator {self.found.estimator}). "
            f"± is {wide} standard errors, for one look at the runs."
        )


def signed_bb(mbb: float) -> str:
    """Format thousandths of a big blind per hand as big blinds per 100 hands; what rounds to zero has no sign."""
    text = f"{mbb / MBB_PER_BB100:+,.1f}"
    return text if text.strip("+-") != "0.0" else "0.0"


def _counts(each: Difference) -> str:
    return " / ".join(f"{count:,}" for count in each.measured.seed_pairs)


def markdown(outcome: Outcome) -> str:
    """Return a heading, the table and what is good to know, for a comment on a pull request."""
    rows = [[code(each.name), *outcome.cells(each)] for each in outcome.found.differences]
    table = [outcome.headings(), ["---", *["---:"] * (len(HEADINGS) - 2), "---"], *rows]
    lines = [f"### molt-bench: {outcome.found.verdict}", "", *[f"| {' | '.join(row)} |" for row in table], ""]
    lines += [outcome.foot(), ""]
    lines += [f"- {code(name)}: {entities(reason)}" for name, reason in outcome.failures.items()]
    lines += [f"- {entities(warning)}" for warning in outcome.found.warnings]
    return "\n".join(lines).rstrip() + "\n"


def code(name: str) -> str:
    """Return a name that Markdown shows as it is; within `<code>`, GitHub notifies nobody and links nothing."""
    return f"<code>{entities(name)}</code>"


def entities(text: str) -> str:
    """Return text in which nothing but letters, digits, spaces and hyphens stands for itself."""
    return "".join([char if char.isalnum() or char in " -" else f"&#{ord(char)};" for char in on_one_line(text)])


def junit(outcome: Outcome, when: datetime) -> str:
    """Return a test suite in which every difference is a test: failed by the gate, skipped if unknown, else passed."""
    found = outcome.found
    stated = {"old": outcome.old, "new": outcome.new, "verdict": found.verdict, "estimator": found.estimator}
    cases = []
    for each in found.differences:
        said = {"message": outcome.sentence(each), "type": each.verdict}
        kind = "failure" if each.name in outcome.failures else "skipped" if each.verdict == "unknown" else None
        cases.append((each.name, kind, said))
    lines = [*map(outcome.sentence, found.differences), outcome.foot()]
    return junit_suite("compare", when, cases, stated, "\n".join(lines), "\n".join(map(on_one_line, found.warnings)))


def junit_error(problem: str, when: datetime) -> str:
    """Return a test suite whose one test has an error: there was nothing to compare."""
    said = {"message": on_one_line(problem), "type": "not compared"}
    return junit_suite("compare", when, [("compare", "error", said)], {}, "", on_one_line(problem))


def junit_suite(
    name: str,
    when: datetime,
    cases: Sequence[tuple[str, str | None, dict[str, str]]],
    stated: dict[str, str],
    out: str,
    err: str,
) -> str:
    """Return a suite with what the schemas of Ant and of Jenkins require, in ASCII, so that any stream can carry it."""
    suites = Element("testsuites")
    kinds = [kind for _, kind, _ in cases]
    counts = {"tests": len(cases), "failures": kinds.count("failure"), "errors": kinds.count("error")}
    suite = SubElement(
        suites,
        "testsuite",
        {"name": name, "package": "molt-bench", "id": "0", "hostname": "localhost", "time": "0"},
        timestamp=f"{when:%Y-%m-%dT%H:%M:%S}",
        skipped=str(kinds.count("skipped")),
        **{name: str(count) for name, count in counts.items()},
    )
    properties = SubElement(suite, "properties")
    for field, value in stated.items():
        SubElement(properties, "property", {"name": field, "value": on_one_line(value)})
    for case_name, kind, said in cases:
        case = SubElement(suite, "testcase", classname=f"molt-bench.{name}", name=on_one_line(case_name), time="0")
        if kind is not None:
            SubElement(case, kind, said)
    SubElement(suite, "system-out").text = out
    SubElement(suite, "system-err").text = err
    indent(suites)
    text: bytes = tostring(suites, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


def plain(outcome: Outcome) -> dict[str, Any]:
    """Return the comparison as JSON values."""
    found = outcome.found
    return {
        "old": outcome.old,
        "new": outcome.new,
        "estimator": found.estimator,
        "confidence": outcome.confidence,
        "withinBbPer100": bb_per_100(outcome.within),
        "verdict": found.verdict,
        "agents": [_plain_difference(each) for each in found.differences],
        "failed": [each.new_id for each in found.differences if each.name in outcome.failures],
        "warnings": list(found.warnings),
    }


def _plain_difference(each: Difference) -> dict[str, Any]:
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
        "decidedByFaults": each.faults > 0,
        "verdict": each.verdict,
    }


def _plain_change(change: Change, confidence: float) -> dict[str, float]:
    low, high = change.interval(confidence)
    return {"changeBbPer100": bb_per_100(change.mean), "lowBbPer100": bb_per_100(low), "highBbPer100": bb_per_100(high)}
