"""What a gate or a comparison of two runs found, in one shape; and that in Markdown for a comment, and in JUnit.

Names are the user's own and may hold anything. Every form shows them on one line, with whatever means something to the
form escaped.
"""

from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import msgspec

from molt_bench.records import MBB_PER_BB100
from molt_bench.visible_text import on_one_line

#: Exit statuses: a version is worse, and it is not known.
WORSE: Final = 4
OPEN: Final = 6

#: What came of a test.
Came: TypeAlias = Literal["passed", "failure", "error", "skipped"]


class Case(NamedTuple):
    """One thing that was tested, what came of it, and that in words."""

    name: str
    came: Came
    said: str


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, to be shown in any form.

    Attributes:
        command: Who found it: `gate` or `compare`.
        verdict: The verdict on everything together.
        sentence: The same as a sentence; "" where the table says it.
        headings: Of the columns of the table; the first one is of names.
        rows: Its cells.
        words: The headings of columns of words; all others but the first are of numbers.
        spare: The headings of columns that may be left out where there is no room, the least important first.
        foot: What the numbers are.
        tests: What is a test of its own where tests are counted.
        warnings: What is good to know.
        content: Everything as JSON values.
        status: The exit status.
    """

    command: str
    verdict: str
    sentence: str = ""
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    words: Sequence[str] = ()
    spare: Sequence[str] = ()
    foot: str = ""
    tests: Sequence[Case] = ()
    warnings: Sequence[str] = ()
    content: dict[str, Any] = {}
    status: int = 0


def markdown(found: Findings) -> str:
    """Return a heading, the verdict, the table and what is good to know, for a comment on a pull request."""
    rules = ["---" if heading in found.words else "---:" for heading in found.headings[1:]]
    table = [found.headings, ["---", *rules], *[[code(name), *cells] for name, *cells in found.rows]]
    failed = [each for each in found.tests if each.came == "failure"]
    said = [entities(found.sentence), ""] if found.sentence else []
    notes = [] if said else [f"- {code(each.name)}: {entities(each.said)}" for each in failed]
    notes += [f"- {entities(warning)}" for warning in found.warnings]
    heading = f"### molt-bench {found.command}: {found.verdict}"
    return (
        "\n".join([heading, "", *said, *[f"| {' | '.join(row)} |" for row in table], "", found.foot, "", *notes]) + "\n"
    )


def code(name: str) -> str:
    """Return a name that Markdown shows as it is; within `<code>`, GitHub notifies no one and links nothing."""
    return f"<code>{entities(name)}</code>"


def entities(text: str) -> str:
    """Return text in which nothing but letters, digits, spaces and hyphens stands for itself."""
    return "".join([char if char.isalnum() or char in " -" else f"&#{ord(char)};" for char in on_one_line(text)])


def junit(found: Findings, when: datetime) -> str:
    """Return a test suite with what the schemas of Ant and Jenkins require, in ASCII, so that any stream takes it."""
    suites = Element("testsuites")
    came = [each.came for each in found.tests]
    suite = SubElement(
        suites,
        "testsuite",
        {"name": found.command, "package": "molt-bench", "id": "0", "hostname": "localhost", "time": "0"},
        timestamp=f"{when:%Y-%m-%dT%H:%M:%S}",
        tests=str(len(came)),
        failures=str(came.count("failure")),
        errors=str(came.count("error")),
        skipped=str(came.count("skipped")),
    )
    properties = SubElement(suite, "properties")
    for name, value in found.content.items():
        if isinstance(value, str):
            SubElement(properties, "property", {"name": name, "value": on_one_line(value)})
    for each in found.tests:
        name = on_one_line(each.name)
        case = SubElement(suite, "testcase", classname=f"molt-bench.{found.command}", name=name, time="0")
        if each.came != "passed":
            SubElement(case, each.came, {"message": on_one_line(each.said), "type": found.verdict})
    rows = ["  ".join(map(on_one_line, row)) for row in (found.headings, *found.rows)]
    SubElement(suite, "system-out").text = "\n".join([on_one_line(found.sentence), *rows, found.foot])
    SubElement(suite, "system-err").text = "\n".join(map(on_one_line, found.warnings))
    indent(suites)
    text: bytes = tostring(suites, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


def signed_bb(mbb: float) -> str:
    """Format thousandths of a big blind per hand as big blinds per 100 hands; what rounds to zero has no sign."""
    text = f"{mbb / MBB_PER_BB100:+,.1f}"
    return text if text.strip("+-") != "0.0" else "0.0"


def unsigned_bb(mbb: float) -> str:
    """Format a width as big blinds per 100 hands; `-` where nothing is known."""
    return signed_bb(mbb).lstrip("+") if isfinite(mbb) else "-"
