"""The prompts of a run, written again: the record has only their hashes, and what is shown agrees with those."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import groupby
from typing import Final

import msgspec
from msgspec import UNSET

from molt_bench.agents.llm.conversation import Conversation
from molt_bench.agents.llm.exchange import Exchange, ToolStep, prompt_hash, with_steps
from molt_bench.agents.llm.samples import chosen
from molt_bench.agents.llm.tools import steps_before
from molt_bench.errors import AgentFailed
from molt_bench.play.game import Hook, Notice, turns
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.runs.journal import Game
from molt_bench.view.open_run import OpenRun

_HOOKS: Final[tuple[Hook, ...]] = ("on_hand_complete",)


def prompts_of(run: OpenRun, game: Game, number: int) -> dict[str, str]:
    """Return the messages of a hand by their hashes, without those that do not come out as they were."""
    record, found = game.record, dict[str, str]()
    names = game.participants if record.seating == "AB" else game.participants[::-1]
    models = run.config.models()
    asked = {
        seat: (Conversation(models[name]), run.skills[name])
        for seat, name in enumerate(names)
        if name in models and name in run.skills
    }
    errors = [fault.message for fault in record.faults if fault.hand_number == number]
    logs = [parsed.hand.log for parsed in record.replay()]
    exchanges = run.exchanges.get((game.match, record.seed, record.seating, number), [])
    table = turns(record.spec, listening=(_HOOKS, _HOOKS))
    turn = next(table)
    while True:
        if isinstance(turn, Notice):
            (result,) = turn.arguments
            if isinstance(result, HandResult):
                if result.hand_number >= number:
                    return found
                if turn.seat in asked:
                    asked[turn.seat][0].take_result(result)
            turn = table.send(None)
            continue
        decision = len(turn.log)
        if turn.hand_number == number and turn.seat in asked:
            conversation, skill = asked[turn.seat]
            asking = sorted(
                [each for each in exchanges if each[0].decision == decision], key=lambda each: each[0].place
            )
            for _, attempt in groupby(asking, key=lambda each: each[0].attempt):
                tries = [msgspec.structs.replace(each, text=run.exchange_text(span)) for each, span in attempt]
                for exchange in tries:
                    message = _message(conversation, skill, turn, exchange, errors, steps_before(exchange, tries))
                    if message is not None:
                        found[exchange.prompt_hash] = message
                final = [each for each in tries if each.calls is UNSET]
                if final:
                    with suppress(AgentFailed):
                        conversation.take_reply(turn, chosen(final, turn.legal.allows))
        done = logs[turn.hand_number - 1][decision]
        turn = table.send(Action(done.kind, done.amount))


def _message(
    conversation: Conversation,
    skill: str,
    seen: Observation,
    exchange: Exchange,
    errors: Iterable[str],
    steps: Iterable[ToolStep],
) -> str | None:
    """Return the message whose hash was recorded: with one of the errors that were fed back, or with none."""
    for error in (None, *errors):
        message = with_steps(conversation.message(msgspec.structs.replace(seen, previous_error=error)), steps)
        if prompt_hash(skill, message) == exchange.prompt_hash:
            return message
    return None
