"""Shell completion: what agent names, run folders and config fields a word can go on as.

A shell inserts what is returned here, and some evaluate it. So names with characters that mean something to a shell are
left out: for them the shell completes files by itself, and quotes them.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Final, ParamSpec

import typer

#: Set by the shell's script, as typer names it: what to do, and for which shell.
_ASKED: Final = "_MOLT_BENCH_COMPLETE"
#: As `runs/folder.py` has it, which is slow to load.
_JOURNAL: Final = "journal.jsonl"
_SAFE: Final = re.compile(r"[\w@%+=:,./-]+")
#: Folders that are looked into, and runs that are offered, at most.
_MOST: Final = 200

P = ParamSpec("P")


def words_to_complete(with_command: Callable[[Sequence[str]], list[str]]) -> list[str] | None:
    """Return the words to complete, without the program; None if the program is not asked to complete any.

    Where the words name no command, `with_command` adds it, and typer is told so.
    """
    asked = os.environ.get(_ASKED, "")
    if not asked.startswith("complete_"):
        return None
    line = "COMP_WORDS" if asked == "complete_bash" else "_TYPER_COMPLETE_ARGS"
    found = re.fullmatch(r"(\S+)(\s*)(.*)", os.environ.get(line, ""), re.DOTALL)
    if found is None:
        return None
    words = found[3].split()
    if not words or (len(words) == 1 and found[3] == words[0]):
        return words if words and not words[0].startswith("-") else ["run"]  # the word itself may become a command
    completed = with_command(words)
    if len(completed) > len(words):
        at = next(at for at, word in enumerate(completed) if word == "run")
        rest = re.sub(rf"^((?:\S+\s+){{{at}}})", rf"\1run{found[2][0]}", found[3])
        os.environ[line] = found[1] + found[2] + rest
        os.environ["COMP_CWORD"] = str(int(os.environ.get("COMP_CWORD", "0")) + 1)
    return completed


def _offers(complete: Callable[P, Iterable[str]]) -> Callable[P, list[str]]:
    """Let a completion offer safe names only, and nothing where something is wrong: this is no place for an error."""

    @wraps(complete)
    def offered(*args: P.args, **kwargs: P.kwargs) -> list[str]:
        try:
            found = islice(complete(*args, **kwargs), _MOST)
            return [each for each in found if _SAFE.fullmatch(each)]
        except Exception:
            return []

    return offered


@_offers
def agent_names(incomplete: str) -> Iterable[str]:
    """Offer built-in agents and plug-ins."""
    from molt_bench.agents.kinds import BUILTIN_AGENTS
    from molt_bench.agents.python_agents import plugins  # here and below: a fast start for everything else

    return [*BUILTIN_AGENTS, *plugins()]


@_offers
def agent_lists(incomplete: str) -> Iterable[str]:
    """Offer agents behind those that a list has already, as in `tag,tight`."""
    before = incomplete.rpartition(",")[0]
    return [f"{before},{name}" if before else name for name in agent_names(incomplete)]


@_offers
def run_folders(incomplete: str) -> Iterable[str]:
    """Offer folders of runs that begin like this, or are in a folder that does; the newest names first."""
    parent, _, name = incomplete.rpartition("/")
    prefix = f"{parent}/" if "/" in incomplete else ""
    for folder in _folders(prefix or ".", name):
        path = prefix + folder
        if _is_run(path):
            yield path
        else:
            yield from (f"{path}/{each}" for each in _folders(path, "") if _is_run(f"{path}/{each}"))


def _folders(parent: str, start: str) -> list[str]:
    """Return the names of the folders in a folder that begin like this; hidden ones only if asked for."""
    with os.scandir(parent) as entries:
        found = [entry.name for entry in entries if entry.name.startswith(start) and entry.is_dir()]
    return sorted((name for name in found if start or not name.startswith(".")), reverse=True)[:_MOST]


def _is_run(path: str) -> bool:
    return Path(path, _JOURNAL).is_file()


@_offers
def run_agents(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    """Offer the participants of the run that the command line names."""
    from molt_bench.runs.journal import read_header

    # Before an option without its value, arguments are not parsed yet: they are what is left.
    named = [ctx.params.get("folder"), ctx.params.get("old"), *ctx.args]
    run = next(each for each in named if each and _is_run(each))
    return [each["id"] for each in read_header(str(Path(run, _JOURNAL))).config["participants"]]


@_offers
def config_fields(incomplete: str) -> Iterable[str]:
    """Offer the fields of a config; those of participants only once `participants.` is there."""
    from molt_bench.config.loader import field_paths

    numbered = re.match(r"participants\.(\d+)\.", incomplete)
    for path in field_paths():
        if numbered and path.startswith("participants.0."):
            yield path.replace(".0.", f".{numbered[1]}.", 1) + "="
        elif not path.startswith("participants.") or incomplete.startswith("participants."):
            yield f"{path}="


@_offers
def stop_fields(incomplete: str) -> Iterable[str]:
    """Offer the fields of `stop`."""
    return [field for field in config_fields(incomplete) if field.startswith("stop.")]


@_offers
def policies(incomplete: str) -> Iterable[str]:
    """Offer the policies that choose pairings."""
    from molt_bench.config.matchmaker_names import MATCHMAKER_NAMES

    return MATCHMAKER_NAMES
