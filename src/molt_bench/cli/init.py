"""`molt-bench init`: a config to start with."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import TextIOWrapper
from pathlib import Path
from typing import Final

import click

from molt_bench.arena.cast import check_participants
from molt_bench.cli.completion import agent_lists
from molt_bench.cli.config_flags import config_from, warn_ahead
from molt_bench.cli.options import PATH, Printing, printing_options
from molt_bench.cli.parser import NUMBER, WHOLE, Command, flag, grouped
from molt_bench.cli.streams import notice
from molt_bench.config.participants import participants_from
from molt_bench.config.sections import BenchmarkConfig, SeedsConfig
from molt_bench.config.template import commented
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.files import write_whole, writing
from molt_bench.study.before_a_run import suggested_limit
from molt_bench.visible_text import on_one_line, printable

#: The questions: flag, field, and what is asked.
_QUESTIONS: Final = (
    ("participants", "participants", "Who plays? Names separated by commas; `molt-bench doctor` lists them"),
    ("hands", "game.handsPerGame", "How many hands does a game have?"),
    ("confidence", "stop.adjacentConfidence.threshold", "How sure must the order be before the run stops?"),
    ("max_matches", "stop.budget.maxMatches", "After how many matches does it stop in any case?"),
)
_DEFAULTS: Final = {"participants": "random,tight", "hands": "50", "confidence": "0.95"}
#: What `--live` writes beside the config.
_CLIENTS: Final = ("poll.sh", "client.py")
#: Matches of every pairing, and of all together at least, with matches as long as they are without models.
_EACH: Final = 10
_LEAST: Final = 20


@dataclass(frozen=True, kw_only=True)
class InitOptions:
    """InitOptions to the questions; what is None is asked."""

    participants: str | None = flag("Who plays, such as tag,tight.", metavar="LIST", shell_complete=agent_lists)
    hands: int | None = flag("Hands per game.", type=WHOLE)
    confidence: float | None = flag("How sure the order must be.", type=NUMBER)
    max_matches: int | None = flag("Stop after this many matches in any case.", type=WHOLE)
    yes: bool = flag("Ask nothing; use the defaults for anything without a flag.", default=False)
    live: bool = flag("Write a config with a live agent, and two clients for it: poll.sh and client.py.", default=False)

    def check_alone(self) -> None:
        """Refuse answers beside `--live`, which asks nothing."""
        for name, _, _ in _QUESTIONS:
            if getattr(self, name) is not None:
                hint = f"--{name.replace('_', '-')}"
                raise click.BadParameter("cannot be used with --live, whose files are ready to use", param_hint=hint)


@click.command(cls=Command)
@click.argument(
    "file",
    metavar="[FILE]",
    type=PATH,
    required=False,
    help="The config to write: bench.yaml, with --live live.yaml.",
)
@grouped(InitOptions, "answers")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@printing_options
def init(file: str | None, answers: InitOptions, *, force: bool, printing: Printing) -> None:
    """Write a commented config, from four questions or from flags.

    Without a terminal, the answers are read from standard input, one per line; an empty or missing line is the
    default.

    Examples:
      molt-bench init
      molt-bench init bench.yaml --participants tag,tight,random --yes
      molt-bench init --live
    """
    if answers.live:
        answers.check_alone()
        _init_live(Path(file or "live.yaml"), force=force, printing=printing)
        return
    file = file or "bench.yaml"
    path = Path(file)
    _check_target(path, force=force)
    try:
        told = _ask(answers)
    except (KeyboardInterrupt, EOFError):
        print("\nInterrupted: nothing was written.", file=sys.stderr)
        sys.exit(130)
    # Whoever says how many matches there are without having seen a default means matches of the usual length.
    seeds = [f"seeds.perMatch={_usual_seeds(told)}"] if answers.max_matches is None else []
    limits = suggested_limit(_config_of(told, seeds))
    config = _config_of(told, [*seeds, *(f"stop.budget.{field}={limit:.10g}" for field, limit in limits.items())])
    place = on_one_line(shlex.quote(file))
    played = "serve" if any(each.kind.comes for each in config.participants) else "--config"
    command = f"molt-bench {played} {place}"
    commands = {
        "Run it:": command,
        "Check it:": f"molt-bench doctor {place}",
        "What it takes:": f"molt-bench plan {place}",
        "All fields:": "docs/schemas/config.schema.json in a clone of molt-bench",
    }
    _write(path, commented(config, participants_from(told["participants"]), commands=commands), force=force)
    content = {"config": file, "participants": [each.id for each in config.participants], "run": command}
    printing.answer(content, lambda: notice(f"wrote {file}; run it with: {command}"))
    warn_ahead(config)


def _init_live(path: Path, *, force: bool, printing: Printing) -> None:
    """Write the examples of live mode as they are: a config, and clients beside it."""
    examples = files("molt_bench.serve") / "examples"
    targets = {path: "live.yaml", **{path.with_name(name): name for name in _CLIENTS}}
    for target in targets:
        _check_target(target, force=force)
    for target, name in targets.items():
        _write(target, (examples / name).read_text("utf-8"), force=force)
    place = on_one_line(shlex.quote(str(path)))
    content = {"config": str(path), "clients": [str(each) for each in targets if each != path]}
    said = f"wrote {', '.join(map(str, targets))}; run it with: molt-bench serve {place}"
    printing.answer(content, lambda: notice(said))


def _check_target(path: Path, *, force: bool) -> None:
    """Refuse a file that cannot be written, before anything is asked."""
    if path.suffix == ".json":
        raise ConfigError("FILE", str(path), "a name that ends in .yaml: JSON has no comments")
    if not force and os.path.lexists(path):
        raise ConfigError("FILE", str(path), "a new file, or --force to replace this one")


def _ask(answers: InitOptions) -> dict[str, str]:
    """Return the answers: from flags, from the user, or the defaults; raises at the first that cannot be used.

    A person at a terminal is asked again instead.
    """
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    told: dict[str, str] = {}
    for name, _, question in _QUESTIONS:
        given, default = getattr(answers, name), _DEFAULTS.get(name) or _enough_matches(told)
        asked = given is None and not answers.yes
        while name not in told:
            text = default if given is None else str(given)
            if asked:
                text = (_typed_line(f"{question} [{default}]: ") or "").strip() or default
            try:
                _config_of({**told, name: text})
            except MoltBenchError as error:
                if not asked or not sys.stdin.isatty():
                    raise
                print(f"  {printable(' '.join(str(error).split()))}")
            else:
                told[name] = text
    return told


def _typed_line(prompt: str) -> str | None:
    """Read a line from standard input, echoing it if a script types; None at the end, which raises at a terminal."""
    source = sys.stdin
    if source is None or source.closed:
        return None
    if source.isatty():
        return input(prompt)
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = source.readline()
    print(printable(line.rstrip("\n")), flush=True)
    return line or None


def _enough_matches(told: Mapping[str, str]) -> str:
    """Return matches enough for all pairings of those who play: more where matches are short."""
    players = len(participants_from(told["participants"]))
    enough = max(_LEAST, _EACH * players * (players - 1) // 2)
    return str(enough * SeedsConfig().per_match // _usual_seeds(told))


def _usual_seeds(told: Mapping[str, str]) -> int:
    """Return the seeds of a match of those who play, where nothing is said about matches."""
    return _config_of({"participants": told["participants"]}).seeds.per_match


def _config_of(told: Mapping[str, str], more: Sequence[str] = ()) -> BenchmarkConfig:
    """Return the config that the answers make so far; raises ConfigError or AgentError where there is none.

    `more` are fields that nobody is asked for, as `--set` takes them.
    """
    assignments = [f"{field}={told[name]}" for name, field, _ in _QUESTIONS if name != "participants" and name in told]
    config = config_from(None, {"participants": told["participants"]}, [*assignments, *more])
    check_participants(config, keys=False, run_code=False)
    return config


def _write(path: Path, text: str, *, force: bool) -> None:
    """Write the file; one that appeared in the meantime stays as it is."""
    with writing("FILE", str(path)):
        if force:
            write_whole(path, text.encode())
            return
        try:
            with open(path, "xb") as file:
                file.write(text.encode())
        except FileExistsError as error:
            raise ConfigError("FILE", str(path), "a new file, or --force to replace this one") from error
