"""The gate: which changes fail it, and by which exit status."""

import msgspec
import pytest

from molt_bench.rating.student import Estimate
from molt_bench.study.comparison import Difference
from molt_bench.study.gate import Gate


def change(low, high, *, verdict="unknown", deviation=2.5, opponents=("tight",)):
    known = Estimate((low + high) / 2, deviation, 30)
    return Difference(
        "bot",
        "bot",
        dict.fromkeys(opponents, "auto"),
        paired=True,
        seed_pairs=(24,),
        old=0.0,
        new=known.mean,
        change=known,
        by_opponent=dict.fromkeys(opponents, known),
        verdict=verdict,
        interval=(low, high),
        confidence=0.95,
    )


@pytest.mark.parametrize(
    ("gate", "found", "status"),
    [
        (Gate(), change(-900, -800, verdict="worse"), None),
        (Gate(exit_code=True), change(-900, -800, verdict="worse"), 1),
        (Gate(exit_code=True), change(-900, 800), 4),
        (Gate(exit_code=True), change(800, 900, verdict="better"), None),
        (Gate(fail_below=100.0), change(-110, -101), 1),
        (Gate(fail_below=100.0), change(-110, -90, deviation=5.0), None),
        (Gate(fail_below=100.0), change(-900, 800, deviation=400.0), 6),
        (Gate(fail_below=100.0), change(-99, 800, deviation=400.0), None),
        (Gate(fail_below=100.0, strict=True), change(-101, 800), 1),
        (Gate(fail_below=100.0, strict=True), change(-99, 800), None),
    ],
)
def test_a_change_fails_the_gate_by_what_was_asked_for(gate, found, status):
    failure = gate.failure(found)
    assert (failure and failure.status) == status


def test_whoever_cannot_tell_says_how_many_seed_pairs_it_would_take():
    failure = Gate(fail_below=100.0).failure(change(-900, 800, deviation=400.0))
    assert failure.reason.startswith("cannot tell: 24 seed pairs are too few to notice a loss of 20 bb/100; that takes")


def test_an_opponent_who_alone_made_it_lose_is_named():
    lost = Estimate(-300.0, 5.0, 30)
    found = change(-300, 100, opponents=("tight", "maniac"))
    found = msgspec.structs.replace(found, by_opponent={"tight": Estimate(100.0, 5.0, 30), "maniac": lost})
    assert (
        Gate(fail_below=100.0).failure(found).reason == "it is 95% certain that it lost more than 10 bb/100 to maniac"
    )
