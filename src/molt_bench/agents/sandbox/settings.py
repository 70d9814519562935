"""The `sandbox` of a participant or a config, as a user writes it."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from molt_bench.agents.settings_base import Name, Section


class UserSandbox(Section):
    """Another user of this machine."""

    kind: Literal["user"]
    name: Annotated[Name, Field(description="The user, as whom `sudo` runs programs without a password.")]


#: `false` is the same as `off`, which YAML has to have in quotes.
SandboxSetting: TypeAlias = Annotated[
    Literal["auto", "bwrap", "off"] | UserSandbox, BeforeValidator(lambda value: "off" if value is False else value)
]


def plain_setting(setting: Any) -> str | dict[str, str] | None:
    """Return a setting in plain values, as a participant's spec has it."""
    return setting.model_dump() if isinstance(setting, Section) else setting
