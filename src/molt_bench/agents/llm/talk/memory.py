"""Memory: what a model is reminded of. It holds only what the table has seen, is bounded, and ends with the game."""

from collections import deque
from typing import Final

from molt_bench.agents.llm.talk.prompt import NOTE_LENGTH, TableStep, action_text, made_hand, spaced, table_steps
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import HandResult

#: Characters that are kept of a thought.
THOUGHT_LENGTH: Final = 600
#: Thoughts that are kept of a hand, the last ones.
THOUGHTS: Final = 6
#: Notes that are kept of a game, the last ones.
NOTES: Final = 8
#: Most characters of all remembered hands together; the last ones are kept.
HANDS_LENGTH: Final = 8000
#: Open board cards from the turn on.
_TURN: Final = 4


class Frequency:
    """How often something happened, out of how many chances."""

    __slots__ = ("chances", "times")

    def __init__(self) -> None:
        self.times = 0
        self.chances = 0

    def count(self, happened: bool) -> None:  # noqa: FBT001 - it is what is counted
        """Count a chance."""
        self.chances += 1
        self.times += happened

    def __str__(self) -> str:
        return f"{self.times}/{self.chances}"


class HandMemory:
    """What a model thought earlier in the hand under way; of a long thought its start is kept, or its `ending`."""

    def __init__(self, *, ending: bool = False) -> None:
        self._ending = ending
        self._hand = 0
        self._thoughts: deque[str] = deque(maxlen=THOUGHTS)

    def add(self, hand_number: int, street: str, thought: str, action: str) -> None:
        """Remember a thought that led to an action."""
        if hand_number != self._hand:
            self._hand = hand_number
            self._thoughts.clear()
        said = " ".join(thought.split())
        if len(said) > THOUGHT_LENGTH:
            said = f"...{said[-THOUGHT_LENGTH:]}" if self._ending else f"{said[:THOUGHT_LENGTH]}..."
        self._thoughts.append(f"- {street}, {action}: {said}")

    def text(self, hand_number: int) -> str:
        """Return the thoughts of a hand; "" if there are none."""
        if hand_number != self._hand or not self._thoughts:
            return ""
        return "\n".join(["What you thought earlier in this hand:", *self._thoughts])


class Notes:
    """What a model wrote down for later hands."""

    def __init__(self) -> None:
        self._notes: deque[str] = deque(maxlen=NOTES)

    def add(self, hand_number: int, note: str) -> None:
        """Keep a note."""
        said = " ".join(note.split())[:NOTE_LENGTH]
        if said:
            self._notes.append(f"- hand {hand_number}: {said}")

    def text(self) -> str:
        """Return the notes; "" if there are none."""
        return "\n".join(["Your notes:", *self._notes]) if self._notes else ""


class SessionMemory:
    """What the table has seen of the opponent in the finished hands, and the last hands that reached the turn.

    Statistics are defined as in `molt_bench.report.style`.

    Args:
        shown_hands: Most hands that are told.
    """

    def __init__(self, shown_hands: int) -> None:
        self._hands = 0
        self._net = 0
        self._vpip = Frequency()
        self._raised = Frequency()
        self._three_bet = Frequency()
        self._c_bet = Frequency()
        self._aggressive = Frequency()
        self._folded_to_bet = Frequency()
        self._showdowns = Frequency()
        self._told: deque[str] = deque(maxlen=shown_hands)

    def add(self, result: HandResult, rules: HandRules) -> None:
        """Learn from a finished hand."""
        steps = table_steps(rules, result.starting_stacks, result.button, result.log)
        self._hands += 1
        self._net += result.net[result.seat]
        self._count(steps, 1 - result.seat)
        self._showdowns.count(result.opponent_cards is not None)
        if len(result.board) >= _TURN:
            self._told.append(f"- {told_hand(result, steps)}")
            while sum(map(len, self._told)) > HANDS_LENGTH:
                self._told.popleft()

    def _count(self, steps: list[TableStep], other: int) -> None:
        own = [step for step in steps if step.action.seat == other]
        before_flop = [step for step in own if step.action.street == "preflop"]
        if before_flop:
            self._vpip.count(any(step.action.kind in ("call", "raiseTo") for step in before_flop))
            self._raised.count(any(step.action.kind == "raiseTo" for step in before_flop))
        for step in before_flop:
            if step.raises == 1 and step.may_raise:
                self._three_bet.count(step.action.kind == "raiseTo")
        for step in own:
            kind = step.action.kind
            if step.action.street != "preflop" and kind in ("call", "raiseTo"):
                self._aggressive.count(kind == "raiseTo")
            if step.raises and step.to_call:
                self._folded_to_bet.count(kind == "fold")
        raisers = [step.action for step in steps if step.action.street == "preflop" and step.action.kind == "raiseTo"]
        first = next((step for step in own if step.action.street == "flop"), None)
        if raisers and raisers[-1].seat == other and first is not None and not first.raises and first.may_raise:
            self._c_bet.count(first.action.kind == "raiseTo")

    def text(self) -> str:
        """Return everything as text; "" before the first hand is over."""
        if not self._hands:
            return ""
        lines = [
            f"Your opponent in {self._hands} hands so far (times/chances): entered the pot before the flop (VPIP) "
            f"{self._vpip}, raised before the flop (PFR) {self._raised}, raised again when raised before the flop "
            f"(3-bet) {self._three_bet}, bet the flop after it had raised last before it (c-bet) {self._c_bet}, bet or "
            f"raised rather than called after the flop (aggression) {self._aggressive}, folded to a bet or raise "
            f"{self._folded_to_bet}, went to showdown {self._showdowns}. Your result so far: {self._net:+} chips.",
        ]
        if self._told:
            lines += ["The last hands that reached the turn:", *self._told]
        return "\n".join(lines)


def told_hand(result: HandResult, steps: list[TableStep]) -> str:
    """Return a finished hand as the table saw it."""
    position = "button" if result.seat == result.button else "big blind"
    net, board, shown = result.net[result.seat], result.board, result.opponent_cards
    outcome = f"you won {net}" if net > 0 else f"you lost {-net}" if net < 0 else "you shared the pot"
    made = f" ({made_hand(result.cards, board)})" if shown is not None else ""
    other = f"opponent {spaced(shown)} ({made_hand(shown, board)})" if shown is not None else "opponent not shown"
    return (
        f"hand {result.hand_number}, you were the {position}: you {spaced(result.cards)}{made}, {other}, "
        f"board {spaced(board) or 'none'}; {action_text(steps, result.seat) or 'no actions'}; {outcome}"
    )
