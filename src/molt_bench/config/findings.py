"""Findings: all that is wrong with a config, collected while it is validated once."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError


class Findings:
    """What is wrong with a config, in pydantic's words.

    Attributes:
        details: Each mistake, as pydantic describes it, with its place in the whole config.
        wrong: The sections that have one.
    """

    def __init__(self) -> None:
        self.details: list[dict[str, Any]] = []
        self.wrong: set[str] = set()

    def take(self, section: str, error: ValidationError) -> set[int | str]:
        """Take note of what is wrong in a section, or in the whole for ""; return the fields or entries that are."""
        own: list[dict[str, Any]] = [dict(each) for each in error.errors()]
        # One of our checks finds several at once; pydantic counts only those entries of a list that are right.
        each = [one for problem in own for one in _each(problem) if not _counted_wrong(one)]
        where = (section,) if section else ()
        self.details += [{**problem, "loc": (*where, *problem["loc"])} for problem in each]
        self.wrong |= {section}
        return {problem["loc"][0] for problem in own if problem["loc"]}

    def unknown(self, name: str, value: object) -> None:
        """Take note of a field that does not exist."""
        self.details.append({"type": "extra_forbidden", "loc": (name,), "input": value})

    def across(self, found: Sequence[tuple[str, object, str]]) -> None:
        """Take note of what our own checks across sections found."""
        self.details += [_ours(each, ()) for each in found]


def _each(problem: dict[str, Any]) -> list[dict[str, Any]]:
    found = problem.get("ctx", {}).get("found")
    return [problem] if found is None else [_ours(each, problem["loc"]) for each in found]


def _ours(found: tuple[str, object, str], loc: tuple[int | str, ...]) -> dict[str, Any]:
    field, value, expected = found
    return {"type": "ours", "loc": loc, "input": value, "ctx": {"field": field, "expected": expected}}


def _counted_wrong(problem: dict[str, Any]) -> bool:
    return problem["type"] == "too_short" and bool(len(problem["input"]) >= problem["ctx"]["min_length"])
