"""JSON Schemas of structs, with the same descriptions on every Python."""

from inspect import cleandoc
from typing import Any

import msgspec


def struct_schemas(*types: Any) -> tuple[tuple[dict[str, Any], ...], dict[str, dict[str, Any]]]:
    """Return a schema for each type, and those of the structs that they refer to, by name.

    Descriptions are the docstrings, without their indentation: from Python 3.13 on, docstrings have none.
    """
    found, named = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for schema in named.values():
        if "description" in schema:
            schema["description"] = cleandoc(schema["description"])
    return found, named
