"""`molt-bench doctor`: what is installed, what is missing, and the command that installs it."""

import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import click

from molt_bench import kernels
from molt_bench.agents.llm.providers.table import PROVIDERS
from molt_bench.agents.sandbox.choice import obstacle
from molt_bench.cli.options import Printing, json_option
from molt_bench.cli.parser import Command
from molt_bench.cli.versions import about_this_machine
from molt_bench.extras import how_to_install

#: Each extra: what it is for, and the modules that it brings.
EXTRAS: Final = {
    "llm": ("language models", ("pydantic_ai", "openai", "anthropic", "google.genai")),
    "view": ("the pages of `view`", ("starlette", "uvicorn")),
    "live": ("`serve`, for agents that connect by themselves", ("starlette", "uvicorn", "websockets")),
    "mcp": ("agents that connect by MCP", ("mcp",)),
    "figures": ("`report --figures`", ("matplotlib",)),
    "envs": ("PettingZoo and Gymnasium", ("pettingzoo",)),
    "inspect": ("inspect_ai", ("inspect_ai",)),
    "ray": ("runs on several machines", ("ray",)),
}
#: How an installation gets its kernels, once a compiler and Python.h are there.
_COMPILE: Final = "pip install --force-reinstall --no-deps . in a clone of molt-bench"


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


@click.command(cls=Command)
@json_option
def doctor(*, as_json: bool) -> None:
    """Show what is installed, what is missing, and the command that installs it.

    The built-in bots need none of it.

    Examples:
      molt-bench doctor
      molt-bench doctor --json
    """
    found = [*_findings()]
    content = {"about": about_this_machine(), "found": [finding._asdict() for finding in found]}
    lines = [
        f"  {each.state:7} {each.name:20} {each.about}{': ' if each.remedy else ''}{each.remedy}" for each in found
    ]
    Printing(as_json=as_json).answer(content, lambda: print(about_this_machine(), *lines, sep="\n"))


def _findings() -> Iterator[Finding]:
    yield from _kernels()
    reason = obstacle()
    yield Finding("sandbox", "missing" if reason else "ok", "programs of others play in a sandbox", reason)
    for extra, (purpose, modules) in EXTRAS.items():
        missing = [module for module in modules if not _is_there(module)]
        yield Finding(extra, "missing" if missing else "ok", purpose, how_to_install(extra) if missing else "")
    chromium = any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    remedy = "" if chromium else "install chromium, on Debian by: apt install chromium"
    yield Finding("chromium", "ok" if chromium else "missing", "browser tests, for contributors", remedy)
    for variables, names in _keys().items():
        is_set = any(os.environ.get(variable) for variable in variables)
        yield Finding(variables[0], "ok" if is_set else "not set", f"models of {', '.join(names)}")


def _kernels() -> Iterator[Finding]:
    """Return whether the kernels are compiled, and what it takes to compile them."""
    switched_off = os.environ.get(kernels.PURE_VARIABLE, "") not in ("", "0")
    again = f"unset {kernels.PURE_VARIABLE}" if switched_off else _COMPILE
    if kernels.compiled:
        yield Finding("kernels", "ok", "compiled: runs are several times as fast")
    elif sys.platform == "win32":
        yield Finding("kernels", "missing", "the same results, slower; there are none for Windows")
        return
    else:
        yield Finding("kernels", "missing", "the same results, slower", again)
    if kernels.compiled and not _in_a_clone():
        return
    headers = Path(sysconfig.get_paths()["include"], "Python.h")
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    install = "xcode-select --install" if sys.platform == "darwin" else "apt install gcc (Debian)"
    for name, there, remedy in (
        ("compiler", _compiler_is_there(), install),
        ("Python.h", headers.is_file(), f"apt install {python}-dev (Debian)"),
    ):
        yield Finding(name, "ok" if there else "missing", "compiles the kernels", "" if there else remedy)


def _in_a_clone() -> bool:
    """Return whether the package lies in a clone, whose kernels are compiled again with every change."""
    return Path(__file__).parents[3].joinpath("hatch_build.py").is_file()


def _compiler_is_there() -> bool:
    try:
        words = shlex.split(os.environ.get("CC", ""))
    except ValueError:  # a quote that does not end
        return False
    return shutil.which((words or ["cc"])[0]) is not None


def _is_there(module: str) -> bool:
    """Return whether a module can be imported, without importing more than the packages that hold it."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _keys() -> dict[tuple[str, ...], list[str]]:
    """Return the providers by the variables that may hold their key; the keys themselves are never read out."""
    found: dict[tuple[str, ...], list[str]] = {}
    for provider in PROVIDERS.values():
        if provider.key_variables:
            found.setdefault(provider.key_variables, []).append(provider.name)
    return found
