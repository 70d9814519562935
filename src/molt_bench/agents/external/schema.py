"""The protocol as one JSON Schema. `python -m molt_bench.agents.external.schema` prints it."""

import json
from typing import Any

import msgspec

from molt_bench.agents.external.protocol import PROTOCOL, FromAgent, ToAgent


def protocol_schema() -> dict[str, Any]:
    """Return the JSON Schema of every message; `$defs/ToAgent` and `$defs/FromAgent` are the two directions."""
    (to_agent, from_agent), components = msgspec.json.schema_components(
        (ToAgent, FromAgent), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"molt-bench agent protocol, version {PROTOCOL}",
        "description": "One JSON object a message. Unknown keys are to be ignored, in both directions.",
        "anyOf": [{"$ref": "#/$defs/ToAgent"}, {"$ref": "#/$defs/FromAgent"}],
        "$defs": {
            "ToAgent": {"anyOf": to_agent["anyOf"]},
            "FromAgent": {"anyOf": from_agent["anyOf"]},
            **components,
        },
    }


def main() -> None:
    """Print the schema."""
    print(json.dumps(protocol_schema(), indent=2))


if __name__ == "__main__":
    main()
