"""A game as a generator: it yields what the seat to act sees, receives an action, and returns the record.

It knows nothing about agents, clocks or event loops. Drivers ask the agents and send in their answers, or throw in
what went wrong. So the same code serves scripted bots at full speed and hundreds of games at once, with equal records.
A driver of plain code can hand in a function that asks, which spares it the way out of the generator and back.
"""

from collections.abc import Callable, Collection, Generator
from hashlib import blake2b
from struct import Struct
from typing import Any, Final, Literal, TypeAlias, overload

import msgspec
from msgspec import UNSET

from molt_bench.errors import AgentFailed, FaultKind, IllegalAction, RulesError, shown
from molt_bench.poker.actions import FOLD, Action
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import hand_to_text
from molt_bench.poker.observation import HandResult, Observation, PlayedHand, observe, result_for
from molt_bench.records import MESSAGE_LENGTH, Fault, GameRecord
from molt_bench.seeds import derive_last, label_bytes
from molt_bench.specs import GameSpec

Hook: TypeAlias = Literal["reset", "on_hand_complete", "on_error"]
HOOKS: Final[tuple[Hook, ...]] = ("reset", "on_hand_complete", "on_error")

#: Hands of a game that are handed on with what was seen in them, some 15 MB; none of a game that has more.
MOST_HANDS: Final = 8192
#: The noise of a hand under a seed of its own.
_OWN_NOISE: Final = Struct("<16I").unpack
#: The most decisions of a hand whose noise comes at once.
_MOST_NOISE: Final = 16


class Notice(msgspec.Struct, frozen=True, gc=False):
    """A hook for the driver to call on the agent in `seat`; its answer is ignored."""

    seat: int
    hook: Hook
    arguments: tuple[HandResult | str, ...] = ()


class Answered(msgspec.Struct, frozen=True):
    """What `Ask` returned for the agent in `seat`, if not an `Action`: the driver awaits it, or sends it back."""

    seat: int
    answer: Any


#: A call to an agent; it may return an awaitable.
Call: TypeAlias = Callable[[], Any]
#: Returns the answer of an agent, or `NOT_ASKED`; raises `AgentFailed` for whatever the agent raises.
Ask: TypeAlias = Callable[[Observation], Any]
NOT_ASKED: Final = object()
GameEvents: TypeAlias = Generator[Observation | Notice, Any, GameRecord]
#: The same with `Ask`.
AskedEvents: TypeAlias = Generator[Observation | Notice | Answered, Any, GameRecord]
_Listening: TypeAlias = tuple[Collection[Hook], Collection[Hook]]


@overload
def game_events(spec: GameSpec, *, listening: _Listening = ((), ())) -> GameEvents: ...


@overload
def game_events(
    spec: GameSpec, *, listening: _Listening = ((), ()), hands: list[PlayedHand] | None, ask: Ask | None
) -> AskedEvents: ...


def game_events(
    spec: GameSpec,
    *,
    listening: _Listening = ((), ()),
    hands: list[PlayedHand] | None = None,
    ask: Ask | None = None,
) -> AskedEvents:
    """Play a game.

    Args:
        spec: What to play.
        listening: The hooks of the agents in seats 0 and 1.
        hands: Filled with the hands as they were played, if somebody will take the luck out of them.
        ask: Asks an agent at once, for a decision that is not asked again after a failure.

    Yields:
        An `Observation`, to be answered with an action or an `AgentFailed`; or a `Notice`; or, with `ask`, what is
        `Answered`, to be answered like the observation.

    Returns:
        The record of the game.
    """
    game = _Game(spec, listening)
    for seat in (0, 1):
        yield from game.notify(seat, "reset")
    rules, shoe, own_noise = game.rules, Shoe(spec.decks), _own_noise(spec)
    max_actions, first_scored, hearing = spec.max_actions, spec.warmup_hands + 1, game.hearing
    stacks = fresh_stacks = (spec.stack, spec.stack)
    carried, many_actions = spec.stacks == "carry", spec.max_actions >= _MOST_NOISE
    if spec.warmup_hands + spec.hands > MOST_HANDS:
        hands = None
    for number in range(1, spec.warmup_hands + spec.hands + 1):
        if number == first_scored:
            stacks = fresh_stacks
        # Where agents are trusted, what the cards of a hand leave over is the noise of its first decisions.
        deal, noise = shoe.hand(number)
        if own_noise is not None:
            noise = own_noise(number)
        hand = Hand(rules, deal, stacks, (number - 1) & 1)
        forced = False
        seen: list[Observation] = []
        some_noise = noise if many_actions else noise[:max_actions]
        while hand.actor >= 0:
            for bits in some_noise:
                observation = observe(hand, number, bits)
                if hands is not None:
                    seen.append(observation)
                try:
                    action = NOT_ASKED if ask is None else ask(observation)
                    if type(action) is not Action:
                        action = yield observation if action is NOT_ASKED else Answered(observation.seat, action)
                        if type(action) is not Action:
                            raise AgentFailed("unreadable", _not_an_action(action))
                    hand.apply(action)
                except (AgentFailed, IllegalAction) as failure:
                    forced = yield from game.retry(hand, observation, failure)
                if hand.actor < 0:
                    break
            else:
                some_noise = game.prolong(hand, number, noise)
        game.finish(hand, number, forced=forced)
        if hands is not None:
            hands.append(PlayedHand(number, hand, seen))
        if hearing:
            game.hand_number = number
            for seat in (0, 1):
                yield from game.notify(seat, "on_hand_complete", result_for(hand, seat, number))
        if carried:
            stacks = hand.stacks
            if not (stacks[0] and stacks[1]):
                if number >= first_scored:
                    break
                stacks = fresh_stacks
    return game.record()


class _Game:
    """The state of a game from hand to hand."""

    __slots__ = (
        "action_counts",
        "faults",
        "first_is_a",
        "hand_number",
        "hearing",
        "late_noise",
        "listening",
        "nets",
        "rules",
        "spec",
        "texts",
    )

    def __init__(self, spec: GameSpec, listening: _Listening) -> None:
        self.spec = spec
        self.rules = spec.rules
        self.first_is_a = spec.seating == "AB"
        self.listening = listening
        self.hearing = any("on_hand_complete" in hooks for hooks in listening)
        self.hand_number = 0
        self.late_noise = derive_last(spec.seed if spec.noise_seed is UNSET else spec.noise_seed, "noise")
        self.nets: list[int] = []
        self.texts: list[str] = []
        self.action_counts: list[int] = []
        self.faults: list[Fault] = []

    def player(self, seat: int) -> int:
        """Return the player in `seat`: 0 for player A, 1 for player B."""
        return seat if self.first_is_a else 1 - seat

    def prolong(self, hand: Hand, number: int, noise: tuple[int, ...]) -> tuple[int, ...]:
        """Return the noise of the next decision of a long hand alone; close raising if the hand is too long."""
        decision = len(hand.log)
        if decision >= self.spec.max_actions:
            hand.close_raising()
        if decision < len(noise):
            return (noise[decision],)
        return (self.late_noise(number, decision) & 0xFFFFFFFF,)

    def notify(self, seat: int, hook: Hook, *arguments: HandResult | str) -> Generator[Notice, Any, None]:
        """Have a hook called, if the agent has it; an exception is recorded as a fault."""
        if hook in self.listening[seat]:
            try:
                yield Notice(seat, hook, arguments)
            except AgentFailed as failure:
                self.fault(seat, failure.kind, f"{hook}: {failure}", attempt=0)

    def fault(self, seat: int, kind: FaultKind, message: str, *, attempt: int, forced_fold: bool = False) -> None:
        """Record an agent's mistake."""
        player, text = self.player(seat), message[:MESSAGE_LENGTH]
        self.faults.append(Fault(player, self.hand_number, kind, text, attempt, forced_fold))

    def retry(
        self, hand: Hand, observation: Observation, failure: AgentFailed | IllegalAction
    ) -> Generator[Observation | Notice, Any, bool]:
        """Record a failed answer and ask again, passing the error on; after the last try, fold and return True."""
        seat = observation.seat
        attempt = 1
        self.hand_number = observation.hand_number
        while True:
            kind = failure.kind if isinstance(failure, AgentFailed) else "illegal"
            said = str(failure)[:MESSAGE_LENGTH]
            last = attempt > self.spec.max_retries
            self.fault(seat, kind, said, attempt=attempt, forced_fold=last)
            yield from self.notify(seat, "on_error", said)
            if last:
                hand.apply(FOLD)
                return True
            attempt += 1
            try:
                action = yield msgspec.structs.replace(observation, previous_error=said)
                if type(action) is not Action:
                    raise AgentFailed("unreadable", _not_an_action(action))
                hand.apply(action)
            except (AgentFailed, IllegalAction) as next_failure:
                failure = next_failure
            else:
                return False

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

    def record(self) -> GameRecord:
        """Return the record of the game."""
        spec = self.spec
        forced = [fault.player for fault in self.faults if fault.forced_fold and fault.hand_number > spec.warmup_hands]
        both_failed = len(forced) == sum(self.action_counts[spec.warmup_hands :]) and {*forced} == {0, 1}
        won = 0 if both_failed else sum(self.nets[spec.warmup_hands :])
        return GameRecord(
            spec=spec,
            net=(won, -won),
            hands=len(self.nets) - spec.warmup_hands,
            hand_nets=tuple(self.nets),
            hand_texts=tuple(self.texts),
            actions=sum(self.action_counts),
            faults=tuple(self.faults),
            both_failed=both_failed,
        )


def _own_noise(spec: GameSpec) -> Callable[[int], tuple[int, ...]] | None:
    """Return a function for the noise of a hand's first decisions; None if the noise comes with the cards.

    An agent could know this code and try seeds until one gives the noise it sees. With a seed of its own, that noise
    leads neither to the seed of the decks nor to that of the run.
    """
    if spec.noise_seed is UNSET:
        return None
    prefix = label_bytes("noise") + label_bytes(spec.noise_seed)
    return lambda number: _OWN_NOISE(blake2b(prefix + number.to_bytes(8, "big")).digest())


def _not_an_action(answer: object) -> str:
    return f"the answer is {shown(answer)}, not an Action such as Action('call')"
