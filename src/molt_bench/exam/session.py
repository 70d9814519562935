"""One session of an exam: asks block after block, records every answer, and stops when the order is sure.

Agents, models, limits of money and recorded replies are those of runs: each question is a game of one decision.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple, Protocol

from molt_bench._version import BENCH_VERSION
from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.agents.kinds import built_in_policies
from molt_bench.agents.llm.types import Exchange
from molt_bench.agents.python_import import AgentFactory
from molt_bench.arena.cast import Cast, LivePlayers
from molt_bench.arena.preflight import preflight
from molt_bench.arena.status import Observer
from molt_bench.bench.error_budget import error_of
from molt_bench.bench.model_draws import Draws
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import GameUnfinished, RunHalted
from molt_bench.exam.absence import Absence
from molt_bench.exam.answer_file import Answer, AnswerFile, Place
from molt_bench.exam.question_game import answer_of, game_of
from molt_bench.exam.question_sources import SECRET, QuestionSource
from molt_bench.exam.questions import Question, action_letter
from molt_bench.exam.result import ALL_ASKED, ALL_GONE, SURE, ExamResult
from molt_bench.exam.scoring import BLOCK, Scores
from molt_bench.play.event_loop import GameLoop, all_together
from molt_bench.play.play_games import WaitingGames
from molt_bench.play.worker_pool import cores
from molt_bench.poker.actions import STREETS, Action
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameLabel, GameSpec

#: Into how many sizes a range of them is taken apart, to value it.
_SIZES: Final = 9


class Guests(LivePlayers, Protocol):
    """Live agents, as the server seats them that the exam is held at."""

    def dismiss(self, participant: str, why: str) -> None:
        """Tell a live agent that the exam goes on without it."""


class _Ask(NamedTuple):
    """A question for one participant, for the first time or again: the game that it is asked in."""

    label: GameLabel
    name: str
    question: Question
    sample: int
    spec: GameSpec


class ExamSession:
    """Asks the questions of an exam that are not answered yet.

    Args:
        config: Who is asked, and the limits.
        source: The questions.
        answers: The answers so far.
        files: The recorded replies of models and programs, and which agents may be made.
        agents: Makes agents that no config can name, by their type: a person.
        guests: Seats the live agents; None without a server.
        observer: Told what goes wrong.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        source: QuestionSource,
        answers: AnswerFile,
        files: RunFiles,
        *,
        agents: Mapping[str, AgentFactory] = {},
        guests: Guests | None = None,
        observer: Observer | None = None,
    ) -> None:
        self._config, self._source, self._answers, self._files = config, source, answers, files
        self._names = [each.id for each in config.participants]
        self._models = config.models()
        self._draws = Draws(self._models)
        self._costs: Counter[str] = Counter()
        self._policies: Mapping[str, PolicyOf] = built_in_policies([each.spec() for each in config.participants])
        self._guests = guests
        self._absence = Absence(config, answers.answers.values())
        self._cast = Cast(config, agents, files, observer=observer, on_exchange=self._on_exchange, live=guests)
        self._loop = GameLoop()
        whole = {*self._policies, *[name for name, each in self._models.items() if each.harness == "mixed"]}
        #: Whose answers are drawn: asked again, they may answer something else.
        self._drawing = {each.id for each in config.participants if each.id not in whole}

    def _on_exchange(self, exchange: Exchange) -> None:
        self._draws.add(exchange)
        self._costs[exchange.participant] += exchange.most[0]  # type: ignore[assignment]

    def call_everybody(self) -> None:
        """Contact every participant outside this process once, and only then wait for those that come by themselves."""
        try:
            self._loop.run(preflight(*self._cast.greets()))
            if self._guests is not None:
                self._guests.gather()
        except BaseException:
            self._close()
            raise

    def run(self, on_block: Callable[[ExamResult], None]) -> ExamResult:
        """Ask until the order is sure, the questions are used up or the money is spent.

        `on_block` is called after every block with what is known by then.
        """
        try:
            self._files.replies.begin(0)
            asked, reason = 0, ALL_ASKED
            while (asks := self._asks(asked + BLOCK)) and len(asks) > asked:
                asked = len(asks)
                self._ask(asks)
                result = self.result(asked, SURE)
                on_block(result)
                if self._cast.spent is not None:
                    reason = self._cast.spent
                    break
                if result.orders and all(each.kind != "open" for each in result.orders):
                    reason = SURE
                    break
                if self._absence.gone.issuperset(self._names):
                    reason = ALL_GONE
                    break
            return self.result(asked, reason)
        finally:
            self._close()

    def _close(self) -> None:
        if self._cast.gateway is not None:
            self._loop.run(self._cast.gateway.close())
        self._loop.close()

    def _asks(self, count: int) -> list[tuple[Question, int]]:
        """Return the first questions to be asked, each with how often it was asked before.

        A new question tells more than another answer to an old one, so none is repeated before all were asked.
        """
        found = self._source.first(min(count, self._source.count))
        again = bool(self._drawing) and self._source.name != SECRET  # a secret set has as many as were wanted
        most = self._answers.header.count if again else len(found)
        often = range(min(count, most)) if len(found) == self._source.count else range(len(found))
        return [(found[at % len(found)], at // len(found)) for at in often]

    def ask_again(self, recorded: Collection[Place], asked: int) -> None:
        """Ask those questions again whose answers are on record: of models and programs, the replies are too."""
        try:
            self._ask(self._asks(asked), only=recorded)
        finally:
            self._loop.close()

    def unanswered(self, asked: int) -> Place | None:
        """Return the first of so many questions that somebody has not answered who was there; None if there is none."""
        for question, sample in self._asks(asked):
            for name in self._names:
                place = name, question.id, sample
                expected = name not in self._absence.gone and (not sample or name in self._drawing)
                if expected and place not in self._answers.answers:
                    return place
        return None

    def result(self, asked: int, reason: str) -> ExamResult:
        """Return what is known after so many questions."""
        asks = self._asks(asked)
        questions = [each for each, sample in asks if not sample]
        error = error_of([self._config.stop], version=BENCH_VERSION)
        known = {(name, each.id, sample) for each, sample in asks for name in self._names}
        scores = Scores(questions, self._names, error=error, most=self._answers.header.count)
        for place, answer in self._answers.answers.items():
            if place in known:
                scores.add(answer)
        gone = self._absence.gone
        errors: dict[str, list[tuple[float, float]]] = {}
        for each in questions:
            errors.setdefault(each.decision.kind().street, []).append((each.error, each.weight))
        streets: list[str] = [street for street in STREETS if street in errors]
        return ExamResult(
            self._source.name,
            len(asks),
            len(asks) - len(questions),
            streets,
            {street: round(fmean(*zip(*errors[street], strict=True)), 4) for street in streets},
            reason,
            scores.ranking(unranked=gone),
            scores.orders(unranked=gone),
            {name: round(self._costs[name], 6) for name in self._models},
            [self._absence.line(name) for name in self._names if name in gone],
        )

    def _ask(self, asks: Sequence[tuple[Question, int]], only: Collection[Place] | None = None) -> None:
        """Ask everybody what is not answered yet, or only some of that."""
        wanted: list[_Ask] = []
        for number, (question, sample) in enumerate(asks):
            for at, name in enumerate(self._names):
                place = name, question.id, sample
                asked = place in self._answers.answers or (sample and name not in self._drawing)
                if not asked and (name not in self._absence.gone if only is None else place in only):
                    spec = self._game(name, question)
                    label = GameLabel(1 + number * len(self._names) + at, question.id, spec.seating)
                    wanted.append(_Ask(label, name, question, sample, spec))
        self._cast.dealt({each.label: each.spec for each in wanted})
        self._loop.run(self._ask_all(wanted))

    def _game(self, name: str, question: Question) -> GameSpec:
        game = self._config.game
        return game_of(name, question, max_retries=game.max_retries, action_timeout_s=game.action_timeout_s)

    async def _ask_all(self, wanted: Sequence[_Ask]) -> None:
        room = asyncio.Semaphore(cores())  # for programs; models have limits of their own
        coming = {
            name: WaitingGames(
                [each for each in wanted if each.name == name], lambda each: self._cast.places(each.spec)
            )
            for name in self._cast.coming
        }

        async def ask_guest(waiting: WaitingGames[_Ask]) -> None:
            """Ask a live agent the next question that it has a place for."""
            each = await waiting.next()
            assert each is not None, "there are as many tasks as questions"
            try:
                await self._ask_one(each)
            finally:
                waiting.ended(each)

        async def ask(each: _Ask) -> None:
            if each.name in self._models:
                await self._ask_one(each)
            else:
                async with room:
                    await self._ask_one(each)

        await all_together(ask_guest(coming[each.name]) if each.name in coming else ask(each) for each in wanted)

    async def _ask_one(self, asked: _Ask) -> None:
        """Ask one question, and record the answer; one that the money does not reach for stays open."""
        label, name, question, sample, spec = asked
        if self._guests is not None and name in self._absence.gone:
            return
        try:
            agent = self._cast.agent(name, label)
            letter, faults, seconds = await answer_of(agent, question, spec, sample=sample)
        except RunHalted:
            raise
        except GameUnfinished:
            return
        actions = ((letter, 1.0),) if faults and faults[-1].forced_fold else self._mixed(label, name, question)
        answer = Answer(
            participant=name,
            question=question.id,
            actions=actions or ((letter, 1.0),),
            faults=faults,
            seconds=seconds,
            sample=sample,
        )
        self._answers.add(answer)
        if self._absence.take(answer) and self._guests is not None:
            self._guests.dismiss(name, self._absence.told)
        self._cast.over(label)
        self._files.exchanges.forget(label)
        self._files.replies.forget(label)

    def _mixed(self, label: GameLabel, name: str, question: Question) -> tuple[tuple[str, float], ...]:
        """Return the probabilities that an answer was drawn with, where they are known for sure; nothing elsewhere."""
        seen = question.seen()
        if name in self._policies:
            return letters_of(self._policies[name](seen))
        model = self._models.get(name)
        if model is not None and (model.harness == "mixed" or model.reasks):
            drawn = self._draws.of_match(label.match, [name], [label])[name][label].at(seen)
            return letters_of(drawn.policy) if drawn is not None else ()
        return ()


def letters_of(policy: Policy) -> tuple[tuple[str, float], ...]:
    """Write a policy; a range of sizes as some of them."""
    found: dict[str, float] = {}
    for action, chance in policy:
        if not chance:
            continue
        each: list[Action]
        if isinstance(action, Sizes):
            count = min(_SIZES, action.high - action.low + 1)
            steps = max(1, count - 1)
            each = [Action("raiseTo", action.low + (action.high - action.low) * at // steps) for at in range(count)]
        else:
            each = [action]
        for one in each:
            letter = action_letter(one)
            found[letter] = found.get(letter, 0.0) + chance / len(each)
    return tuple(found.items())
