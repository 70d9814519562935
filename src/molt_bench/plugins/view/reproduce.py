"""How to play a run again: the commands and the config."""

import json
import os
import shlex
from pathlib import Path
from typing import Any, Final

import yaml

from molt_bench.plugins.view.open_run import OpenRun

_CONFIG: Final = "config.json"


def reproduce(run: OpenRun, path: str | None = None, *, published: bool = False) -> dict[str, Any]:
    """Return everything needed to reproduce the run; if it is `published`, its files come as an archive.

    `path` is where its folder is for those who type the commands; None for the folder as seen from here.
    """
    folder, plain = path or _from_here(run.run.folder), run.rows.result.config.plain()
    has_config = _is_config(run.run.folder / _CONFIG, plain)
    what = f"{_CONFIG} is not the config of this run: s" if os.path.lexists(run.run.folder / _CONFIG) else "S"
    config = _typed(f"{folder}/{_CONFIG}") if has_config else "config.yaml"
    commands = {
        "Play it again": f"molt-bench run --config {config}",
        "Replay every game from its records, calling no model, and check every file": (
            f"molt-bench verify {_typed(folder)}"
        ),
    }
    if run.status == "interrupted":
        commands = {"Continue it": f"molt-bench resume {_typed(folder)}", **commands}
    if published:
        inside = shlex.quote(f"./{run.id}")
        commands = {
            "Unpack the archive": f"python3 -m zipfile -e {_typed(f'{run.id}.zip')} .",
            "Check that no file was changed": f"cd {inside} && sha256sum --check SHA256SUMS && cd ..",
            **commands,
        }
    return {
        "commands": [{"title": title, "command": command} for title, command in commands.items()],
        "note": None if has_config else f"{what}ave the config below as config.yaml first.",
        "configYaml": yaml.safe_dump(plain, sort_keys=False, allow_unicode=True),
    }


def _typed(path: str) -> str:
    """Return a path as one types it in a shell: quoted, and never taken for a flag.

    >>> _typed("a b"), _typed("-x")
    ("'a b'", './-x')
    """
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def _is_config(path: Path, plain: dict[str, Any]) -> bool:
    """Return whether the config beside the journal is the run's own: another one would play another run."""
    try:
        return bool(json.loads(path.read_bytes()) == plain)
    except (OSError, ValueError, RecursionError):
        return False


def _from_here(folder: Path) -> str:
    """Return the path of a folder as one would type it where the program was started."""
    try:
        return str(folder.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(folder)
