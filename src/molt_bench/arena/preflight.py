"""Preflight: contacts every participant once before the first card, so that a missing one is noticed at once."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from molt_bench.errors import ConfigError
from molt_bench.play.event_loop import all_together

#: Checks that a participant can be reached; raises a clear one-line error if not.
Greet: TypeAlias = Callable[[], Awaitable[None]]


async def preflight(free: Mapping[str, Greet], paid: Mapping[str, Greet]) -> None:
    """Contact all participants concurrently; paid ones, the models, only once all others have answered.

    Raises:
        ConfigError: A server is unreachable, or does not answer as it should.
        AgentError: A program does not start, or does not answer as it should.
        ProviderError: A model's provider is unreachable, or refuses permanently.
    """
    for greets in (free, paid):
        await all_together(_asked(participant, greet) for participant, greet in greets.items())


async def _asked(participant: str, greet: Greet) -> None:
    try:
        await greet()
    except ConfigError as error:
        raise ConfigError(f"participants.{participant}.{error.field}", error.value, error.expected) from error


def greeting_of(agent: Any) -> Greet | None:
    """Return an agent's preflight check; None if it needs none."""
    greet = getattr(agent, "greet", None)
    return greet if callable(greet) else None
