"""A task for inspect_ai: a model plays an opponent of ours, asked through inspect's own providers.

A sample is a seed pair: the same cards twice, with seats swapped. Prompt, reading of replies, rules and luck are those
of every other run here.
"""

from typing import Any, Final

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from molt_bench import BUILTIN_AGENTS, ConfigError, PokerAgent, make_agent, seed_pool
from molt_bench.errors import GameUnfinished
from molt_bench.play.match import match_result, seed_pair_specs
from molt_bench.play.play_games import drive_async
from molt_bench.plugin import Ask
from molt_bench.records import GameRecord
from molt_bench.report.rows import margins_of
from molt_bench.specs import GameSpec, ParticipantSpec

#: Where a sample keeps the records of its two games.
GAMES: Final = "molt_bench:games"
_MODEL: Final = "model"
#: What inspect calls the ends of replies that were not complete, by the names that our providers have for them.
_FINISHES: Final = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}


class TaskOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What every sample of the task shares; `settings` are those of the model."""

    opponent: str
    hands: int
    settings: dict[str, Any]

    def games(self, seed: str) -> tuple[GameSpec, GameSpec]:
        """Return the two games of a seed; the model is player A."""
        return seed_pair_specs((_MODEL, self.opponent), seed=seed, hands=self.hands, options={})

    def model(self, ask: Ask) -> PokerAgent:
        """Return the agent whose model is asked by a function."""
        return make_agent(ParticipantSpec(id=_MODEL, type=f"llm:inspect:{_MODEL}", settings=self.settings), ask=ask)


@task
def holdem(
    opponent: str = "blueprint",
    pairs: int = 10,
    hands: int = 20,
    seed: str = "inspect",
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
        memory: `none` or `session`, as for language models of molt-bench.
        track: `standard`, or `bare` without pot odds and the list of legal actions.
        reply: `action` or `strategy`, as for language models of molt-bench.
    """
    settings = {"memory": memory, "track": track, "reply": reply}
    options = TaskOptions(opponent=opponent, hands=hands, settings=settings)
    if opponent not in BUILTIN_AGENTS:
        raise ConfigError("opponent", opponent, f"one of {', '.join(BUILTIN_AGENTS)}")
    options.games(seed)  # raises ConfigError where a setting cannot work, and so does the next line
    options.model(Asked([]))
    samples = [
        Sample(id=each, input=f"Play {2 * hands} hands against {opponent}.", metadata={"seed": each})
        for each in seed_pool(seed, pairs)
    ]
    return Task(dataset=MemoryDataset(samples, name="holdem"), solver=seed_pair(options), scorer=_scorer_of_task())


@solver
def seed_pair(options: TaskOptions) -> Solver:
    """Play both games of a seed pair."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        games = []
        for spec in options.games(state.metadata["seed"]):
            asked = Asked(state.messages)
            try:
                players = options.model(asked), make_agent(options.opponent)
                games.append(await drive_async(spec, players))
            except GameUnfinished:
                if asked.error is None:
                    raise
                raise asked.error from None  # inspect decides about its own errors and limits
        state.store.set(GAMES, [msgspec.to_builtins(game) for game in games])
        state.output.completion = f"{sum(game.net[0] for game in games):+} chips"
        return state

    return solve


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
        margins = margins_of(match_result(games), big_blind=games[0].spec.big_blind)
        found = {name: values[0] for name, values in margins.items()}
        faults = [fault for game in games for fault in game.faults if fault.player == 0]
        return Score(
            value=found,
            answer=state.output.completion,
            explanation=f"{found['raw']:+.0f} mbb per hand as dealt, {len(faults)} faults of the model",
            metadata={"faults": len(faults), "forced_folds": sum(fault.forced_fold for fault in faults)},
        )

    return score


@scorer(metrics=_METRICS, name="molt_bench/mbb_per_hand")
def _scorer_of_task() -> Scorer:
    """Score as `mbb_per_hand` does, under the name by which `inspect score` finds it.

    A log has names of scorers without their package, and `inspect score` looks for what the log has.
    """
    return mbb_per_hand()


class Asked:
    """Asks the model of a sample, and adds whatever is said to its messages, so that inspect can show and limit them.

    Attributes:
        error: What inspect raised, which ends the game.
    """

    def __init__(self, messages: list[Any]) -> None:
        self.error: Exception | None = None
        self._messages = messages

    async def __call__(self, system: str, message: str) -> tuple[str, str | None]:
        """Return the reply, and why it ended; raises GameUnfinished if inspect has none."""
        said = ChatMessageUser(content=message)
        try:
            self._messages.append(said)
            output = await get_model().generate([ChatMessageSystem(content=system), said])
            self._messages.append(output.message)
        except Exception as error:
            self.error = error
            raise GameUnfinished(str(error)) from error
        return output.completion, _FINISHES.get(output.stop_reason)
