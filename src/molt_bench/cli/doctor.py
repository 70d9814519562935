"""`molt-bench doctor`: what is installed and what is missing, here or for a config."""

import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Final, NamedTuple

import click

from molt_bench import kernels
from molt_bench.agents.external.box import obstacle
from molt_bench.agents.kinds import all_agents
from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.options import ConfigOptions, Printing, printing_options
from molt_bench.cli.parser import Command, grouped
from molt_bench.cli.versions import about_this_machine
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.extras import how_to_install
from molt_bench.llm.providers import PROVIDERS
from molt_bench.study.before_a_run import what_the_limit_buys
from molt_bench.visible_text import on_one_line

#: Each extra: what it is for, and the modules that it brings.
EXTRAS: Final = {
    "llm": ("language models", ("pydantic_ai", "openai", "anthropic", "google.genai")),
    "http": ("web servers that play", ("httpx2",)),
    "view": ("the pages of `view`", ("starlette", "uvicorn")),
    "live": ("`serve`, for agents that connect by themselves", ("starlette", "uvicorn", "websockets", "httpx2")),
    "mcp": ("agents that connect by MCP", ("mcp",)),
    "envs": ("PettingZoo and Gymnasium", ("pettingzoo",)),
    "inspect": ("inspect_ai", ("inspect_ai",)),
    "ray": ("runs on several machines", ("ray",)),
}
#: How an installation gets its kernels.
_COMPILE: Final = (
    "install a C compiler and Python.h (Debian: apt install gcc python3-dev), then pip install --force-reinstall "
    "--no-deps . in a clone of molt-bench"
)


class Finding(NamedTuple):
    """One thing that was looked for.

    Attributes:
        state: Whether it is there: ok, missing, or for a key, not set.
        about: What it is for, or what was found.
        remedy: How to get it; "" if it is there, or its name says it.
    """

    name: str
    state: str
    about: str
    remedy: str = ""

    def __str__(self) -> str:
        """Return it as one line."""
        return f"  {self.state:7} {self.name:20} {self.about}{': ' if self.remedy else ''}{self.remedy}"


@click.command(cls=Command)
@grouped(ConfigOptions, "config_file")
@printing_options
def doctor(config_file: ConfigOptions, printing: Printing) -> None:
    """Show what is installed and who can play, or check a config and the keys that it needs.

    Each mistake in a config is one line. Programs, servers and models are neither started nor asked; a run does that
    before its first card. Built-in bots need nothing that can be installed.

    Examples:
      molt-bench doctor
      molt-bench doctor bench.yaml
      molt-bench doctor --config bench.yaml --quiet
    """
    path = config_file.path()
    if path is None:
        _about_this_machine(printing)
    else:
        _about_config(path, printing)


def _about_this_machine(printing: Printing) -> None:
    found, agents = [_kernels(), _sandbox(), *_extras(), *_providers()], [*all_agents()]
    content = {
        "about": about_this_machine(),
        "found": [finding._asdict() for finding in found],
        "agents": [{"name": name, "about": about} for name, about in agents],
    }
    lines = [*map(str, found), "Agents that a config can name:", *(f"  {name:12} {about}" for name, about in agents)]
    printing.answer(content, lambda: print(about_this_machine(), *lines, sep="\n"))


def _about_config(path: str, printing: Printing) -> None:
    """Say whether a config can be run, and what it needs for that."""
    config = config_from(path, players=True)
    ids, keys = [participant.id for participant in config.participants], _keys_for(config)
    waiting = [each.id for each in config.participants if each.kind.waits or each.id in config.models()]
    line = (
        f"{on_one_line(path)} is valid: {len(ids)} participants ({_listed(ids)}), "
        f"{config.seeds.per_match} seeds per match, {config.game.hands_per_game} hands per game"
    )
    if waiting:
        line += f"; not started or asked yet: {_listed(waiting)}"
    found = [finding._asdict() for finding in keys]
    content = {"config": path, "valid": True, "participants": ids, "found": found, "notAsked": waiting}
    printing.answer(content, lambda: print(line, *keys, sep="\n"))
    bought = what_the_limit_buys(config)
    if bought is not None:
        printing.notice(bought)
    warn_ahead(config)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(on_one_line, names))


def _keys_for(config: BenchmarkConfig) -> list[Finding]:
    """Return the environment variables that a run of a config needs, and who needs them."""
    needed: dict[str, list[str]] = {}
    for participant in config.participants:
        for variable in participant.variables():
            needed.setdefault(variable, []).append(participant.id)
    unset = {variable for participant in config.participants for variable in participant.unset_variables()}
    return [
        Finding(variable, "not set" if variable in unset else "ok", f"for {_listed(ids)}")
        for variable, ids in needed.items()
    ]


def _kernels() -> Finding:
    if kernels.compiled:
        return Finding("kernels", "ok", "compiled: runs are several times as fast")
    switched_off = os.environ.get(kernels.PURE_VARIABLE, "") not in ("", "0")
    return Finding(
        "kernels", "missing", "the same results, slower", f"unset {kernels.PURE_VARIABLE}" if switched_off else _COMPILE
    )


def _sandbox() -> Finding:
    reason = obstacle()
    return Finding("sandbox", "missing" if reason else "ok", "programs of others play in a sandbox", reason)


def _extras() -> Iterator[Finding]:
    for extra, (purpose, modules) in EXTRAS.items():
        there = all(map(_is_there, modules))
        yield Finding(extra, "ok" if there else "missing", purpose, "" if there else how_to_install(extra))


def _is_there(module: str) -> bool:
    """Return whether a module can be imported; only the packages that hold it are."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _providers() -> Iterator[Finding]:
    """Look for providers by the variables that may hold their key; the keys themselves are never read out."""
    providers: dict[tuple[str, ...], list[str]] = {}
    for provider in PROVIDERS.values():
        providers.setdefault(provider.key_variables, []).append(provider.name)
    for variables, names in providers.items():
        if variables:
            is_set = any(os.environ.get(variable) for variable in variables)
            yield Finding(variables[0], "ok" if is_set else "not set", f"models of {', '.join(names)}")
