"""`molt-bench init`: a config or an agent to start with."""

import os
import shlex
from importlib.resources import files
from pathlib import Path

import click

from molt_bench.cli.options import PATH, Printing, printing_options
from molt_bench.cli.parser import Command
from molt_bench.cli.streams import notice
from molt_bench.errors import ConfigError
from molt_bench.files import write_whole, writing
from molt_bench.visible_text import on_one_line


@click.command(cls=Command)
@click.argument("file", metavar="[FILE]", type=PATH, required=False, help="The config: bench.yaml by default.")
@click.option("--agent", metavar="FILE", type=PATH, help="Write an agent instead of a config, such as my_bot.py.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@printing_options
def init(file: str | None, *, agent: str | None, force: bool, printing: Printing) -> None:
    """Write a commented config that runs as it is.

    With --agent, write a short Python agent instead.

    Examples:
      molt-bench init
      molt-bench init --agent new_bot.py
    """
    if agent is None:
        path = Path(file or "bench.yaml")
        if path.suffix == ".json":
            raise ConfigError("FILE", str(path), "a name that ends in .yaml: JSON has no comments")
        named = on_one_line(shlex.quote(str(path)))
        _write(path, _text("bench.yaml.txt").replace("bench.yaml", named), force=force)
        commands = {"run": f"molt-bench {named}"}
    elif file is not None:
        raise click.BadParameter("is written alone, without a config", param_hint="--agent")
    else:
        path = Path(agent)
        if path.suffix != ".py" or not path.stem.isidentifier():
            raise ConfigError("--agent", str(path), "a name such as my_bot.py")
        name = "".join([word.capitalize() for word in path.stem.split("_")]) or "MyBot"
        named = on_one_line(shlex.quote(f"{path}:{name}"))
        _write(path, _text("my_bot.py.txt").replace("my_bot.py:MyBot", named).replace("MyBot", name), force=force)
        commands = {"check": f"molt-bench check {named}", "run": f"molt-bench --participants {named},tag,random"}
    said = "; ".join([f"wrote {path}", *(f"{what} it with: {command}" for what, command in commands.items())])
    printing.answer({"file": str(path), **commands}, lambda: notice(said))


def _text(name: str) -> str:
    return (files("molt_bench.cli") / name).read_text("utf-8")


def _write(path: Path, text: str, *, force: bool) -> None:
    """Write a file; one that is there stays as it is without `force`."""
    if not force and os.path.lexists(path):
        raise ConfigError("FILE", str(path), "a new file, or --force to replace this one")
    with writing("FILE", str(path)):
        write_whole(path, text.encode())
