"""The conversation with a model in one game: what it is told, what it replies, and what it is reminded of.

The agent uses it to ask a model, and the viewer to show what was asked. Its memory holds only what the table has seen,
is bounded, and ends with the game.
"""

from collections import deque
from typing import Final

from molt_bench.agents.llm.exchange import Exchange
from molt_bench.agents.llm.model_settings import LLMSettings
from molt_bench.agents.llm.prompt import action_text, decision_prompt, made_hand, spaced
from molt_bench.agents.llm.reply import read_reply
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.observation import HandResult, Observation

#: Characters that are kept of a thought.
THOUGHT_LENGTH: Final = 600
#: Thoughts that are kept of a hand, the last ones.
THOUGHTS: Final = 6


class Conversation:
    """The conversation with one model in one game; its settings say what it remembers and what it is told."""

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._session = SessionMemory(settings.shown_hands)
        self._thoughts = HandMemory()

    def message(self, observation: Observation) -> str:
        """Return the message that asks for a decision."""
        settings = self._settings
        return decision_prompt(
            observation,
            memory=self._session.text() if settings.memory == "session" else "",
            thoughts=self._thoughts.text(observation.hand_number) if settings.memory != "none" else "",
            track=settings.track,
            comprehension=settings.comprehension,
            reply_first=settings.reply_first,
        )

    def take_reply(self, observation: Observation, exchange: Exchange) -> Action:
        """Return the action that the model chose, and remember why if it is legal; AgentFailed if there is none."""
        if exchange.outcome != "reply":
            raise AgentFailed(exchange.outcome, exchange.text)
        reply = read_reply(exchange.text, exchange.finish, exchange.mode)
        action = reply.action
        if self._settings.memory != "none" and observation.legal.allows(action):
            chosen = f"{action.kind} {action.amount}" if action.kind == "raiseTo" else action.kind
            self._thoughts.add(observation.hand_number, observation.street, reply.reasoning, chosen)
        return action

    def take_result(self, result: HandResult) -> None:
        """Remember a finished hand as the table saw it."""
        if self._settings.memory == "session":
            self._session.add(result)


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
    """What a model thought earlier in the hand under way."""

    def __init__(self) -> None:
        self._hand = 0
        self._thoughts: deque[str] = deque(maxlen=THOUGHTS)

    def add(self, hand_number: int, street: str, thought: str, action: str) -> None:
        """Remember a thought that led to an action."""
        if hand_number != self._hand:
            self._hand = hand_number
            self._thoughts.clear()
        said = " ".join(thought.split())
        cut = said if len(said) <= THOUGHT_LENGTH else f"{said[:THOUGHT_LENGTH]}..."
        self._thoughts.append(f"- {street}, {action}: {cut}")

    def text(self, hand_number: int) -> str:
        """Return the thoughts of a hand; "" if there are none."""
        if hand_number != self._hand or not self._thoughts:
            return ""
        return "\n".join(["What you thought earlier in this hand:", *self._thoughts])


class SessionMemory:
    """What the table has seen of the opponent in the finished hands, and the last `shown_hands` showdowns."""

    def __init__(self, shown_hands: int) -> None:
        self._hands = 0
        self._net = 0
        self._vpip = Frequency()
        self._raised = Frequency()
        self._aggressive = Frequency()
        self._folded_to_bet = Frequency()
        self._showdowns = Frequency()
        self._shown: deque[str] = deque(maxlen=shown_hands)

    def add(self, result: HandResult) -> None:
        """Learn from a finished hand."""
        other = 1 - result.seat
        self._hands += 1
        self._net += result.net[result.seat]
        before_flop = [action for action in result.log if action.street == "preflop" and action.seat == other]
        if before_flop:
            self._vpip.count(any(action.kind in ("call", "raiseTo") for action in before_flop))
            self._raised.count(any(action.kind == "raiseTo" for action in before_flop))
        for action, facing in _with_bets(result.log):
            if action.seat == other and action.street != "preflop" and action.kind in ("call", "raiseTo"):
                self._aggressive.count(action.kind == "raiseTo")
            if action.seat == other and facing:
                self._folded_to_bet.count(action.kind == "fold")
        self._showdowns.count(result.opponent_cards is not None)
        if result.opponent_cards is not None:
            self._shown.append(_shown_hand(result, result.opponent_cards))

    def text(self) -> str:
        """Return everything as text; "" before the first hand is over."""
        if not self._hands:
            return ""
        lines = [
            f"Your opponent in {self._hands} hands so far (times/chances): entered the pot before the flop (VPIP) "
            f"{self._vpip}, raised before the flop (PFR) {self._raised}, bet or raised rather than called after the "
            f"flop (aggression) {self._aggressive}, folded to a bet or raise {self._folded_to_bet}, went to showdown "
            f"{self._showdowns}. Your result so far: {self._net:+} chips.",
        ]
        if self._shown:
            lines += ["The last hands that were shown down:", *self._shown]
        return "\n".join(lines)


def _with_bets(log: tuple[LoggedAction, ...]) -> list[tuple[LoggedAction, bool]]:
    """Return every action, and whether its seat faced a bet or raise; blinds do not count as bets."""
    found = []
    street, facing = "preflop", False
    for action in log:
        if action.street != street:
            street, facing = action.street, False
        found.append((action, facing))
        facing = action.kind == "raiseTo"
    return found


def _shown_hand(result: HandResult, opponent_cards: tuple[int, int]) -> str:
    position = "button" if result.seat == result.button else "big blind"
    net = result.net[result.seat]
    outcome = f"you won {net}" if net > 0 else f"you lost {-net}" if net < 0 else "you shared the pot"
    return (
        f"- hand {result.hand_number}, you were the {position}: you {spaced(result.cards)} "
        f"({made_hand(result.cards, result.board)}), opponent {spaced(opponent_cards)} "
        f"({made_hand(opponent_cards, result.board)}), board {spaced(result.board)}; "
        f"{action_text(result.log, result.seat)}; {outcome}"
    )
