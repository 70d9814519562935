"""The compiled kernels of ratings give what their twins in Python give, to the last bit."""

from math import inf, nan

import pytest

from molt_bench.kernels import compiled
from molt_bench.rating import margin, student
from molt_bench.seeds import derive

pytestmark = pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")


def test_students_distribution_is_the_same(monkeypatch):
    values = [
        ((derive("value", n) % 2001 - 1000) / 10 ** (derive("size", n) % 6), 1 + derive("free", n) % 10**6 / 7)
        for n in range(4000)
    ]
    student.student_cdf.cache_clear()
    ours = [student.student_cdf(*each) for each in values]
    monkeypatch.setattr(student, "compiled", None)
    student.student_cdf.cache_clear()
    assert ours == [student.student_cdf(*each) for each in values]


def leads(names):
    """Return the leads and results of a model in which everybody has met, but for the last two."""
    model = margin.MarginModel(names)
    for at, one in enumerate(names):
        for two in names[at + 1 :]:
            if (one, two) != tuple(names[-2:]):
                won = [derive(one, two, n) % 20_001 / 7 - 1400 for n in range(2 + derive(one, two) % 6)]
                model.add((one, two), won)
    return [model.lead(one, two) for one in names for two in names if one != two] + [
        model.result(name) for name in names
    ]


@pytest.mark.parametrize("count", [3, 12, 30])
def test_leads_are_the_same(monkeypatch, count):
    names = [f"p{number}" for number in range(count)]
    ours = leads(names)
    assert any(each.scale != inf for each in ours)
    monkeypatch.setattr(margin, "compiled", None)
    assert ours == leads(names)


def test_odd_arguments_do_no_harm():
    for at in (0.0, 1.0, -1.0, nan, inf, 1, "x", None):
        assert compiled.incomplete_beta(at, 2.0, 0.5, 0.0) is None
    assert compiled.incomplete_beta(0.5) is None
    assert compiled.incomplete_beta(0.5, 2.0, 0.5, 1e9) is None
    empty = b""
    assert compiled.weighted_margin(*[empty] * 7) is None
    one = bytes(8)
    assert compiled.weighted_margin((99).to_bytes(8, "little"), *[one] * 6) is None
    assert compiled.weighted_margin(one, one, one, one, one, one, b"") is None
