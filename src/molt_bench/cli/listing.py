"""`agents` and `schema`: what a config can say."""

from molt_bench.agents.factories import plugins
from molt_bench.agents.kinds import BUILTIN_AGENTS, KINDS


def list_agents() -> None:
    """Print the agents that a config can name."""
    for name, bot in BUILTIN_AGENTS.items():
        about = (bot.__doc__ or "").partition("\n")[0]
        print(f"{name:12} {about}")
    for kind in KINDS:
        if kind.usage:
            print(f"{kind.usage:12} {kind.about}")
    for name, point in plugins().items():
        print(f"{name:12} Plug-in: {point.value}")


def print_schema() -> None:
    """Print the JSON Schema of the config."""
    import json

    from molt_bench.config.sections import BenchmarkConfig

    print(json.dumps(BenchmarkConfig.model_json_schema(by_alias=True), indent=2))
