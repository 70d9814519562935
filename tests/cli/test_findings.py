"""What gates and comparisons found, in words, Markdown, JUnit and JSON, whatever the participants are called."""

from math import inf
from xml.etree import ElementTree

import msgspec
import pytest
from markdown_it import MarkdownIt

from molt_bench.bench.endings import INTERRUPTED
from molt_bench.bench.gate import AgainstOne, GateFinding
from molt_bench.bench.result import AgentUsage, RunResult
from molt_bench.cli.findings_output import junit, markdown
from molt_bench.config.loader import load_config
from molt_bench.study.change import Change, Judged
from molt_bench.study.comparison import Comparison, Difference
from molt_bench.study.comparison_findings import comparison_findings
from molt_bench.study.gate import Speed, gate_findings
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
LOST = ("it surely lost more than 50 bb/100 to tag",)
FAULTY = ("it made faults in 90.0% of its hands, and the old version in 0.0%",)
INTERVALS = {"worse": (-262, -252), "better": (252, 262), "not worse": (-5, 5), "open": (-600, 90)}


def known(low, high):
    """Return a change with this interval, from so many seed pairs that nothing is left to be careful about."""
    unit = Change(0.0, 1.0, 1e9, 0.0, 100_000.0)
    return msgspec.structs.replace(unit, mean=(low + high) / 2, error=(high - low) / 2 / unit.half_width())


def changed(verdict, name):
    found = known(*INTERVALS[verdict])
    reasons = LOST if verdict == "worse" else ()
    judged = Judged(verdict, reasons)
    return Difference(name, name, True, (24,), 0.0, found.mean, found, {"tight": found}, judged)


def compared(*verdicts, names=None, margin=None, warnings=()):
    """Return the findings of a comparison with these verdicts."""
    names = names or [f"bot{at}" for at in range(len(verdicts))]
    found = [changed(verdict, name) for name, verdict in zip(names, verdicts, strict=True)]
    return comparison_findings(Comparison("adjusted", 0.95, margin, tuple(found), warnings), "old/run", "new/run")


def against(*names):
    return tuple(AgainstOne(name, 40, 100.0, 90.0, -10.0, 300.0) for name in names)


def gated(verdict="not worse", *, usd=None, speed=None, **fields):
    """Return the findings of a gate."""
    found = GateFinding(verdict, 500.0, -10.0, 200.0, against("tag"), (), (), 2800, 1.0)
    usage = () if usd is None else (AgentUsage("new", "a:model", cost_usd=usd),)
    result = RunResult(load_config({"participants": ["tag", "tight"]}), (), (), (), INTERRUPTED, (), usage=usage)
    return gate_findings(result, msgspec.structs.replace(found, **fields), speed)


def hostile_comparison():
    verdicts = [(*INTERVALS,)[at % len(INTERVALS)] for at in range(len(HOSTILE))]
    return compared(*verdicts, names=HOSTILE, margin=250.0, warnings=tuple(f"{name} has changed" for name in HOSTILE))


EVERY = [
    hostile_comparison(),
    gated(against=against(*HOSTILE)),
    gated("worse", reasons=LOST),
    gated("open", speed=Speed(1, 1, 0)),
]


@pytest.mark.parametrize(
    ("found", "status", "said"),
    [
        (gated(), 0, "The new version is not worse by more than 50 bb/100. The change is -1.0 ± 20.0 bb/100."),
        (gated("worse", reasons=LOST), 4, "The new version is worse: it surely lost more than 50 bb/100 to tag. The"),
        (
            gated("worse", reasons=FAULTY, fault_reasons=FAULTY, half_width=inf),
            4,
            "in 90.0% of its hands, and the old version in 0.0%.",
        ),
        (gated("open", more_play=3.0), 6, "An answer takes about 9,000 hands in all, if the change stays as it is."),
        (gated("open", more_play=3.0, usd=2.0), 6, "about 9,000 hands and $6.00 in all"),
        (gated("open", more_play=inf), 6, "too close to the margin for any number of hands."),
        (gated(speed=Speed(0.12, 0.015, 3.0)), 4, "a decision takes 120 ms, and took the old version 15 ms"),
    ],
)
def test_the_sentence_and_the_status_of_a_gate_say_the_same(found, status, said):
    assert found.status == status
    assert said in found.sentence


@pytest.mark.parametrize(
    ("new", "old", "status"), [(0.1, 0.01, 4), (0.02, 0.01, 0), (0.0009, 0.0001, 0), (1.0, 2.0, 0)]
)
def test_a_decision_that_takes_several_times_as_long_is_worse_if_anyone_can_feel_it(new, old, status):
    assert gated(speed=Speed(new, old, slower=3.0)).status == status
    assert gated(speed=Speed(new, old, slower=0.0)).status == 0


@pytest.mark.parametrize(
    ("found", "failed", "skipped"),
    [
        (gated(), [], 0),
        (gated("worse", reasons=LOST), ["against tag"], 0),
        (gated("worse", reasons=FAULTY, fault_reasons=FAULTY), ["faults"], 0),
        (gated("worse", reasons=("it surely lost more than 50 bb/100",)), ["mean"], 0),
        (gated(speed=Speed(1.0, 0.1, 3.0)), ["speed"], 0),
        (gated("open"), [], 3),
        (compared("worse", "better", "open", margin=250), ["bot0"], 1),
    ],
)
def test_a_junit_suite_has_a_test_for_each_way_to_be_worse(found, failed, skipped):
    suite = ElementTree.fromstring(junit(found)).find("testsuite")
    assert [case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None] == failed
    assert len(suite.findall("testcase/skipped")) == skipped


@pytest.mark.parametrize("found", EVERY)
def test_junit_has_every_name_on_one_line_and_counts_that_agree(found):
    text = junit(found)
    assert text.isascii()
    suite = ElementTree.fromstring(text).find("testsuite")
    cases = suite.findall("testcase")
    assert [each.attrib["name"] for each in cases] == [on_one_line(each.name) for each in found.tests]
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
    assert lines[-2:] == ["- <code>bot0</code>: it surely lost more than 50 bb&#47;100 to tag", "- no&#46; 1"]
    assert markdown(gated()).startswith("### molt-bench gate: not worse\n")


@pytest.mark.parametrize(
    ("verdicts", "together", "status"),
    [
        (["better", "worse", "open"], "worse", 4),
        (["better", "open"], "open", 6),
        (["not worse", "better"], "better", 0),
        (["not worse", "not worse"], "not worse", 0),
    ],
)
def test_the_gravest_verdict_is_that_of_all_and_gives_the_status_where_there_is_a_margin(verdicts, together, status):
    found = compared(*verdicts, margin=500.0)
    assert found.verdict == found.content["verdict"] == together
    assert found.status == status
    assert compared(*verdicts).status == 0


def test_the_foot_states_the_multiple_of_one_look():
    assert compared("worse").foot.endswith("± is 2.0 standard errors, for one look at the runs.")


def test_json_has_nulls_where_nothing_is_known():
    found = gated("open", half_width=inf, more_play=inf).content
    assert (found["changeBbPer100"], found["bbPer100HalfWidth"], found["morePlay"]) == (None, None, None)
    assert found["verdict"] == "open"
