"""A game as a generator: it yields what the seat to act sees, receives an action, and returns the record.

It knows nothing about agents, clocks or event loops. Drivers ask the agents and send in their answers, or throw in
what went wrong. So the same code serves scripted bots at full speed and hundreds of games at once, with equal records.
"""

from collections.abc import Callable, Collection, Generator
from hashlib import blake2b
from struct import Struct
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from molt_bench.errors import AgentFailed, FaultKind, IllegalAction, RulesError, shown
from molt_bench.poker.actions import FOLD, Action
from molt_bench.poker.deck import Shoe, deal
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import hand_to_text
from molt_bench.poker.observation import HandResult, Observation, observe, result_for
from molt_bench.poker.played import MOST_PLAYED, PlayedHand, remember
from molt_bench.records import MESSAGE_LENGTH, Fault, GameRecord
from molt_bench.seeds import derive, label_bytes
from molt_bench.specs import GameSpec

Hook: TypeAlias = Literal["reset", "on_hand_complete", "on_error"]
HOOKS: Final[tuple[Hook, ...]] = ("reset", "on_hand_complete", "on_error")

#: Where agents are trusted, the bytes a hand's cards leave over are the noise of its first decisions, four bytes each.
_NOISE: Final = Struct("<36x7I").unpack
_NOISES: Final = 7
#: The noise of a hand under a seed of its own.
_OWN_NOISE: Final = Struct("<16I").unpack


class Notice(msgspec.Struct, frozen=True, gc=False):
    """A hook for the driver to call on the agent in `seat`; its answer is ignored."""

    seat: int
    hook: Hook
    arguments: tuple[HandResult | str, ...] = ()


#: A call to an agent; it may return an awaitable.
Call: TypeAlias = Callable[[], Any]
Turns: TypeAlias = Generator[Observation | Notice, Any, GameRecord]
_Listening: TypeAlias = tuple[Collection[Hook], Collection[Hook]]


def turns(spec: GameSpec, *, listening: _Listening = ((), ()), remembered: bool = False) -> Turns:
    """Play a game.

    Args:
        spec: What to play.
        listening: The hooks of the agents in seats 0 and 1.
        remembered: Whether its hands are kept for a while, because somebody will take the luck out of them.

    Yields:
        An `Observation`, to be answered with an action or an `AgentFailed`; or a `Notice`.

    Returns:
        The record of the game.
    """
    game = _Game(spec, listening)
    for seat in (0, 1):
        yield from game.notify(seat, "reset")
    rules, shoe, own_noise = game.rules, Shoe(spec.decks), _own_noise(spec)
    long_from = min(_NOISES, spec.max_actions)
    stacks = fresh_stacks = (spec.stack, spec.stack)
    carried = spec.stacks == "carry"
    remembered = remembered and spec.warmup_hands + spec.hands <= MOST_PLAYED
    played: list[PlayedHand] = []
    for number in range(1, spec.warmup_hands + spec.hands + 1):
        if number == spec.warmup_hands + 1:
            stacks = fresh_stacks
        entropy = shoe.entropy(number)
        hand = Hand(rules, deal(entropy), stacks, (number - 1) & 1)
        noise = _NOISE(entropy) if own_noise is None else own_noise(number)
        forced = False
        decision = 0
        seen: list[Observation] = []
        while hand.actor >= 0:
            if decision >= long_from:
                noise = game.prolong(hand, number, noise)
            observation = observe(hand, number, noise[decision])
            decision += 1
            if remembered:
                seen.append(observation)
            try:
                action = yield observation
                if type(action) is not Action:
                    raise AgentFailed("unreadable", _not_an_action(action))
                hand.apply(action)
            except (AgentFailed, IllegalAction) as failure:
                forced = yield from game.retry(hand, observation, failure)
        text = hand_to_text(hand, number, forced=forced)
        game.finish(hand, number, text)
        if remembered:
            played.append((number, hand, seen))
        if game.hearing:
            for seat in (0, 1):
                yield from game.notify(seat, "on_hand_complete", result_for(hand, seat, number))
        if carried:
            stacks = hand.stacks
            if not (stacks[0] and stacks[1]):
                if number > spec.warmup_hands:
                    break
                stacks = fresh_stacks
    record = game.record()
    if remembered:
        remember(record.hand_texts, spec.max_actions, played)
    return record


class _Game:
    """The state of a game from hand to hand."""

    __slots__ = (
        "actions",
        "faults",
        "first_is_a",
        "hand_number",
        "hearing",
        "listening",
        "nets",
        "rules",
        "scored_actions",
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
        self.nets: list[int] = []
        self.texts: list[str] = []
        self.faults: list[Fault] = []
        self.actions = 0
        self.scored_actions = 0

    def player(self, seat: int) -> int:
        """Return the player in `seat`: 0 for player A, 1 for player B."""
        return seat if self.first_is_a else 1 - seat

    def prolong(self, hand: Hand, number: int, noise: tuple[int, ...]) -> tuple[int, ...]:
        """Return noise for one more decision of a long hand; close raising if the hand is too long."""
        decision = len(hand.log)
        if decision >= self.spec.max_actions:
            hand.close_raising()
        if decision < len(noise):
            return noise
        seed = self.spec.seed if self.spec.noise_seed is UNSET else self.spec.noise_seed
        return (*noise, derive(seed, "noise", number, decision) & 0xFFFFFFFF)

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

    def finish(self, hand: Hand, number: int, text: str) -> None:
        """Check the chips of a finished hand, and record it."""
        betting = hand.betting
        first, second = hand.payoffs
        stack, other = betting.start.stacks
        left, other_left = betting.limits
        if first + second or betting.pot + left + other_left != stack + other or not -stack <= first <= other:
            raise RulesError(f"chips were lost or made in hand {number} of seed {self.spec.seed!r}")
        self.nets.append(first if self.first_is_a else second)
        self.texts.append(text)
        actions = len(betting.log)
        self.actions += actions
        if number > self.spec.warmup_hands:
            self.scored_actions += actions
        self.hand_number = number

    def record(self) -> GameRecord:
        """Return the record of the game."""
        spec = self.spec
        forced = [fault.player for fault in self.faults if fault.forced_fold and fault.hand_number > spec.warmup_hands]
        both_failed = len(forced) == self.scored_actions and {*forced} == {0, 1}
        won = 0 if both_failed else sum(self.nets[spec.warmup_hands :])
        return GameRecord(
            spec=spec,
            net=(won, -won),
            hands=len(self.nets) - spec.warmup_hands,
            hand_nets=tuple(self.nets),
            hand_texts=tuple(self.texts),
            actions=self.actions,
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
