"""What gates and comparisons found, in words, Markdown, JUnit and JSON, whatever the participants are called."""

import re
from datetime import UTC, datetime
from math import inf
from xml.etree import ElementTree

import msgspec
import pytest
from markdown_it import MarkdownIt

from molt_bench.bench.gate import AgainstOne, GateFinding
from molt_bench.study.change import Change
from molt_bench.study.comparison import Comparison, Difference, Measured
from molt_bench.study.comparison_findings import comparison_findings
from molt_bench.study.findings import junit, markdown
from molt_bench.study.gate import Speed, findings_of
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
LOST = ("it surely lost more than 50 bb/100 to tag",)
FAULTY = ("it made faults in 90.0% of its hands, and the old version in 0.0%",)


def known(low, high):
    """Return a change with this interval, from so many seed pairs that nothing is left to be careful about."""
    unit = Change(0.0, 1.0, 1e9, 0.0, 100_000.0)
    return msgspec.structs.replace(unit, mean=(low + high) / 2, error=(high - low) / 2 / unit.half_width())


def changed(low, high, name="bot", faulty=None, **by_opponent):
    found = known(low, high)
    parts = {name: known(*each) for name, each in by_opponent.items()} or {"tight": found}
    return Difference(name, name, Measured(True, (24,), 0.0, found.mean, found, parts), faulty=faulty)


INTERVALS = {"worse": (-262, -252), "better": (252, 262), "within": (-5, 5), "unknown": (-600, 90)}


def compared(*verdicts, names=None, margin=None, warnings=()):
    """Return the findings of a comparison with these verdicts."""
    names = names or [f"bot{at}" for at in range(len(verdicts))]
    found = [changed(*INTERVALS[verdict], name) for name, verdict in zip(names, verdicts, strict=True)]
    return comparison_findings(Comparison("adjusted", tuple(found), warnings), "old/run", "new/run", margin)


def gated(verdict="kept", *, reasons=(), faulty=(), names=("tag",), more=1.0, half=200.0, **about):
    """Return the findings of a gate."""
    against = tuple(AgainstOne(name, 40, 100.0, 90.0, -10.0, 300.0) for name in names)
    found = GateFinding(verdict, 500.0, -10.0, half, against, (*reasons, *faulty), faulty, 0.0, 0.0, 2800, more)
    return findings_of(found, "the budget of 2,800 hands is spent", "adjusted", **about)


def hostile_comparison():
    verdicts = [("worse", "better", "within", "unknown")[at % 4] for at in range(len(HOSTILE))]
    return compared(*verdicts, names=HOSTILE, margin=250.0, warnings=tuple(f"{name} has changed" for name in HOSTILE))


EVERY = [hostile_comparison(), gated(names=HOSTILE), gated("worse", reasons=LOST), gated("open", speed=Speed(1, 1, 0))]


@pytest.mark.parametrize(
    ("found", "status", "said"),
    [
        (gated(), 0, "The new version is not worse by more than 50 bb/100. The change is -1.0 ± 20.0 bb/100."),
        (gated("worse", reasons=LOST), 4, "The new version is worse: it surely lost more than 50 bb/100 to tag. The"),
        (gated("worse", faulty=FAULTY, half=inf), 4, "in 90.0% of its hands, and the old version in 0.0%."),
        (gated("open", more=3.0), 6, "An answer takes about 9,000 hands in all, if the change stays as it is."),
        (gated("open", more=3.0, usd=2.0), 6, "about 9,000 hands and $6.00 in all"),
        (gated("open", more=inf), 6, "too close to the margin for any number of hands."),
        (gated(speed=Speed(0.12, 0.015, 3.0)), 4, "a decision takes 120 ms, and took the old version 15 ms"),
    ],
)
def test_the_sentence_and_the_status_of_a_gate_say_the_same(found, status, said):
    assert found.status == status
    assert said in found.sentence


@pytest.mark.parametrize(
    ("new", "old", "status"), [(0.1, 0.01, 4), (0.02, 0.01, 0), (0.0009, 0.0001, 0), (1.0, 2.0, 0)]
)
def test_a_decision_that_takes_several_times_as_long_is_worse_if_anybody_can_feel_it(new, old, status):
    assert gated(speed=Speed(new, old, slower=3.0)).status == status
    assert gated(speed=Speed(new, old, slower=0.0)).status == 0


@pytest.mark.parametrize(
    ("found", "failed", "skipped"),
    [
        (gated(), [], 0),
        (gated("worse", reasons=LOST), ["against tag"], 0),
        (gated("worse", faulty=FAULTY), ["faults"], 0),
        (gated("worse", reasons=("it surely lost more than 50 bb/100",)), ["mean"], 0),
        (gated(speed=Speed(1.0, 0.1, 3.0)), ["speed"], 0),
        (gated("open"), [], 3),
        (compared("worse", "better", "unknown", margin=250), ["bot0", "bot2"], 0),
        (compared("worse", "better", "unknown"), [], 1),
    ],
)
def test_a_junit_suite_has_a_test_for_each_way_to_be_worse(found, failed, skipped):
    suite = ElementTree.fromstring(junit(found, WHEN)).find("testsuite")
    assert [case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None] == failed
    assert len(suite.findall("testcase/skipped")) == skipped


@pytest.mark.parametrize("found", EVERY)
def test_junit_has_what_the_schemas_of_ant_and_jenkins_require(found):
    """Which elements, in which order, with which attributes; the counts agree."""
    text = junit(found, WHEN)
    assert text.isascii()
    root = ElementTree.fromstring(text)
    assert (root.tag, root.attrib, [each.tag for each in root]) == ("testsuites", {}, ["testsuite"])
    suite = root[0]
    cases = suite.findall("testcase")
    assert [each.tag for each in suite] == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    required = {"name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id", "skipped"}
    assert suite.attrib.keys() == required
    assert [each.attrib["name"] for each in cases] == [on_one_line(each.name) for each in found.tests]
    assert all(each.attrib.keys() == {"name", "classname", "time"} for each in cases)
    assert all([part.tag for part in each] in ([], ["failure"], ["skipped"]) for each in cases)
    assert all(part.attrib.keys() == {"message", "type"} for each in cases for part in each)
    counts = [len(cases), len(suite.findall("*/failure")), 0, len(suite.findall("*/skipped"))]
    assert [int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")] == counts


def text_of(token):
    """Return what a reader of Markdown sees."""
    return "".join(each.content for each in token.children if each.type in ("text", "code_inline"))


@pytest.mark.parametrize("found", EVERY)
def test_markdown_is_one_table_in_which_every_name_is_itself(found):
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(markdown(found))
    rows, cells = [], []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            cells = []
            rows.append(cells)
        elif token.type in ("td_open", "th_open"):
            cells.append(tokens[at + 1])
    assert [len(row) for row in rows] == [len(found.headings)] * (1 + len(found.rows))
    assert [text_of(row[0]) for row in rows[1:]] == [on_one_line(name) for name, *_ in found.rows]
    tags = {each.content for row in rows[1:] for each in row[0].children if each.type == "html_inline"}
    assert tags == {"<code>", "</code>"}
    kinds = {each.type for row in rows for cell in row for each in cell.children}
    assert kinds <= {"text", "html_inline", "text_special"}


def test_markdown_says_the_verdict_first_and_the_warnings_last():
    lines = markdown(compared("worse", margin=100.0, warnings=("no. 1",))).splitlines()
    assert lines[0] == "### molt-bench compare: worse"
    assert "| <code>bot0</code> | 1 | 24 | 0.0 | -25.7 | -25.7 | 0.5 | worse |" in lines
    assert lines[-2:] == [
        "- <code>bot0</code>: it is 95&#37; certain that it lost more than 10 bb&#47;100",
        "- no&#46; 1",
    ]
    assert markdown(gated()).startswith("### molt-bench gate: not worse\n")


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
    assert compared(*verdicts).verdict == compared(*verdicts).content["verdict"] == together


def test_the_foot_states_the_multiple_of_one_look():
    assert compared("worse").foot.endswith("± is 2.0 standard errors, for one look at the runs.")


def test_json_has_nulls_where_nothing_is_known():
    found = gated("open", half=inf, more=inf).content
    assert (found["changeBbPer100"], found["bbPer100HalfWidth"], found["morePlay"]) == (None, None, None)
    assert found["verdict"] == "open"


@pytest.mark.parametrize(
    ("found", "answer", "said"),
    [
        (changed(-110, -101), "worse", "it is 95% certain that it lost more than 10 bb/100"),
        (changed(-110, -90), "open", "not 95% certain that it did not lose more than 10 bb/100, with 24 seed pairs"),
        (changed(-900, 800), "open", "with 24 seed pairs; to notice twice that takes about"),
        (changed(-99, -90), "kept", ""),
        (changed(-99, 800), "kept", ""),
        (changed(-300, 100, tight=(90, 110), maniac=(-310, -290)), "worse", "lost more than 10 bb/100 to maniac"),
        (changed(800, 900, faulty="gave no usable answer in 96% of its hands"), "worse", "it gave no usable answer in"),
    ],
)
def test_two_finished_runs_are_judged_by_the_same_margin_and_it_is_said_why_they_fail(found, answer, said):
    verdict, why = found.answer(100.0)
    assert verdict == answer
    assert said in why
    assert bool(why) == (answer != "kept")
