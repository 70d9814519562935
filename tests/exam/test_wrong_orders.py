"""How often an exam orders two that are equal: what is promised is a test."""

import pytest

from molt_bench.exam.questions import public_set
from molt_bench.exam.scoring import BLOCK, Scores
from molt_bench.seeds import derive

EXAMS, QUESTIONS = 60, 300


@pytest.mark.slow
@pytest.mark.parametrize("rates", [(10, 10), (2, 20)], ids=["alike", "one rarely and dearly"])
def test_equals_that_draw_are_seldom_ordered_at_any_look(rates):
    """At 4% each, eight or more of 60 exams would be wrong about once in five hundred times."""
    asked = public_set().questions[:QUESTIONS]
    worst = [each.best.value - min(option.value for option in each.options) for each in asked]
    wrong = 0
    for exam in range(EXAMS):
        scores = Scores(asked, ["one", "other"], error=0.04, most=QUESTIONS)
        for at, each in enumerate(asked):
            for name, rate in zip(scores.losses, rates, strict=True):
                errs = derive("exam of equals", exam, name, at) % 100 < rate
                scores.losses[name][each.id] = [worst[at] / rate if errs else 0.0]
            if (at + 1) % BLOCK == 0 and scores.orders()[0].kind == "better":
                wrong += 1
                break
    assert wrong < 8
