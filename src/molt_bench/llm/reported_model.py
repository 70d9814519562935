"""Who answered: whether the model that a provider reports is the one that was asked for."""

import re
from collections.abc import Iterable
from typing import Final

from molt_bench.visible_text import on_one_line

#: Most other names that are told of one participant, and most characters of each.
_MOST_TOLD: Final = 5
_LONGEST: Final = 100
#: What a provider adds to a model's name for one state of it: a date, a number of two digits or more, a word.
_STATE: Final = re.compile(r"(?:[-@.:](?:\d{2,8}(?:-\d{2,4}){0,2}|latest|preview|exp|beta|free|v\d+(?:[.:]\d+)?))*")


def same_model(asked: str, reported: str) -> bool:
    """Return whether a reported name is that of the model asked for, or of a dated state of it.

    Folders and vendors before a name do not count, nor do upper case and file extensions.

    >>> same_model("gpt-4.1", "gpt-4.1-2025-04-14"), same_model("mistral-large-latest", "mistral-large-2411")
    (True, True)
    >>> same_model("gpt-4.1", "gpt-4.1-mini"), same_model("gpt-4-0613", "gpt-4-1106"), same_model("o3", "o3-mini")
    (False, False, False)
    """
    one, two = (name.strip().lower().rpartition("/")[2].removesuffix(".gguf") for name in (asked, reported))
    # Who asks for one state by its date wants no other.
    shorter, longer = sorted((re.sub(r"[-:](?:latest|free)$", "", one) if one != two else one, two), key=len)
    return bool(shorter) and longer.startswith(shorter) and _STATE.fullmatch(longer[len(shorter) :]) is not None


def other_models(participant: str, model: str, reported: Iterable[str]) -> list[str]:
    """Return a warning for each other model that has answered in place of the one asked for, as `provider:name`."""
    others = [name for name in reported if not same_model(model.partition(":")[2], name)]
    told = [f"but {on_one_line(name[:_LONGEST])} has answered" for name in others[:_MOST_TOLD]]
    told += [f"and more than {_MOST_TOLD} others have answered"] if len(others) > _MOST_TOLD else []
    return [f"{participant} was to be {model}, {each}" for each in told]
