"""`molt-bench init`: a config to start with."""

import os
import shlex
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from molt_bench.arena.cast import check_participants
from molt_bench.cli.completion import agent_lists
from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.options import PATH, Printing, printing_options
from molt_bench.cli.parser import Command
from molt_bench.cli.streams import notice
from molt_bench.config.game import SeedsConfig
from molt_bench.config.participants import participants_from
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.template import commented
from molt_bench.errors import ConfigError
from molt_bench.files import write_whole, writing
from molt_bench.study.before_a_run import suggested_limit
from molt_bench.visible_text import on_one_line

_PLAYERS: Final = "random,tight"
#: What `--live` writes beside the config.
_CLIENT: Final = "poll.sh"
#: Matches of every pairing, and of all together at least, with matches as long as they are without models.
_EACH: Final = 10
_LEAST: Final = 20


@click.command(cls=Command)
@click.argument("file", metavar="[FILE]", type=PATH, required=False, help="The config: bench.yaml, or live.yaml.")
@click.option("--participants", metavar="LIST", help="Who plays: random,tight by default.", shell_complete=agent_lists)
@click.option("--agent", metavar="FILE", type=PATH, help="Write an agent to begin with instead: my_bot.py.")
@click.option("--live", is_flag=True, help="Write a config with a live agent, and a client of it: poll.sh.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@printing_options
def init(
    file: str | None, participants: str | None, *, agent: str | None, live: bool, force: bool, printing: Printing
) -> None:
    """Write a commented config that runs as it is.

    With --agent, it writes a Python agent of a few lines that plays.

    Examples:
      molt-bench init
      molt-bench init bench.yaml --participants tag,tight,random
      molt-bench init --agent new_bot.py
      molt-bench init --live
    """
    if agent is not None:
        if file is not None or participants is not None or live:
            raise click.BadParameter("is written alone, without a config", param_hint="--agent")
        _write_agent(Path(agent), force=force, printing=printing)
        return
    if live and participants is not None:
        raise click.BadParameter(
            "cannot be used with --live, whose files are ready to use", param_hint="--participants"
        )
    path = Path(file or ("live.yaml" if live else "bench.yaml"))
    place = on_one_line(shlex.quote(str(path)))
    if live:
        if not find_spec("molt_bench.plugins.live"):
            raise ConfigError("--live", None, "the plug-in live, which is not installed")
        examples = files("molt_bench.plugins.live") / "examples"
        names = {path: "live.yaml", path.with_name(_CLIENT): _CLIENT}
        _write({target: (examples / name).read_text("utf-8") for target, name in names.items()}, force=force)
        content: dict[str, object] = {"config": str(path), "client": str(path.with_name(_CLIENT))}
        said = f"wrote {', '.join(map(str, names))}; run it with: molt-bench serve {place}"
        printing.answer(content, lambda: notice(said))
        return
    config = _config_of(participants or _PLAYERS)
    command = f"molt-bench {'serve' if any(each.kind.comes for each in config.participants) else '--config'} {place}"
    commands = {
        "Run it:": command,
        "Check it:": f"molt-bench doctor {place}",
        "What it takes:": f"molt-bench plan {place}",
        "All fields:": "docs/schemas/config.schema.json in a clone of molt-bench",
    }
    _write({path: commented(config, participants_from(participants or _PLAYERS), commands=commands)}, force=force)
    content = {"config": str(path), "participants": [each.id for each in config.participants], "run": command}
    printing.answer(content, lambda: notice(f"wrote {path}; run it with: {command}"))
    warn_ahead(config)


def _write_agent(path: Path, *, force: bool, printing: Printing) -> None:
    """Write an agent of a few lines, and say how it plays."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise ConfigError("--agent", str(path), "a name such as my_bot.py")
    name = "".join([word.capitalize() for word in path.stem.split("_")]) or "MyBot"
    named = on_one_line(shlex.quote(f"{path}:{name}"))
    text = (files("molt_bench.cli") / "my_bot.py.txt").read_text("utf-8")
    _write({path: text.replace("my_bot.py:MyBot", named).replace("MyBot", name)}, force=force)
    commands = [f"molt-bench check {named}", f"molt-bench --participants {named},tag,random"]
    content = {"agent": str(path), "check": commands[0], "run": commands[1]}
    printing.answer(content, lambda: notice(f"wrote {path}; check it: {commands[0]}; let it play: {commands[1]}"))


def _config_of(participants: str) -> BenchmarkConfig:
    """Return a config of these, with matches enough for all pairings, and a limit of money where a model plays."""
    named = {"participants": participants}
    config = config_from(None, named)
    players, seeds = len(config.participants), config.seeds.per_match
    enough = max(_LEAST, _EACH * players * (players - 1) // 2) * SeedsConfig().per_match // seeds
    fields = [f"seeds.perMatch={seeds}", f"stop.budget.maxMatches={enough}"]
    limits = suggested_limit(config_from(None, named, fields))
    config = config_from(None, named, [*fields, *(f"stop.budget.{name}={most:.10g}" for name, most in limits.items())])
    check_participants(config, keys=False)
    return config


def _write(texts: Mapping[Path, str], *, force: bool) -> None:
    """Write the files, all or none; those that are there stay as they are without `force`."""
    for path in texts:
        if path.suffix == ".json":
            raise ConfigError("FILE", str(path), "a name that ends in .yaml: JSON has no comments")
        if not force and os.path.lexists(path):
            raise ConfigError("FILE", str(path), "a new file, or --force to replace this one")
    for path, text in texts.items():
        with writing("FILE", str(path)):
            write_whole(path, text.encode())
