"""Shell completion of agent names, run folders and config fields.

A shell inserts what is returned here, and some evaluate it. So names with characters that mean something to a shell are
left out: where there are no others the shell completes files by itself, and quotes them.
"""

import os
import re
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

import click
from click.shell_completion import CompletionItem

from molt_bench.agents.kinds import kind_of
from molt_bench.config.loader import field_paths
from molt_bench.config.methods import MATCHMAKER_NAMES
from molt_bench.entry_points import AGENTS, points
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.journal import JournalReader

_SAFE: Final = re.compile(r"[\w@%+=:,./-]+")
#: Folders that are looked into, and runs that are offered, at most.
_MOST: Final = 200

Completion: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]


def _offers(complete: Callable[[click.Context, str], Iterable[str]]) -> Completion:
    """Let a completion offer safe names only, or files where it has none or fails: this is no place for an error."""

    def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        try:
            found = [name for name in islice(complete(ctx, incomplete), _MOST) if name.startswith(incomplete)]
        except Exception:
            found = []
        return [CompletionItem(name) for name in found if _SAFE.fullmatch(name)] or [
            CompletionItem(incomplete, type="file")
        ]

    return offered


def _agents() -> list[str]:
    return [name for name in points(AGENTS) if not kind_of(name).short]


#: Offers built-in agents and plug-ins.
agent_names: Final = _offers(lambda ctx, incomplete: _agents())


@_offers
def agent_lists(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Offer another agent at the end of a list, as in `tag,tight`."""
    before = incomplete.rpartition(",")[0]
    return [f"{before},{name}" if before else name for name in _agents()]


@_offers
def run_folders(ctx: click.Context, incomplete: str) -> Iterable[str]:
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
    return Path(path, JOURNAL).is_file()


@_offers
def run_agents(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Offer the participants of the run that the command line names."""
    # Before an option without its value, arguments are not parsed yet: they are what is left.
    named = [ctx.params.get("folder"), ctx.params.get("old"), *ctx.args]
    run = next(each for each in named if each and _is_run(each))
    return [each["id"] for each in JournalReader(str(Path(run, JOURNAL))).header().config["participants"]]


@_offers
def config_fields(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Offer the fields of a config; those of participants only once `participants.` is there."""
    numbered = re.match(r"participants\.(\d+)\.", incomplete)
    for path in field_paths():
        if numbered and path.startswith("participants.0."):
            yield path.replace(".0.", f".{numbered[1]}.", 1) + "="
        elif not path.startswith("participants.") or incomplete.startswith("participants."):
            yield f"{path}="


#: Offers the fields of `stop`.
stop_fields: Final = _offers(lambda ctx, _: [f"{path}=" for path in field_paths() if path.startswith("stop.")])
#: Offers the policies that choose pairings.
policies: Final = _offers(lambda ctx, incomplete: MATCHMAKER_NAMES)
