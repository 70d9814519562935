"""The settings of whoever can play in a box, as a user writes them."""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from molt_bench.agents.settings_base import AgentSettings

#: `on` and `off` are what `--sandbox` and `--no-sandbox` are; YAML reads them as true and false.
_WORDS: Final = {True: "bwrap", "on": "bwrap", False: "off"}
SandboxSetting: TypeAlias = Annotated[
    Literal["auto", "bwrap", "off"],
    BeforeValidator(
        lambda value: _WORDS.get(value, value) if isinstance(value, bool | str) else value,
        json_schema_input_type=bool | Literal["auto", "bwrap", "off", "on"],
    ),
]
#: What a config says about it.
SANDBOX: Final = Field(
    description="The box it plays in: `auto` (bubblewrap where it works), `bwrap` or `on` (or not at all), or `off`."
)


class SandboxSettings(AgentSettings):
    """The box of code that plays on this machine."""

    sandbox: Annotated[SandboxSetting, SANDBOX] = "auto"
    network: Annotated[
        bool,
        Field(description="Whether it may use the network in its box; it is not isolated then, unless it says so."),
    ] = False

    @property
    def with_network(self) -> str:
        """What is said of its network."""
        return " with network" if self.network else ""
