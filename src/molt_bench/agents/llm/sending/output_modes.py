"""Output modes of a model: native, tool, prompted, text. One that the server refuses makes room for a simpler one."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from molt_bench.agents.llm.types import OutputMode

#: From the strictest to the simplest.
_LADDER: Final[tuple[OutputMode, ...]] = get_args(OutputMode)


class OutputModes:
    """The output modes of one model: the one in use, and those that it has answered in.

    Attributes:
        current: The output mode of the next request.
        answered: The output modes in which the model has answered.
        is_auto: Whether the output mode was left to us.

    Args:
        asked: The mode that the user asks for.
        profile: What the library says the model supports.
    """

    def __init__(self, asked: OutputMode | Literal["auto"], profile: Mapping[str, object]) -> None:
        self.is_auto = asked == "auto"
        self.current: OutputMode = asked if asked != "auto" else _best_mode(profile)
        self.answered: set[OutputMode] = set()

    def can_step_down(self, refused: OutputMode) -> bool:
        """Return whether there is a simpler output mode than one that the server refused and never accepted."""
        if not self.is_auto or refused in self.answered:
            return False
        return self.current != refused or refused != _LADDER[-1]

    def step_down(self, refused: OutputMode) -> bool:
        """Use the next simpler output mode from now on; return False if that happened after the request was sent."""
        if self.current != refused:
            return False
        self.current = _LADDER[_LADDER.index(refused) + 1]
        return True


def _best_mode(profile: Mapping[str, object]) -> OutputMode:
    if profile.get("supports_json_schema_output"):
        return "native"
    if profile.get("supports_tools", True):
        return "tool"
    return "prompted" if profile.get("supports_json_object_output") else "text"
