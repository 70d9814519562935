"""`--save`: files for other programs beside what is printed, each in the form that its ending says."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from molt_bench.cli.streams import warn
from molt_bench.files import write_whole

#: Help of the flag, and the endings: a comment on a pull request, JUnit, JSON.
ABOUT: Final = "File to write as well: .md (a comment), .xml (JUnit) or .json; repeatable."
_ENDINGS: Final = (".md", ".xml", ".json")


def check_endings(paths: Sequence[str]) -> None:
    """Refuse files whose ending says no form."""
    for path in paths:
        if not path.endswith(_ENDINGS):
            raise click.BadParameter(f"{path!r} does not end in {', '.join(_ENDINGS)}", param_hint="--save")


def save(paths: Sequence[str], writers: Mapping[str, Callable[[], str]]) -> None:
    """Write the files whose endings have a writer; one that cannot be written is a warning."""
    for path in paths:
        writer = writers.get(Path(path).suffix)
        if writer is not None:
            try:
                write_whole(Path(path), writer().encode())
            except OSError as error:
                warn(f"{path} could not be written: {error.strerror}")
