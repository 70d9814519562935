"""After a fault: it is recorded, and the agent is told and asked again. After the last try, its hand is folded."""

from collections.abc import Callable, Generator
from typing import Any, Literal, TypeAlias

import msgspec

from molt_bench.errors import AgentFailed, FaultKind, IllegalAction
from molt_bench.play.hooks import Hook, Listening, Notice
from molt_bench.poker.actions import FOLD
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.records import MESSAGE_LENGTH, Fault
from molt_bench.specs import GameSpec

#: Plays an answer in a hand of a number; raises AgentFailed or IllegalAction if it cannot be played.
Take: TypeAlias = Callable[[Hand, int, Any], None]


class Faults:
    """The faults of both agents in a game, and what follows from each.

    Attributes:
        made: The faults so far.
        hand_number: The hand that a fault belongs to; 0 before the first.
        hearing: Whether an agent is told the results of hands.
    """

    __slots__ = ("_decision", "_first_is_a", "_listening", "_max_retries", "hand_number", "hearing", "made")

    def __init__(self, spec: GameSpec, listening: Listening) -> None:
        self._first_is_a = spec.seating == "AB"
        self._listening = listening
        self._max_retries = spec.max_retries
        self.made: list[Fault] = []
        self.hand_number = self._decision = 0
        self.hearing = any("on_hand_complete" in hooks for hooks in listening)

    def notify(self, seat: int, hook: Hook, *arguments: HandResult | str) -> Generator[Notice, Any, None]:
        """Have a hook called, if the agent has it; an exception is recorded as a fault."""
        if hook in self._listening[seat]:
            try:
                yield Notice(seat, hook, arguments)
            except AgentFailed as failure:
                decision = self._decision if hook == "on_error" else None
                self._add(seat, failure.kind, str(failure), decision=decision, hook=hook)

    def _add(
        self,
        seat: int,
        kind: FaultKind,
        message: str,
        *,
        attempt: int = 0,
        forced_fold: bool = False,
        decision: int | None,
        hook: Hook | Literal[""] = "",
    ) -> None:
        player = seat if self._first_is_a else 1 - seat
        said = message[:MESSAGE_LENGTH]
        self.made.append(Fault(player, self.hand_number, kind, said, attempt, forced_fold, decision, hook))

    def retry(
        self, hand: Hand, observation: Observation, failure: AgentFailed | IllegalAction, take: Take
    ) -> Generator[Observation | Notice, Any, bool]:
        """Record a failed answer and ask again, passing the error on; after the last try, fold and return True."""
        seat = observation.seat
        attempt = 1
        self.hand_number, self._decision = observation.hand_number, len(observation.log)
        while True:
            kind = failure.kind if isinstance(failure, AgentFailed) else "illegal"
            said = str(failure)[:MESSAGE_LENGTH]
            last = attempt > self._max_retries or kind == "forfeit"  # there is no one to ask
            self._add(seat, kind, said, attempt=attempt, forced_fold=last, decision=self._decision)
            yield from self.notify(seat, "on_error", said)
            if last:
                hand.apply(FOLD)
                return True
            attempt += 1
            try:
                take(hand, self.hand_number, (yield msgspec.structs.replace(observation, previous_error=said)))
            except (AgentFailed, IllegalAction) as next_failure:
                failure = next_failure
            else:
                return False
