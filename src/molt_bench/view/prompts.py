"""The prompts of a run, written again: the record has only their hashes, and what is shown agrees with those."""

from contextlib import suppress
from typing import Final

import msgspec

from molt_bench.errors import AgentFailed
from molt_bench.llm.talk.conversation import Conversation
from molt_bench.llm.talk.prompt import prompt_hash
from molt_bench.llm.types import Exchange
from molt_bench.play.game import game_events
from molt_bench.play.hooks import Hook, Notice
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.runs.journal import Game
from molt_bench.view.open_run import OpenRun

_HOOKS: Final[tuple[Hook, ...]] = ("on_hand_complete",)


def prompts_of(run: OpenRun, game: Game, number: int) -> dict[str, str]:
    """Return the messages of a hand by their hashes, without those that do not come out as they were."""
    record = game.record
    names = game.participants if record.seating == "AB" else game.participants[::-1]
    models = run.config.models()
    asked = {seat: _Asked(run, game, name) for seat, name in enumerate(names) if name in models and name in run.skills}
    logs = [parsed.hand.log for parsed in record.replay()]
    table = game_events(record.spec, listening=(_HOOKS, _HOOKS))
    turn = next(table)
    while True:
        if isinstance(turn, Notice):
            (result,) = turn.arguments
            if isinstance(result, HandResult):
                if result.hand_number >= number:
                    return {key: message for each in asked.values() for key, message in each.found.items()}
                if turn.seat in asked:
                    asked[turn.seat].conversation.take_result(result)
            turn = table.send(None)
            continue
        if turn.seat in asked and turn.hand_number == number:
            asked[turn.seat].ask(turn)
        done = logs[turn.hand_number - 1][len(turn.log)]
        turn = table.send(Action(done.kind, done.amount))


class _Asked:
    """One model in one game.

    Attributes:
        found: The messages that came out as they were, by their hashes.
    """

    def __init__(self, run: OpenRun, game: Game, name: str) -> None:
        self._run = run
        self._game = game
        self._name = name
        self._settings = run.config.models()[name]
        self.conversation = Conversation(self._settings, game.record.spec.facts)
        self.found: dict[str, str] = {}

    def ask(self, seen: Observation) -> None:
        """Ask for a decision again, as often as it was asked for, and take the recorded replies."""
        record = self._game.record
        place = (self._game.match, record.seed, record.seating, seen.hand_number)
        own = [
            (exchange, span)
            for exchange, span in self._run.exchanges.get(place, ())
            if exchange.decision == len(seen.log) and exchange.participant == self._name
        ]
        for exchange, span in sorted(own, key=lambda each: each[0].attempt):
            message = self._message(seen, exchange)
            if message is not None:
                self.found[exchange.prompt_hash] = message
            line = self._run.exchange_at(span)
            with suppress(AgentFailed):
                self.conversation.take_reply(seen, msgspec.structs.replace(exchange, text=line.text if line else ""))

    def _message(self, seen: Observation, exchange: Exchange) -> str | None:
        """Return the message whose hash was recorded: with one of the errors that were fed back, or with none."""
        place = seen.hand_number, len(seen.log)
        faults = [each.message for each in self._game.record.faults if (each.hand_number, each.decision) == place]
        skill, label = self._run.skills[self._name], self._settings.reply_form
        for error in faults if exchange.attempt > 1 else (None,):
            message = self.conversation.message(msgspec.structs.replace(seen, previous_error=error))
            if prompt_hash(label, skill, message) == exchange.prompt_hash:
                return message
        return None
