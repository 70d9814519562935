"""The `sandbox` of a participant or a config, as a user writes it."""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator

#: `on` and `off` are what `--sandbox` and `--no-sandbox` are; YAML reads them as true and false.
_WORDS: Final = {True: "bwrap", "on": "bwrap", False: "off"}
SandboxSetting: TypeAlias = Annotated[
    Literal["auto", "bwrap", "off"],
    BeforeValidator(
        lambda value: _WORDS.get(value, value) if isinstance(value, bool | str) else value,
        json_schema_input_type=bool | Literal["auto", "bwrap", "off", "on"],
    ),
]
