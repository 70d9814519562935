"""Two who have answered alike so far: that is no tie after a few questions."""

import pytest

from molt_bench.exam.answer_file import Answer
from molt_bench.exam.questions import public_set
from molt_bench.exam.scoring import ALIKE, Scores


@pytest.mark.parametrize(("count", "kind"), [(50, "open"), (ALIKE - 1, "open"), (ALIKE, "tied")])
def test_answers_that_are_alike_are_a_tie_after_many_questions(count, kind):
    questions = public_set().questions[:count]
    answers = [
        Answer(participant=name, question=each.id, actions=((each.best.action, 1.0),))
        for each in questions
        for name in ("one", "other")
    ]
    found = Scores(questions, ["one", "other"], error=0.04, most=400)
    for each in answers:
        found.add(each)
    (order,) = found.orders()
    assert order.kind == kind
    assert order.sure == 0.5
