"""A comparison in the formats of others: Markdown for a comment, JUnit, JSON.

Ids are the user's own and may hold anything. Every format shows them on one line, with whatever means something to the
format escaped.
"""

from collections.abc import Mapping
from datetime import datetime
from math import isfinite
from typing import Any, Final
from xml.etree import ElementTree

import msgspec

from molt_bench.rating.student import Estimate
from molt_bench.records import MBB_PER_BB100
from molt_bench.study.comparison import Comparison, Difference
from molt_bench.visible_text import on_one_line

#: Column headings of the table; `confidence` is filled in.
HEADINGS: Final = ("agent", "opponents", "seed pairs", "old", "new", "change", "±{confidence}", "verdict")
_UNIT: Final = "bb/100"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison and what it means for a gate.

    Attributes:
        within: Largest difference that does not matter.
        failures: Why participants fail, by the name of their difference.
    """

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
        return [
            str(len(each.opponents)),
            " / ".join(f"{count:,}" for count in each.seed_pairs),
            _bb(each.old),
            _bb(each.new),
            _bb(each.change.mean),
            self._half_width(each),
            self.said(each),
        ]

    def said(self, each: Difference) -> str:
        """Return a verdict in words."""
        return f"within {self.within / MBB_PER_BB100:g}" if each.verdict == "within" else each.verdict

    def sentence(self, each: Difference) -> str:
        """Return a difference as one line."""
        numbers = f"{_bb(each.change.mean)} ± {self._half_width(each)} {_UNIT}"
        pairs = " / ".join(f"{count:,}" for count in each.seed_pairs)
        line = f"{on_one_line(each.name)}: {self.said(each)}, {numbers}, {pairs} seed pairs"
        return f"{line}; {self.failures[each.name]}" if each.name in self.failures else line

    def foot(self) -> str:
        """Return what the numbers are."""
        return f"{self.found.cards}; in {_UNIT} (estimator {self.found.estimator})."

    def _half_width(self, each: Difference) -> str:
        half = each.change.half_width(self.confidence)
        return f"{half / MBB_PER_BB100:,.1f}" if isfinite(half) else "-"


def _bb(mbb: float) -> str:
    """Format thousandths of a big blind per hand as big blinds per 100 hands; what rounds to zero has no sign."""
    text = f"{mbb / MBB_PER_BB100:+,.1f}"
    return text if text.strip("+-") != "0.0" else "0.0"


def markdown(outcome: Outcome) -> str:
    """Return a heading, the table and what is good to know, for a comment on a pull request."""
    rows = [[_code(each.name), *outcome.cells(each)] for each in outcome.found.differences]
    table = [outcome.headings(), ["---", *["---:"] * (len(HEADINGS) - 2), "---"], *rows]
    lines = [f"### molt-bench: {outcome.found.verdict}", "", *[f"| {' | '.join(row)} |" for row in table], ""]
    lines += [outcome.foot(), ""]
    lines += [f"- {_code(name)}: {_entities(reason)}" for name, reason in outcome.failures.items()]
    lines += [f"- {_entities(warning)}" for warning in outcome.found.warnings]
    return "\n".join(lines).rstrip() + "\n"


def _code(name: str) -> str:
    """Return a name that Markdown shows as it is; within `<code>`, GitHub notifies nobody and links nothing."""
    return f"<code>{_entities(name)}</code>"


def _entities(text: str) -> str:
    """Return text in which nothing but letters, digits, spaces and hyphens stands for itself."""
    return "".join([char if char.isalnum() or char in " -" else f"&#{ord(char)};" for char in on_one_line(text)])


def junit(outcome: Outcome, when: datetime) -> str:
    """Return a test suite in which every difference is a test: failed by the gate, skipped if unknown, else passed.

    It has what the schemas of Ant and of Jenkins require, in ASCII, so that any stream can carry it.
    """
    found = outcome.found
    failed = [each.name in outcome.failures for each in found.differences]
    unknown = [each.verdict == "unknown" for each in found.differences]
    skipped = sum(unsure and not fails for unsure, fails in zip(unknown, failed, strict=True))
    suite = _suite(when, tests=len(found.differences), failures=sum(failed), skipped=skipped)
    properties = ElementTree.SubElement(suite, "properties")
    stated = {"old": outcome.old, "new": outcome.new, "verdict": found.verdict, "estimator": found.estimator}
    for name, value in stated.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": on_one_line(value)})
    for each in found.differences:
        _add_case(suite, outcome, each)
    lines = [*map(outcome.sentence, found.differences), outcome.foot()]
    ElementTree.SubElement(suite, "system-out").text = "\n".join(lines)
    ElementTree.SubElement(suite, "system-err").text = "\n".join(map(on_one_line, found.warnings))
    return _text_of(suite)


def junit_error(problem: str, when: datetime) -> str:
    """Return a test suite whose one test has an error: there was nothing to compare."""
    suite = _suite(when, tests=1, errors=1)
    ElementTree.SubElement(suite, "properties")
    case = ElementTree.SubElement(suite, "testcase", {"classname": _CLASS, "name": "compare", "time": "0"})
    ElementTree.SubElement(case, "error", {"message": on_one_line(problem), "type": "not compared"})
    ElementTree.SubElement(suite, "system-out")
    ElementTree.SubElement(suite, "system-err").text = on_one_line(problem)
    return _text_of(suite)


_CLASS: Final = "molt-bench.compare"


def _suite(when: datetime, *, tests: int, failures: int = 0, errors: int = 0, skipped: int = 0) -> ElementTree.Element:
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped}
    return ElementTree.Element(
        "testsuite",
        {
            "name": "compare",
            "package": "molt-bench",
            "id": "0",
            "hostname": "localhost",
            "timestamp": f"{when:%Y-%m-%dT%H:%M:%S}",
            "time": "0",
            **{name: str(count) for name, count in counts.items()},
        },
    )


def _text_of(suite: ElementTree.Element) -> str:
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


def _add_case(suite: ElementTree.Element, outcome: Outcome, each: Difference) -> None:
    name = on_one_line(each.name)
    case = ElementTree.SubElement(suite, "testcase", {"classname": _CLASS, "name": name, "time": "0"})
    said = {"message": outcome.sentence(each), "type": each.verdict}
    if each.name in outcome.failures:
        ElementTree.SubElement(case, "failure", said)
    elif each.verdict == "unknown":
        ElementTree.SubElement(case, "skipped", said)


def plain(outcome: Outcome) -> dict[str, Any]:
    """Return the comparison as JSON values."""
    found = outcome.found
    return {
        "old": outcome.old,
        "new": outcome.new,
        "estimator": found.estimator,
        "confidence": outcome.confidence,
        "withinMbb": outcome.within,
        "verdict": found.verdict,
        "agents": [_plain_difference(each, outcome.confidence) for each in found.differences],
        "failed": [each.new_id for each in found.differences if each.name in outcome.failures],
        "warnings": list(found.warnings),
    }


def _plain_difference(each: Difference, confidence: float) -> dict[str, Any]:
    return {
        "oldId": each.old_id,
        "newId": each.new_id,
        "opponents": list(each.opponents),
        "paired": each.paired,
        "seedPairs": list(each.seed_pairs),
        "oldMbb": each.old,
        "newMbb": each.new,
        **_plain_change(each.change, confidence),
        "byOpponent": {name: _plain_change(change, confidence) for name, change in each.by_opponent.items()},
        "verdict": each.verdict,
    }


def _plain_change(change: Estimate, confidence: float) -> dict[str, Any]:
    low, high = change.interval(confidence)
    return {
        "changeMbb": change.mean,
        "lowMbb": low if isfinite(low) else None,
        "highMbb": high if isfinite(high) else None,
    }
