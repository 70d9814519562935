"""An agent whose answers are recorded before they are used: a game that was cut off goes on from them."""

import inspect
from contextlib import suppress
from time import monotonic
from typing import Any

from msgspec import UNSET

from molt_bench.agents.base import PokerAgent
from molt_bench.errors import AgentFailed, NotRecorded, RunHalted
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.records import MESSAGE_LENGTH
from molt_bench.runs.replies import Outcome, ProgramAnswer, Replies, ReplyFault, answer_key
from molt_bench.specs import GameFacts, GameLabel


class RecordedAgent:
    """An agent in one game, whose answers come from the record as far as it goes.

    Until a decision is not in the record, the agent is not called at all. Then it is brought up to date: it is reset,
    told the results of the hands of this game so far, unless it has learnt them before, and asked. From then on it is
    called as any other agent.

    Args:
        name: Name in records.
        agent: The agent, which limits its own time; None if it may not be asked.
        game: The game.
        replies: The replies of the run. Those of models led to the decisions as well, so each is on disk before it is
            used.
    """

    keeps_time = True

    def __init__(self, name: str, agent: PokerAgent | None, game: GameLabel, replies: Replies) -> None:
        self.name = name
        self._agent, self._game, self._replies = agent, game, replies
        self._forget()

    def _forget(self) -> None:
        self._attempt = 0
        self._called = False
        self._results: list[HandResult] = []

    def told_game(self, facts: GameFacts) -> None:
        """Pass on what is known about the game."""
        told = getattr(self._agent, "told_game", None)
        if callable(told):
            told(facts)

    async def reset(self) -> None:
        """Begin the game; the agent learns of it now if nothing of the game is on record."""
        self._forget()
        if not self._replies.knows(self._game):
            await self._catch_up()

    async def act(self, observation: Observation) -> Action | Mix:
        """Return the answer on record; if there is none, ask the agent and write its answer first."""
        self._attempt = self._attempt + 1 if observation.previous_error is not None else 1
        key = answer_key(self.name, self._game, observation, self._attempt)
        outcome = self._replies.answer(self._game, key)
        if outcome is None:
            outcome = await self._asked(observation, key)
        if isinstance(outcome, ReplyFault):
            raise AgentFailed(outcome.kind, outcome.message)
        return outcome

    async def on_hand_complete(self, outcome: HandResult) -> None:
        """Tell the agent the result, or keep it until the agent is asked."""
        if self._called:
            await self._tell("on_hand_complete", outcome)
        elif self._agent is not None and getattr(self._agent, "keeps_memory", False) is not True:
            self._results.append(outcome)

    async def on_error(self, message: str) -> None:
        """Tell the agent that its answer was not accepted; later, the observation says so."""
        if self._called:
            await self._tell("on_error", message)

    async def close(self) -> None:
        """Close the agent, whether or not it was asked."""
        await self._call("close")

    async def _asked(self, observation: Observation, key: str) -> Outcome:
        """Ask the agent, and write its answer; raises NotRecorded if it may not be asked."""
        game = self._game
        if self._agent is None:
            raise NotRecorded(
                f"match {game.match}, seed {game.seed!r}, seating {game.seating}: no answer of {self.name!r} is "
                f"recorded for hand {observation.hand_number}, after {len(observation.log)} actions: the "
                "line is missing, or the game went on differently before"
            )
        await self._catch_up()
        self._check_recorded()
        started = monotonic()
        outcome = await self._outcome(observation)
        self._replies.add_answer(
            ProgramAnswer(
                key=key,
                participant=self.name,
                game=game,
                hand=observation.hand_number,
                decision=len(observation.log),
                attempt=self._attempt,
                action=outcome if isinstance(outcome, Action) else UNSET,
                mix=outcome.text if isinstance(outcome, Mix) else UNSET,
                fault=outcome if isinstance(outcome, ReplyFault) else UNSET,
                latency_s=round(monotonic() - started, 4),
            )
        )
        return outcome

    async def _outcome(self, observation: Observation) -> Outcome:
        agent: Any = self._agent
        try:
            answer = agent.act(observation)
            outcome: Action | Mix = await answer if inspect.isawaitable(answer) else answer
        except AgentFailed as failure:  # anything else is our bug: the agent is our end of a program or a server
            return ReplyFault(failure.kind, str(failure)[:MESSAGE_LENGTH])
        return outcome

    def _check_recorded(self) -> None:
        """Check that what was answered so far is on record; raises RunHalted if it could not be written."""
        if self._replies.problem is not None:
            raise RunHalted(self._replies.problem)

    async def _catch_up(self) -> None:
        """Tell the agent what it has missed of this game, if it has not been called yet."""
        if not self._called:
            self._called = True
            await self._tell("reset")
            for result in self._results:
                await self._tell("on_hand_complete", result)
            self._results = []

    async def _tell(self, hook: str, *arguments: HandResult | str) -> None:
        """Call a hook. If it fails, the next decision tells: only that is on record."""
        self._check_recorded()
        with suppress(AgentFailed):
            await self._call(hook, *arguments)

    async def _call(self, method: str, *arguments: HandResult | str) -> None:
        call = getattr(self._agent, method, None)
        if callable(call):
            answer = call(*arguments)
            if inspect.isawaitable(answer):
                await answer
