"""A task for inspect_ai: a model plays an opponent of ours, asked through inspect's own providers.

A sample is a seed pair: the same cards twice, with seats swapped. Prompt, reading of replies, rules and luck are those
of every other run here.
"""

from typing import Any, Final

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import span

from molt_bench.agents.kinds import BUILTIN_AGENTS, kind_of, make_agent
from molt_bench.agents.settings_base import checked
from molt_bench.errors import ConfigError, GameUnfinished
from molt_bench.llm.conversation import Conversation
from molt_bench.llm.prompt import action_text, spaced
from molt_bench.llm.reply import CUT_OFF, WITHHELD
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.skill_document import system_prompt
from molt_bench.llm.types import Exchange
from molt_bench.luck.estimators import margins_of
from molt_bench.play.match import match_result, seed_pair_specs
from molt_bench.play.play_games import drive_async
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.poker.play_statistics import table_steps
from molt_bench.records import GameRecord
from molt_bench.seeds import seed_pool
from molt_bench.specs import GameLabel, GameSpec, ParticipantSpec

#: Where a sample keeps the records of its two games.
GAMES: Final = "molt_bench:games"
_MODEL: Final = "model"
#: What inspect calls the ends of replies that were not complete.
_FINISHES: Final = {"max_tokens": CUT_OFF, "model_length": CUT_OFF, "content_filter": WITHHELD}


class TaskOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What every sample of the task shares."""

    opponent: str
    hands: int
    stack: int
    settings: dict[str, Any]

    @property
    def spec(self) -> ParticipantSpec:
        """The opponent as a participant."""
        return ParticipantSpec(id=self.opponent, type=self.opponent)

    def games(self, seed: str) -> tuple[GameSpec, GameSpec]:
        """Return the two games of a seed; the model is player A."""
        return seed_pair_specs(
            (_MODEL, self.opponent),
            seed=seed,
            hands=self.hands,
            options={"stack": self.stack},
        )


@task
def holdem(
    opponent: str = "blueprint",
    pairs: int = 10,
    hands: int = 20,
    seed: str = "inspect",
    stack: int = 10_000,
    memory: str = "none",
    track: str = "standard",
    reply: str = "action",
) -> Task:
    """Heads-up no-limit hold'em against a built-in bot, on the same cards from both seats.

    Args:
        opponent: A built-in agent; `blueprint` leaves least luck in the score.
        pairs: Seed pairs, each a sample.
        hands: Hands of each of the two games of a pair.
        seed: Name of the pool that the decks come from.
        stack: Chips each player starts a hand with; the blinds are 50 and 100.
        memory: `none` or `session`, as for language models of molt-bench.
        track: `standard`, or `bare` without pot odds and the list of legal actions.
        reply: `action` or `strategy`, as for language models of molt-bench.
    """
    settings = {"model": f"inspect:{_MODEL}", "memory": memory, "track": track, "reply": reply}
    checked(LLMSettings, settings)
    options = TaskOptions(opponent=opponent, hands=hands, stack=stack, settings=settings)
    if not kind_of(opponent).built_in:
        raise ConfigError("opponent", opponent, f"one of {', '.join(BUILTIN_AGENTS)}")
    options.games(seed)  # raises ConfigError where a setting cannot work
    samples = [
        Sample(id=each, input=f"Play {2 * hands} hands against {opponent}.", metadata={"seed": each})
        for each in seed_pool(seed, pairs)
    ]
    return Task(dataset=MemoryDataset(samples, name="holdem"), solver=seed_pair(options), scorer=_scorer_of_task())


@solver
def seed_pair(options: TaskOptions) -> Solver:
    """Play both games of a seed pair."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _count_without_network(get_model())
        games = []
        for spec in options.games(state.metadata["seed"]):
            model = InspectAgent(checked(LLMSettings, options.settings), spec, state.messages)
            seat = 1 if spec.seating == "AB" else 2
            async with span(f"game {seat} of 2, the model in seat {seat - 1}"):
                try:
                    games.append(await drive_async(spec, (model, make_agent(options.spec))))
                except GameUnfinished:
                    if model.error is None:
                        raise
                    raise model.error from None  # inspect decides about its own errors and limits
        state.store.set(GAMES, [msgspec.to_builtins(game) for game in games])
        state.output.completion = f"{sum(game.net[0] for game in games):+} chips"
        return state

    return solve


def _count_without_network(model: Model) -> None:
    """Let inspect's mock of a model count tokens by letters; exact counts would need a file from the network."""

    async def count(text: str) -> int:
        return 1 + len(text) // 4

    if type(model.api).__name__ == "MockLLM":
        model.api.count_text_tokens = count


#: Of each number of a score.
_METRICS: Final = {"*": [mean(), stderr()]}


@scorer(metrics=_METRICS)
def mbb_per_hand() -> Scorer:
    """Score thousandths of a big blind per hand, as dealt and with the luck taken out; a sample is a seed pair.

    It takes all it needs from the games of the sample, so that `inspect score` can make it from its name alone.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        games = [msgspec.convert(game, GameRecord) for game in state.store.get(GAMES, [])]
        if not games:
            return None  # a limit ended the sample, and half a pair says nothing
        found = margins_of(match_result(games), big_blind=games[0].spec.big_blind)
        faults = [fault for game in games for fault in game.faults if fault.player == 0]
        return Score(
            value={name: margins[0] for name, margins in found.items()},
            answer=state.output.completion,
            explanation=f"{found['raw'][0]:+.0f} mbb per hand as dealt, {len(faults)} faults of the model",
            metadata={
                "mbb": {name: margins[0] for name, margins in found.items()},
                "faults": len(faults),
                "forced_folds": sum(fault.forced_fold for fault in faults),
            },
        )

    return score


@scorer(metrics=_METRICS, name="molt_bench/mbb_per_hand")
def _scorer_of_task() -> Scorer:
    """Score as `mbb_per_hand` does, under the name by which `inspect score` finds it.

    A log has names of scorers without their package, and `inspect score` looks for what the log has.
    """
    return mbb_per_hand()


class InspectAgent:
    """A model that plays one game, asked through inspect.

    Attributes:
        error: What inspect raised, which ends the game.

    Args:
        settings: How the model is asked.
        spec: The game.
        messages: The messages of the sample: whatever is said is added, so that inspect can show and limit them.
    """

    name = _MODEL
    #: Limits on time are inspect's own.
    keeps_time = True

    def __init__(self, settings: LLMSettings, spec: GameSpec, messages: list[ChatMessage]) -> None:
        self.error: Exception | None = None
        self._system = ChatMessageSystem(content=system_prompt(settings))
        self._conversation = Conversation(settings, spec.facts)
        self._label = GameLabel(0, spec.seed, spec.seating)
        self._rules = spec.rules
        self._messages = messages

    async def act(self, observation: Observation) -> Action | Mix:
        """Ask the model."""
        message = ChatMessageUser(content=self._conversation.message(observation))
        try:
            self._messages.append(message)
            output = await get_model().generate([self._system, message])
            self._messages.append(output.message)
        except Exception as error:
            self.error = error
            raise GameUnfinished(str(error)) from error
        exchange = Exchange(
            key="",
            participant=self.name,
            game=self._label,
            hand=observation.hand_number,
            decision=len(observation.log),
            attempt=1,
            prompt_hash="",
            outcome="reply",
            text=output.completion,
            finish=_FINISHES.get(output.stop_reason),
        )
        return self._conversation.take_reply(observation, exchange)

    def on_hand_complete(self, result: HandResult) -> None:
        """Write the hand into the transcript, as the model saw it."""
        self._conversation.take_result(result)
        shown = result.opponent_cards
        steps = table_steps(self._rules, result.starting_stacks, result.button, result.log)
        transcript().info(
            {
                "hand": result.hand_number,
                "cards": spaced(result.cards),
                "opponent": spaced(shown) if shown is not None else "not shown",
                "board": spaced(result.board),
                "actions": action_text(steps, result.seat),
                "won": result.net[result.seat],
            },
            source="molt_bench",
        )

    def on_error(self, message: str) -> None:
        """Write a fault into the transcript."""
        transcript().info({"fault": message}, source="molt_bench")
