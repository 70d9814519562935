"""`molt-bench schema`: the JSON Schema of the config."""

import json

from molt_bench.config.sections import BenchmarkConfig


def schema() -> None:
    """Print the JSON Schema of the config, for editors."""
    print(json.dumps(BenchmarkConfig.model_json_schema(by_alias=True), indent=2))
