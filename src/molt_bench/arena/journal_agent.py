"""An agent that answers in a finished game what the journal says its player answered.

So the rules, the cards, the chips, the draws from mixes and the forced folds of a game are checked without the code
that played in it. The journal has every accepted action or mix, and every fault with its decision and attempt.
"""

from collections import deque
from typing import Final

from molt_bench.errors import AgentFailed, NotRecorded, RulesError
from molt_bench.play.hooks import Hook
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix, mixes_from_text
from molt_bench.poker.notation import actions_in
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.records import GameRecord

_NO_MORE: Final = "the game goes on where the journal's does not"


class AgentOfRecord:
    """One player of a recorded game: 0 for player A, 1 for player B."""

    keeps_time = True

    def __init__(self, name: str, record: GameRecord, player: int) -> None:
        self.name = name
        self._record = record
        self._faults = deque(fault for fault in record.faults if fault.player == player)
        self._actions: list[tuple[Action, bool]] = []
        self._mixes: dict[int, Mix] = {}
        self._hand = 0
        self._attempt = 0

    def reset(self) -> None:
        """Fail if it failed here."""
        self._fail_if(0, hook="reset")

    def act(self, observation: Observation) -> Action | Mix:
        """Return the action or the mix on record, or fail as it did before."""
        hand, decision = observation.hand_number, len(observation.log)
        if hand != self._hand:
            self._begin(hand)
        self._attempt = self._attempt + 1 if observation.previous_error is not None else 1
        action, forced = self._actions[decision] if decision < len(self._actions) else (None, False)
        self._fail_if(hand, decision=decision, attempt=self._attempt)
        if action is None or forced:
            spec = self._record.spec
            raise NotRecorded(f"seed {spec.seed!r}, seating {spec.seating}: differs from hand {hand} on: {_NO_MORE}")
        return self._mixes.get(decision, action)

    def _begin(self, hand: int) -> None:
        """Read what was done in a hand."""
        texts, mixes = self._record.hand_texts, self._record.mixes
        self._hand, self._actions = hand, [*actions_in(texts[hand - 1])] if hand <= len(texts) else []
        try:
            self._mixes = mixes_from_text(mixes[hand - 1]) if hand <= len(mixes) else {}
        except RulesError as error:
            spec = self._record.spec
            raise NotRecorded(f"seed {spec.seed!r}, seating {spec.seating}: hand {hand}: {error}") from None

    def on_error(self, _message: str) -> None:
        """Fail if it failed here."""
        self._fail_if(self._hand, hook="on_error")

    def on_hand_complete(self, outcome: HandResult) -> None:
        """Fail if it failed here."""
        self._fail_if(outcome.hand_number, hook="on_hand_complete")

    def _fail_if(self, hand: int, *, decision: int | None = None, attempt: int = 0, hook: Hook | None = None) -> None:
        """Fail if the next fault is of this attempt at a decision, or of this hook."""
        fault = self._faults[0] if self._faults else None
        if fault is None or fault.hand_number != hand:
            return
        own = fault.hook == hook if hook is not None else (fault.decision, fault.attempt) == (decision, attempt)
        if own:
            raise AgentFailed(self._faults.popleft().kind, fault.message)
