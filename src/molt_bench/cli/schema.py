"""`molt-bench schema`: the JSON Schema of the config."""

import json

import click

from molt_bench.cli.options import json_option
from molt_bench.cli.parser import Command
from molt_bench.cli.streams import print_json
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
    if as_json:
        print_json(content)
    else:
        print(json.dumps(content, indent=2))
