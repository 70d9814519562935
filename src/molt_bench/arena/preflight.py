"""Preflight: everybody is asked once before the first card, so that whoever is not there is noticed at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from molt_bench.errors import ConfigError

#: Finds out whether a participant can be asked; raises an error of one clear line if not.
Greet: TypeAlias = Callable[[], Awaitable[None]]


async def preflight(free: Mapping[str, Greet], paid: Mapping[str, Greet]) -> None:
    """Ask everybody once, all at the same time; those who are paid for only once all others have answered.

    Args:
        free: The programs and servers, by participant.
        paid: The language models.

    Raises:
        ConfigError: A server that is not there, or does not answer as it should.
        AgentError: A program that does not start, or does not answer as it should.
        ProviderError: A model's provider cannot be reached, or refuses for good.
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
    """Return how an agent is greeted before its first game; None for one that needs no greeting."""
    greet = getattr(agent, "greet", None)
    return greet if callable(greet) else None
