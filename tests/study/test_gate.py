"""The gate: which changes fail it, and by which exit status."""

import msgspec
import pytest

from molt_bench.study.change import Change
from molt_bench.study.comparison import Difference, Measured
from molt_bench.study.gate import Gate

LEVEL = 0.95


def known(low, high, *, seed_pairs=100_000.0):
    """Return a change with this interval, from so many seed pairs that nothing is left to be careful about."""
    unit = Change(0.0, 1.0, 1e9, 0.0, seed_pairs)
    return msgspec.structs.replace(unit, mean=(low + high) / 2, error=(high - low) / 2 / unit.half_width(LEVEL))


def change(low, high, *, faults=0.0, **by_opponent):
    found = known(low, high)
    parts = {name: known(*each) for name, each in by_opponent.items()} or {"tight": found}
    return Difference("bot", "bot", Measured(True, (24,), 0.0, found.mean, found, parts), LEVEL, 250.0, faults)


@pytest.mark.parametrize(
    ("gate", "found", "status"),
    [
        (Gate(), change(-900, -800), None),
        (Gate(exit_code=True), change(-900, -800), 1),
        (Gate(exit_code=True), change(-900, 800), 4),
        (Gate(exit_code=True), change(800, 900), None),
        (Gate(fail_below=100.0), change(-110, -101), 1),
        (Gate(fail_below=100.0), change(-110, -90), None),
        (Gate(fail_below=100.0), change(-900, 800), 6),
        (Gate(fail_below=100.0), change(-99, 800), None),
        (Gate(fail_below=100.0, strict=True), change(-101, 800), 1),
        (Gate(fail_below=100.0, strict=True), change(-99, 800), None),
    ],
)
def test_a_change_fails_the_gate_by_what_was_asked_for(gate, found, status):
    failure = gate.failure(found)
    assert (failure and failure.status) == status


def test_whoever_cannot_tell_says_how_many_seed_pairs_it_would_take():
    failure = Gate(fail_below=100.0).failure(change(-900, 800))
    assert failure.reason.startswith("cannot tell: 24 seed pairs are too few to notice a loss of 20 bb/100; that takes")


def test_an_opponent_who_alone_made_it_lose_is_named():
    found = change(-300, 100, tight=(90, 110), maniac=(-310, -290))
    reason = "it is 95% certain that it lost more than 10 bb/100 to maniac"
    assert Gate(fail_below=100.0).failure(found).reason == reason


@pytest.mark.parametrize("gate", [Gate(fail_below=500.0), Gate(fail_below=500.0, strict=True), Gate(exit_code=True)])
@pytest.mark.parametrize("interval", [(-20, 20), (800, 900)])
def test_whoever_hardly_answers_passes_no_gate_however_much_it_wins(gate, interval):
    failure = gate.failure(change(*interval, faults=0.96))
    assert (failure.status, failure.reason) == (1, "it gave no usable answer in 96% of its hands")
    assert change(*interval, faults=0.96).verdict == "unknown"
