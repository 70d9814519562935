"""A comparison in the formats of others, whatever the participants are called."""

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from molt_bench.study.change import Change
from molt_bench.study.comparison import Comparison, Difference, Measured
from molt_bench.study.comparison_formats import Outcome, junit, markdown, plain
from molt_bench.visible_text import on_one_line

HOSTILE = [
    "plain-bot",
    "a|b\\|c",
    "<script>alert(1)</script>",
    "::error file=x::owned",
    "x\n::set-output name=a::b",
    "]]>&amp;\"'</testcase>",
    "@someone closes #1",
    "`code` **bold** _it_ ~~no~~ [a](http://b)",
    "www.example.com",
    "\x1b[31mred\u202e\x00\ufffe",
    "100%0A, a: b, c",
    "é 中 🂡",
]
WHEN = datetime(2026, 1, 31, 12, 0, 5, tzinfo=UTC)


def difference(name, verdict, mean=-257.0):
    """Return a difference with this verdict, from so many seed pairs that nothing is left to be careful about."""
    mean, error = {"worse": (mean, 2.5), "better": (257, 2.5), "within": (0, 2.5), "unknown": (-255, 172)}[verdict]
    change = Change(mean, error, 1e9, 0.0, 1e9)
    return Difference(name, name, Measured(True, (24,), 0.0, mean, change, {"tight": change}))


def outcome(*differences, failures=(), warnings=()):
    return Outcome(
        old="old/run",
        new="new/run",
        found=Comparison("adjusted", differences, warnings),
        confidence=0.95,
        within=250.0,
        failures=dict.fromkeys(failures, "it is 95% certain that it lost more than 10 bb/100"),
    )


def hostile():
    verdicts = ("worse", "better", "within", "unknown")
    found = [difference(name, verdicts[at % 4]) for at, name in enumerate(HOSTILE)]
    return outcome(*found, failures=HOSTILE[:2], warnings=tuple(f"{name} has changed" for name in HOSTILE))


def text_of(token):
    """Return what a reader of Markdown sees."""
    return "".join(each.content for each in token.children if each.type in ("text", "code_inline"))


def test_markdown_is_one_table_in_which_every_name_is_itself():
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(markdown(hostile()))
    rows, cells = [], []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            cells = []
            rows.append(cells)
        elif token.type in ("td_open", "th_open"):
            cells.append(tokens[at + 1])
    assert [len(row) for row in rows] == [8] * (1 + len(HOSTILE))
    assert [text_of(row[0]) for row in rows[1:]] == [on_one_line(name) for name in HOSTILE]
    tags = {each.content for row in rows[1:] for each in row[0].children if each.type == "html_inline"}
    assert tags == {"<code>", "</code>"}
    assert {each.type for row in rows for cell in row for each in cell.children} <= {
        "text",
        "html_inline",
        "text_special",
    }


def test_markdown_says_the_verdict_first_and_the_warnings_last():
    lines = markdown(outcome(difference("bot", "worse"), failures=["bot"], warnings=("no. 1",))).splitlines()
    assert lines[0] == "### molt-bench: worse"
    assert "| <code>bot</code> | 1 | 24 | 0.0 | -25.7 | -25.7 | 0.5 | worse |" in lines
    assert lines[-2:] == [
        "- <code>bot</code>: it is 95&#37; certain that it lost more than 10 bb&#47;100",
        "- no&#46; 1",
    ]


def test_junit_has_what_the_schemas_of_ant_and_jenkins_require():
    """Which elements, in which order, with which attributes; the counts agree."""
    text = junit(hostile(), WHEN)
    assert text.isascii()
    root = ElementTree.fromstring(text)
    assert (root.tag, root.attrib, [each.tag for each in root]) == ("testsuites", {}, ["testsuite"])
    suite = root[0]
    cases = suite.findall("testcase")
    assert [each.tag for each in suite] == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    required = {"name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id", "skipped"}
    assert suite.attrib.keys() == required
    assert [each.attrib["name"] for each in cases] == [on_one_line(name) for name in HOSTILE]
    assert all(each.attrib.keys() == {"name", "classname", "time"} for each in cases)
    assert all([part.tag for part in each] in ([], ["failure"], ["skipped"]) for each in cases)
    assert all(part.attrib.keys() == {"message", "type"} for each in cases for part in each)
    counts = [len(cases), len(suite.findall("*/failure")), 0, len(suite.findall("*/skipped"))]
    assert [int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")] == counts
    assert counts[1:] == [2, 0, 3]


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        (["better", "worse", "unknown"], "worse"),
        (["better", "unknown"], "unknown"),
        (["within", "better"], "better"),
        (["within", "within"], "within"),
    ],
)
def test_the_gravest_verdict_is_that_of_all(verdicts, together):
    found = outcome(*[difference(str(at), verdict) for at, verdict in enumerate(verdicts)])
    assert found.found.verdict == together
    assert plain(found)["verdict"] == together


def test_the_foot_states_the_multiple_of_one_look():
    foot = outcome(difference("bot", "worse")).foot()
    assert foot.endswith("± is 2.0 standard errors, for one look at the runs.")
