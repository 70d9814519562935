"""Names, shares and confidences as they are printed."""

from io import StringIO

import pytest
from rich.console import Console
from tests.report.said import sentences

from molt_bench import run_benchmark
from molt_bench.bench.stop_rules import Progress, order_known
from molt_bench.config.stop import AdjacentConfidence, StopConfig
from molt_bench.report.analysis import Analysis, shown_names
from molt_bench.report.result_tables import print_result
from molt_bench.report.rows import Rows

HOSTILE = "red\x1b[31m\u202e\nname\x07"


@pytest.fixture(scope="module")
def found():
    names = {"one": HOSTILE, "two": "  ", "three": "same", "four": "same "}
    participants = [{"id": name, "type": "callstation", "displayName": text} for name, text in names.items()]
    config = {"seeds": {"perMatch": 1}, "game": {"handsPerGame": 4}, "scheduler": {"policy": "round_robin"}}
    stop = {"budget": {"maxMatches": 6}, "adjacentConfidence": {"threshold": 0.9999999}}
    return Analysis(run_benchmark({"participants": participants, **config, "stop": stop}))


def printed(found):
    out = StringIO()
    print_result(Rows(found.result), Console(file=out, width=200))
    return out.getvalue()


def test_no_control_character_of_a_name_reaches_the_terminal(found):
    said = printed(found)
    assert not {char for char in said if not char.isprintable() and char != "\n"}
    assert "red\\u001b[31m\\u202e\\u000a" in said


def test_every_agent_is_called_by_its_name_and_two_of_one_name_can_be_told_apart(found):
    assert found.shown == {
        "one": "red\\u001b[31m\\u202e\\u000aname\\u0007",
        "two": "two",
        "three": "same (three)",
        "four": "same (four)",
    }
    (open_pairs,) = [line for line in sentences(found) if "Open, so" in line]
    assert all(name in open_pairs for name in found.shown.values())


def test_no_confidence_is_rounded_to_certainty(found):
    assert any("(that takes 99.99999%)" in line for line in sentences(found))
    played = {"matches": 1, "games": 1, "hands": 1, "seconds": 1.0, "ranking": ("a", "b"), "confidences": (0.99999999,)}
    stop = StopConfig(adjacent_confidence=AdjacentConfidence(threshold=0.9999999, method="openskill"))
    said = str(order_known(stop, Progress(**played)))
    assert said == "with 99.99999% confidence every adjacent pair is ordered (least sure: a above b, >99%)"
    for threshold, begins in ((0.9999999, "with 99.99999% confidence"), (0.95, "with 95% confidence")):
        stop = StopConfig(adjacent_confidence=AdjacentConfidence(threshold=threshold))
        assert str(order_known(stop, Progress(**played))).startswith(begins)


def test_a_letter_that_is_drawn_as_nothing_is_no_name():
    assert shown_names({"a": "\u3164", "b": "\u2800"}) == {"a": "\\u3164", "b": "\\u2800"}
