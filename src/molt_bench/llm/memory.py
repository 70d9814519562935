"""Memory: what a model is reminded of. It holds only what the table has seen, is bounded, and ends with the game."""

from collections import defaultdict, deque
from typing import Final

from molt_bench.llm.prompt import action_text, made_hand, spaced
from molt_bench.poker.actions import LoggedAction
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.poker.play_statistics import Ratio, TableStep, ratios_of, table_steps

#: Characters that are kept of a thought.
THOUGHT_LENGTH: Final = 600
#: Thoughts that are kept of a hand, the last ones.
THOUGHTS: Final = 6
#: Most characters of all remembered hands together; the last ones are kept.
HANDS_LENGTH: Final = 8000
#: Open board cards from the turn on.
_TURN: Final = 4


class HandMemory:
    """What a model thought earlier in the hand under way; of a long thought its start is kept.

    A thought belongs to the action that followed, which is in the log of the next observation: where the model stated a
    mix, only that says what was drawn. A thought that led to no action is forgotten.
    """

    def __init__(self) -> None:
        self._hand = 0
        #: By the number of actions before.
        self._thoughts: dict[int, str] = {}

    def add(self, observation: Observation, thought: str) -> None:
        """Remember what was thought at a decision."""
        if observation.hand_number != self._hand:
            self._hand = observation.hand_number
            self._thoughts.clear()
        said = " ".join(thought.split())
        if len(said) > THOUGHT_LENGTH:
            said = f"{said[:THOUGHT_LENGTH]}..."
        self._thoughts[len(observation.log)] = said

    def text(self, observation: Observation) -> str:
        """Return the thoughts of the hand of a decision that led to the actions before it; "" if there are none."""
        log = observation.log
        if observation.hand_number != self._hand:
            return ""
        lines = [
            f"- {log[at].street}, {_done(log[at])}: {thought}"
            for at, thought in self._thoughts.items()
            if at < len(log)
        ]
        return "\n".join(["What you thought earlier in this hand:", *lines[-THOUGHTS:]]) if lines else ""


def _done(action: LoggedAction) -> str:
    return f"raiseTo {action.amount}" if action.kind == "raiseTo" else action.kind


class SessionMemory:
    """What the table has seen of the opponent in the finished hands, and the last hands that reached the turn.

    Statistics are defined as in `molt_bench.poker.play_statistics`.
    """

    def __init__(self) -> None:
        self._hands = 0
        self._net = 0
        self._ratios: dict[str, Ratio] = defaultdict(Ratio)
        self._told: deque[str] = deque()

    def add(self, result: HandResult, rules: HandRules) -> None:
        """Learn from a finished hand."""
        steps = table_steps(rules, result.starting_stacks, result.button, result.log)
        self._hands += 1
        self._net += result.net[result.seat]
        other = 1 - result.seat
        facing = [step.action.kind for step in steps if step.action.seat == other and step.raises and step.to_call]
        found = ratios_of(steps, other)
        found["folded"] = Ratio(facing.count("fold"), len(facing))
        found["showdowns"] = Ratio(int(result.opponent_cards is not None), 1)
        for name, ratio in found.items():
            self._ratios[name] += ratio
        if len(result.board) >= _TURN:
            self._told.append(f"- {_told_hand(result, steps)}")
            while sum(map(len, self._told)) > HANDS_LENGTH:
                self._told.popleft()

    def text(self) -> str:
        """Return everything as text; "" before the first hand is over."""
        if not self._hands:
            return ""
        of = {name: f"{ratio.count}/{ratio.of}" for name, ratio in self._ratios.items()}
        after = self._ratios["aggression_factor"]
        of["aggression"] = f"{after.count}/{after.count + after.of}"
        lines = [
            f"Your opponent in {self._hands} hands so far (times/chances): entered the pot before the flop (VPIP) "
            f"{of['vpip']}, raised before the flop (PFR) {of['pfr']}, raised again when raised before the flop "
            f"(3-bet) {of['three_bet']}, bet the flop after it had raised last before it (c-bet) {of['c_bet']}, bet or "
            f"raised rather than called after the flop (aggression) {of['aggression']}, folded to a bet or raise "
            f"{of['folded']}, went to showdown {of['showdowns']}. Your result so far: {self._net:+} chips.",
        ]
        if self._told:
            lines += ["The last hands that reached the turn:", *self._told]
        return "\n".join(lines)


def _told_hand(result: HandResult, steps: list[TableStep]) -> str:
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
