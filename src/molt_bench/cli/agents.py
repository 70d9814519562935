"""`molt-bench agents`: what a config can name as a participant."""

import click

from molt_bench.agents.kinds import BUILTIN_AGENTS, KINDS
from molt_bench.agents.plugins import plugins
from molt_bench.cli.options import Printing, json_option
from molt_bench.cli.parser import Command


@click.command(cls=Command)
@json_option
def agents(*, as_json: bool) -> None:
    """List the agents that a config can name.

    Examples:
      molt-bench agents
      molt-bench agents --json
    """
    found = [(name, (bot.__doc__ or "").partition("\n")[0]) for name, bot in BUILTIN_AGENTS.items()]
    found += [(kind.usage, kind.about) for kind in KINDS if kind.usage]
    found += [(name, f"Plug-in: {point.value}") for name, point in plugins().items()]
    content = {"agents": [{"name": name, "about": about} for name, about in found]}
    Printing(as_json=as_json).answer(content, lambda: print(*[f"{name:12} {about}" for name, about in found], sep="\n"))
