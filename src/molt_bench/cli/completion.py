"""Shell completion of agent names, run folders and config fields.

A shell inserts what is returned here, and some evaluate it. So names with characters that mean something to a shell are
left out: where there are no others the shell completes files by itself, and quotes them.
"""

import re
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

import click
from click.shell_completion import CompletionItem

from molt_bench.agents.kinds import kind_of
from molt_bench.config.loader import field_paths
from molt_bench.entry_points import AGENTS, CORE_EXECUTORS, EXECUTORS, points
from molt_bench.runs.folder import JOURNAL

_SAFE: Final = re.compile(r"[\w@%+=:,./-]+")
#: Names that are offered, at most.
_MOST: Final = 200

Completion: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]


def _offers(complete: Callable[[str], Iterable[str]]) -> Completion:
    """Let a completion offer safe names only, or files where it has none or fails: this is no place for an error."""

    def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        try:
            found = [*islice((name for name in complete(incomplete) if name.startswith(incomplete)), _MOST)]
        except Exception:
            found = []
        return [CompletionItem(name) for name in found if _SAFE.fullmatch(name)] or [
            CompletionItem(incomplete, type="file")
        ]

    return offered


@_offers
def agent_lists(incomplete: str) -> Iterable[str]:
    """Offer another built-in agent or plug-in at the end of a list, as in `tag,tight`."""
    before, comma, _ = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in points(AGENTS) if not kind_of(name).short]


@_offers
def run_folders(incomplete: str) -> Iterable[str]:
    """Offer folders of runs that begin like this, or are in a folder that does; the newest names first."""
    parent = incomplete.rpartition("/")[0]
    runs = [path.parent for depth in ("*", "*/*") for path in Path(parent or ".").glob(f"{depth}/{JOURNAL}")]
    return sorted(map(str, runs), reverse=True)


#: Offers the fields of a config; participants count from 0.
config_fields: Final = _offers(lambda incomplete: [f"{path}=" for path in field_paths()])
#: Offers where games can run.
executors: Final = _offers(lambda incomplete: [*CORE_EXECUTORS, *points(EXECUTORS)])
