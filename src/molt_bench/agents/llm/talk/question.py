"""A question to a model: everything that it is told, and the hash of it."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from molt_bench.specs import GameLabel


class ToolCall(msgspec.Struct, frozen=True):
    """A call of one of our tools: the provider's name for it, the tool, and the arguments as the model wrote them."""

    id: str
    name: str
    arguments: str


class ToolStep(msgspec.Struct, frozen=True):
    """What a model asked of our tools in one reply, and what it was told.

    Attributes:
        turn: The reply, as the library of its provider writes it.
    """

    turn: str
    calls: tuple[ToolCall, ...]
    answers: tuple[str, ...]

    def __str__(self) -> str:
        told = zip(self.calls, self.answers, strict=True)
        return "\n".join(f"You asked {call.name} {call.arguments}: {answer}" for call, answer in told)


class Turn(NamedTuple):
    """An earlier message of a conversation, and the answer to it."""

    asked: str
    said: str


class Question(msgspec.Struct, frozen=True):
    """One question to a model.

    Attributes:
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1.
        hand_held: What the model's hand is, to check its reading.
        to_call: Chips a call costs, to check its reading.
        sample: The same question is asked several times: which of them this is, from 0.
        steps: What the model asked of our tools so far, and was told.
        earlier: What is sent before the message, in a conversation.
        shortened: How often that has lost its oldest part at this attempt, since the model's context was full.
        can_shorten: Whether it can lose more of it.
    """

    game: GameLabel
    hand: int
    decision: int
    attempt: int
    message: str
    hand_held: str
    to_call: int
    sample: int = 0
    steps: tuple[ToolStep, ...] = ()
    earlier: tuple[Turn, ...] = ()
    shortened: int = 0
    can_shorten: bool = False


def prompt_hash(
    harness: str, system: str, message: str, earlier: Sequence[Turn] = (), steps: Iterable[ToolStep] = ()
) -> str:
    """Return the hash of a harness, by its label, and of everything that is sent."""
    sent = (harness, system, *(text for turn in earlier for text in turn), with_steps(message, steps))
    return sha256("\0".join(sent).encode()).hexdigest()


def with_steps(message: str, steps: Iterable[ToolStep]) -> str:
    """Return a message with everything that was asked of our tools after it, and answered."""
    return "\n\n".join([message, *map(str, steps)])
