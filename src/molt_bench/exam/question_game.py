"""The game of one question: it begins and ends with one decision of one participant, also of a live agent.

Faults, retries and time limits are those of games. A participant whose answers cannot be used after the last retry has
folded, as it would have in a game.
"""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import Any, Final

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.scripted import FolderAgent
from molt_bench.errors import AgentFailed, IllegalAction, not_an_action
from molt_bench.exam.questions import RULES, Question, action_letter
from molt_bench.play.after_fault import Faults
from molt_bench.play.hooks import Listening
from molt_bench.play.play_games import drive_events
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.records import Fault
from molt_bench.seeds import derive
from molt_bench.specs import GameSpec

#: The other seat, which is never asked.
NOBODY: Final = "nobody"
#: How a forced fold is written.
FORCED: Final = "F"


def game_of(participant: str, question: Question, *, max_retries: int, action_timeout_s: float | None) -> GameSpec:
    """Return the game that a question is asked in: the participant sits in the seat to act."""
    return GameSpec(
        seed=question.id,
        hands=1,
        players=(participant, NOBODY),
        seating="BA" if question.decision.hand().actor else "AB",
        small_blind=RULES.small_blind,
        big_blind=RULES.big_blind,
        stack=question.decision.stack,
        max_retries=max_retries,
        action_timeout_s=action_timeout_s,
    )


async def answer_of(
    agent: PokerAgent, question: Question, spec: GameSpec, *, sample: int
) -> tuple[str, tuple[Fault, ...], float]:
    """Return what an agent answers the first time, or another time; its faults; and how many seconds that took."""
    start = monotonic()
    players = agent, FolderAgent(name=NOBODY)
    # Agents that mix get the same random number, and another one each time.
    seen = question.seen(derive("exam", question.id, *([sample] if sample else [])) & 0xFFFFFFFF)
    letter, faults = await drive_events(spec, players, partial(_question_events, spec, question, seen))
    return letter, faults, round(monotonic() - start, 3)


def _question_events(spec: GameSpec, question: Question, seen: Observation, listening: Listening) -> Any:
    """Ask for one decision, as a game does; return what was done, as a letter, and the faults."""
    faults = Faults(spec, listening)
    hand = question.decision.hand()
    yield from faults.notify(seen.seat, "reset")
    forced = False
    try:
        action = yield seen
        if type(action) is not Action:
            raise not_an_action(action)
        hand.apply(action)
    except (AgentFailed, IllegalAction) as failure:
        forced = yield from faults.retry(hand, seen, failure)
    done = hand.log[len(seen.log)]
    letter = FORCED if forced else action_letter(Action(done.kind, done.amount if done.kind == "raiseTo" else 0))
    return letter, tuple(faults.made)
