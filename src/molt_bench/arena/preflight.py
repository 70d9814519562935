"""Preflight: contacts every participant once before the first card, so that a missing one is noticed at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from molt_bench.errors import ConfigError

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
        try:
            async with asyncio.TaskGroup() as group:
                for participant, greet in greets.items():
                    group.create_task(_asked(participant, greet))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None  # one clear line is enough


async def _asked(participant: str, greet: Greet) -> None:
    try:
        await greet()
    except ConfigError as error:
        raise ConfigError(f"participants.{participant}.{error.field}", error.value, error.expected) from error


def greeting_of(agent: Any) -> Greet | None:
    """Return an agent's preflight check; None if it needs none."""
    greet = getattr(agent, "greet", None)
    return greet if callable(greet) else None
