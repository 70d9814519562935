"""Who answered: whether the model that a provider reports is the one that was asked for."""

import re
from collections.abc import Iterable
from typing import Final

from molt_bench.visible_text import on_one_line

#: Most other names that are told of one participant.
_MOST_TOLD: Final = 5
#: Most characters of a name that is told.
_LONGEST: Final = 100
#: What a provider adds to a model's name for one state of it: a date, a number of three digits or more, a word.
_DATE: Final = r"\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|\d{3,8}"
_STATE: Final = re.compile(rf"(?:[-@.:](?:{_DATE}|latest|preview|exp|beta|free|v\d+(?:[.:]\d+)?))*")


def same_model(asked: str, reported: str) -> bool:
    """Return whether a reported name is that of the model asked for, or of a dated state of it.

    Folders and vendors before a name do not count, nor do upper case and file extensions.

    >>> same_model("gpt-4.1", "gpt-4.1-2025-04-14"), same_model("mistral-large-latest", "mistral-large-2411")
    (True, True)
    >>> same_model("gpt-4.1", "gpt-4.1-mini"), same_model("gpt-4-0613", "gpt-4-1106"), same_model("o3", "o3-mini")
    (False, False, False)
    """
    one, two = _bare(asked), _bare(reported)
    if one == two:
        return True
    # Whoever asks for one state by its date wants no other.
    one = re.sub(r"[-:](?:latest|free)$", "", one)
    longer, shorter = (two, one) if len(two) >= len(one) else (one, two)
    return longer.startswith(shorter) and _STATE.fullmatch(longer[len(shorter) :]) is not None


def _bare(name: str) -> str:
    return name.strip().lower().rpartition("/")[2].removesuffix(".gguf")


def other_models(participant: str, model: str, reported: Iterable[str]) -> list[str]:
    """Return a warning for each other model that has answered in place of the one asked for.

    Args:
        participant: Who was asked.
        model: Its model, as `provider:name`.
        reported: The models that its provider has reported.
    """
    others = [name for name in reported if not same_model(model.partition(":")[2], name)]
    wanted = f"{participant} was to be {model}"
    found = [f"{wanted}, but {on_one_line(name[:_LONGEST])} has answered" for name in others[:_MOST_TOLD]]
    if len(others) > _MOST_TOLD:
        found.append(f"{wanted}, and more than {_MOST_TOLD} others have answered")
    return found
