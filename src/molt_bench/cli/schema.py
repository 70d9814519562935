"""`molt-bench schema`: the JSON Schema of the config."""

import json

import click

from molt_bench.cli.options import Printing, json_option
from molt_bench.cli.parser import Command
from molt_bench.config.sections import BenchmarkConfig


@click.command(cls=Command)
@json_option
def schema(*, as_json: bool) -> None:
    """Print the JSON Schema of the config, for editors.

    Examples:
      molt-bench schema
      molt-bench schema --json
    """
    content = BenchmarkConfig.model_json_schema(by_alias=True)
    Printing(as_json=as_json).answer(content, lambda: print(json.dumps(content, indent=2)))
