"""An exam in live mode: the server of runs, at which every question is a hand with one decision (`question_game`)."""

from collections.abc import Iterator
from contextlib import contextmanager

from molt_bench.exam.absence import Absence
from molt_bench.exam.questions import RULES
from molt_bench.exam.stored_exam import StoredExam
from molt_bench.serve.live_run import ServeOptions, served
from molt_bench.serve.lobby import Lobby


@contextmanager
def served_exam(exam: StoredExam, options: ServeOptions) -> Iterator[Lobby]:
    """Serve an exam within the context, as `served` does a run; yields who seats the live agents."""
    # Of the user's own game, only times and retries count.
    rules = {name: getattr(RULES, name) for name in ("small_blind", "big_blind", "ante", "raise_cap")}
    played = {"hands_per_game": 1, "warmup_hands": 0, "stacks": "reset", "stack": 100 * RULES.big_blind}
    game = exam.config.game.model_copy(update={**rules, **played})
    with served(exam.folder, exam.config.model_copy(update={"game": game}), options) as lobby:
        lobby.is_exam = True
        absence = Absence(exam.config, exam.answers.answers.values())
        for name in absence.gone:
            lobby.dismiss(name, absence.told)
        yield lobby
        lobby.close("the exam is over")
