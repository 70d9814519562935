"""The `sandbox` of a participant or a config, as a user writes it."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from molt_bench.agents.settings_base import Name, Section


class PodmanSandbox(Section):
    """A container of podman."""

    kind: Literal["podman"]
    image: Annotated[Name, Field(description="The image, which has to be on this machine: nothing is downloaded.")]


class UserSandbox(Section):
    """Another user of this machine."""

    kind: Literal["user"]
    name: Annotated[Name, Field(description="The user, as whom `sudo` runs programs without a password.")]


#: `on` and `off` are what `--sandbox` and `--no-sandbox` are; YAML reads them as true and false.
_WORDS: Final = {True: "bwrap", "on": "bwrap", False: "off"}
SandboxSetting: TypeAlias = Annotated[
    Literal["auto", "bwrap", "off"] | PodmanSandbox | UserSandbox,
    BeforeValidator(
        lambda value: _WORDS.get(value, value) if isinstance(value, bool | str) else value,
        json_schema_input_type=bool | Literal["auto", "bwrap", "off", "on"] | PodmanSandbox | UserSandbox,
    ),
]


def plain_setting(setting: Any) -> str | dict[str, str] | None:
    """Return a setting in plain values, as a participant's spec has it."""
    return setting.model_dump() if isinstance(setting, Section) else setting
