"""A game as a generator: it yields what the seat to act sees, receives an action, and returns the record.

It knows nothing about agents, clocks or event loops. Drivers ask the agents and send in their answers, or throw in
what went wrong. A mix is written down before the game draws one of its actions.

So the same code serves scripted bots at full speed and hundreds of games at once, with equal records.
"""

from collections.abc import Callable, Generator
from typing import Any, TypeAlias

from molt_bench.errors import AgentFailed, IllegalAction, RulesError, not_an_action
from molt_bench.play.after_fault import Faults
from molt_bench.play.dice import Dice
from molt_bench.play.hooks import Listening, Notice
from molt_bench.poker.actions import Action
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, not_legal_in_mix
from molt_bench.poker.mix import Mix, mixes_to_text
from molt_bench.poker.notation import hand_to_text
from molt_bench.poker.observation import Observation
from molt_bench.poker.views import observe, result_for
from molt_bench.records import Fault, GameRecord
from molt_bench.specs import GameSpec

#: A call to an agent; it may return an awaitable.
Call: TypeAlias = Callable[[], Any]
GameEvents: TypeAlias = Generator[Observation | Notice, Any, GameRecord]


def game_events(spec: GameSpec, *, listening: Listening = ((), ())) -> GameEvents:
    """Play a game.

    Args:
        spec: What to play.
        listening: The hooks of the agents in seats 0 and 1.

    Yields:
        An `Observation`, to be answered with an action or an `AgentFailed`; or a `Notice`.

    Returns:
        The record of the game.
    """
    game, faults = _Game(spec), Faults(spec, listening)
    for seat in (0, 1):
        yield from faults.notify(seat, "reset")
    rules, shoe, max_actions = game.rules, Shoe(spec.decks), spec.max_actions
    first_scored, hearing, carried = spec.warmup_hands + 1, faults.hearing, spec.stacks == "carry"
    stacks = fresh_stacks = (spec.stack, spec.stack)
    for number in range(1, spec.warmup_hands + spec.hands + 1):
        if number == first_scored:
            stacks = fresh_stacks
        hand = Hand(rules, shoe.deal(number), stacks, (number - 1) & 1)
        forced = False
        while hand.actor >= 0:
            if len(hand.betting.log) >= max_actions:
                hand.close_raising()
            observation = observe(hand, number)
            try:
                action = yield observation
                if type(action) is Action:
                    hand.apply(action)
                else:
                    game.take(hand, number, action)
            except (AgentFailed, IllegalAction) as failure:
                forced = yield from faults.retry(hand, observation, failure, game.take)
        game.finish(hand, number, forced=forced)
        if hearing:
            faults.hand_number = number
            for seat in (0, 1):
                yield from faults.notify(seat, "on_hand_complete", result_for(hand, seat, number))
        if carried:
            stacks = hand.stacks
            if not (stacks[0] and stacks[1]):
                if number >= first_scored:
                    break
                stacks = fresh_stacks
    return game.record(tuple(faults.made))


class _Game:
    """The state of a game from hand to hand."""

    __slots__ = ("action_counts", "dice", "first_is_a", "mixed", "mixes", "nets", "rules", "spec", "texts")

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.rules = spec.rules
        self.first_is_a = spec.seating == "AB"
        self.nets: list[int] = []
        self.texts: list[str] = []
        self.action_counts: list[int] = []
        self.dice = Dice(spec)
        self.mixes: dict[int, Mix] = {}
        self.mixed: list[str] = []

    def take(self, hand: Hand, number: int, answer: Any) -> None:
        """Play what the seat to act answered; a mix is written down, then one of its actions is drawn.

        Raises:
            AgentFailed: It is no answer.
            IllegalAction: It is not legal, or an entry of it is not; the hand is unchanged.
        """
        if type(answer) is Mix:
            betting = hand.betting
            if not answer.is_legal(betting):
                raise IllegalAction(not_legal_in_mix(answer, hand.legal_actions()))
            decision = len(betting.log)
            self.mixes[decision] = answer
            answer = answer.drawn(*self.dice.throw(hand.actor, number, decision))
        elif type(answer) is not Action:
            raise not_an_action(answer)
        hand.apply(answer)

    def finish(self, hand: Hand, number: int, *, forced: bool) -> None:
        """Check the chips of a finished hand, and record it."""
        betting = hand.betting
        first, second = hand.payoffs
        stack, other = betting.start.stacks
        left, other_left = betting.limits
        if first + second or betting.pot + left + other_left != stack + other or not -stack <= first <= other:
            raise RulesError(f"chips were lost or made in hand {number} of seed {self.spec.seed!r}")
        self.nets.append(first if self.first_is_a else second)
        self.texts.append(hand_to_text(hand, number, forced=forced))
        self.action_counts.append(len(betting.log))
        if self.mixes:
            self.mixed += [""] * (number - 1 - len(self.mixed))
            self.mixed.append(mixes_to_text(self.mixes))
            self.mixes = {}

    def record(self, faults: tuple[Fault, ...]) -> GameRecord:
        """Return the record of the game."""
        spec = self.spec
        forced = [fault.player for fault in faults if fault.forced_fold and fault.hand_number > spec.warmup_hands]
        both_failed = len(forced) == sum(self.action_counts[spec.warmup_hands :]) and {*forced} == {0, 1}
        won = 0 if both_failed else sum(self.nets[spec.warmup_hands :])
        return GameRecord(
            spec=spec,
            net=(won, -won),
            hands=len(self.nets) - spec.warmup_hands,
            hand_nets=tuple(self.nets),
            hand_texts=tuple(self.texts),
            mixes=self._all_mixed(),
            actions=sum(self.action_counts),
            faults=faults,
            both_failed=both_failed,
        )

    def _all_mixed(self) -> tuple[str, ...]:
        """Return a line of mixes for every hand; none if the game has no mix."""
        return (*self.mixed, *[""] * (len(self.texts) - len(self.mixed))) if self.mixed else ()
