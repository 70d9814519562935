"""Several answers to one question: asked of whoever draws, once all questions were asked, and valued as their mean."""

import pytest

from molt_bench.agents.permission import OWN
from molt_bench.config.loader import load_config
from molt_bench.errors import JournalError
from molt_bench.exam import question_sources
from molt_bench.exam.answer_file import Answer
from molt_bench.exam.questions import QuestionSet, public_set
from molt_bench.exam.scoring import Scores, loss_of
from molt_bench.exam.stored_exam import StoredExam

BOT = """
from molt_bench import Action

class Drawer:
    name = "drawer"
    def act(self, observation):
        if observation.noise % 2:
            return Action("fold")
        return Action("call") if observation.to_call else Action("check")

def make():
    return Drawer()
"""
FEW = 60


@pytest.fixture
def few(monkeypatch):
    """A public set of few questions."""
    known = public_set()
    monkeypatch.setattr(question_sources, "public_set", lambda _: QuestionSet(known.name, known.questions[:FEW]))


def exam(folder, *, questions, others=("tight",)):
    """Sit an exam of a bot that draws by the noise it is given."""
    (folder / "drawer.py").write_text(BOT)
    drawer = {"id": "drawer", "type": f"{folder}/drawer.py:make", "sandbox": "off"}
    config = load_config({"participants": [drawer, *others], "outputDir": str(folder)})
    (folder / "exam").mkdir()
    return StoredExam.begin(folder / "exam", config, questions, secret=False)


def test_whoever_draws_is_asked_again_and_whoever_is_valued_whole_is_not(tmp_path, few):
    found = exam(tmp_path, questions=100)
    result = found.go_on(OWN)
    assert (result.asked, result.repeated) == (100, 40)
    rows = {each.id: each.answered for each in result.participants}
    assert rows == {"drawer": 100, "tight": FEW}
    given = {
        (at, sample): each.actions for (name, at, sample), each in found.answers.answers.items() if name == "drawer"
    }
    twice = [at for at, sample in given if sample]
    assert 5 < sum(given[at, 0] != given[at, 1] for at in twice) < 35
    again = StoredExam.open(found.folder)
    assert again.result() == result
    assert again.check() == FEW


def test_nobody_is_asked_again_if_all_are_valued_whole(tmp_path, few):
    never = {"adjacentConfidence": {"threshold": 0.999999}}
    config = load_config({"participants": ["callstation", "maniac"], "outputDir": str(tmp_path), "stop": never})
    result = StoredExam.begin(tmp_path, config, 100, secret=False).go_on(OWN)
    assert (result.asked, result.repeated) == (FEW, 0)


def test_several_answers_count_as_their_mean():
    asked = public_set().questions[:2]
    scores = Scores(asked, ["me"], error=0.05, most=400)
    worst = [max(each.options, key=lambda option, best=each.best: best.value - option.value).action for each in asked]
    for each, bad in zip(asked, worst, strict=True):
        for sample, letter in enumerate((each.best.action, bad)):
            scores.add(Answer(participant="me", question=each.id, actions=((letter, 1.0),), sample=sample))
    lost = [
        loss_of(each, Answer(participant="me", question=each.id, actions=((bad, 1.0),)))
        for each, bad in zip(asked, worst, strict=True)
    ]
    weights = [each.weight for each in asked]
    expected = sum(w * loss / 2 for w, loss in zip(weights, lost, strict=True)) / sum(weights)
    assert scores.mean("me").mean == pytest.approx(expected)
    assert scores.ranking()[0].answered == 4


def test_the_same_answer_twice_is_damage(tmp_path, few):
    found = exam(tmp_path, questions=10)
    found.go_on(OWN)
    path = found.folder / "exam.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[1], lines[-1]]) + "\n")
    with pytest.raises(JournalError, match="an earlier line answers"):
        StoredExam.open(found.folder)
