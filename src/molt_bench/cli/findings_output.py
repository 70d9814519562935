"""What a gate or a comparison found: printed, and saved in the forms that were asked for."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from molt_bench.cli.options import Printing
from molt_bench.cli.streams import VisibleConsole, warn
from molt_bench.files import write_whole
from molt_bench.report.artifacts import indented
from molt_bench.report.fitting_table import FittingTable
from molt_bench.study.findings import Findings, junit, markdown
from molt_bench.visible_text import on_one_line

#: Help of `--save`, and what its files may be called: a comment on a pull request, JUnit, JSON.
ABOUT: Final = "File to write as well: .md (a comment), .xml (JUnit) or .json; repeatable."
_FORMS: Final[dict[str, Callable[[Findings], str]]] = {
    ".md": markdown,
    ".xml": lambda found: junit(found, datetime.now(UTC)),
    ".json": lambda found: indented(found.content),
}
_STYLES: Final = {"not worse": "bold green", "worse": "bold red", "not known": "bold yellow"}


def check_endings(paths: Sequence[str]) -> None:
    """Refuse files whose ending says no form."""
    for path in paths:
        if not path.endswith((*_FORMS,)):
            raise click.BadParameter(f"{path!r} does not end in {', '.join(_FORMS)}", param_hint="--save")


def save(found: Findings, paths: Sequence[str]) -> None:
    """Write the files; one that cannot be written is a warning."""
    for path in paths:
        try:
            write_whole(Path(path), _FORMS[Path(path).suffix](found).encode())
        except OSError as error:
            warn(f"{path} could not be written: {error.strerror}")


def show(found: Findings, printing: Printing, *, folder: str = "", stopped: str = "") -> None:
    """Print what was found; of a run, also its folder, and why it stopped before it was sure."""
    about = {"runDir": folder} if folder else {}
    printing.answer({**about, **found.content}, lambda: _print(found, folder, stopped))


def _print(found: Findings, folder: str, stopped: str) -> None:
    screen = VisibleConsole()
    first, *headings = found.headings
    table = FittingTable(first, *headings, width=22, spare=found.spare, words=found.words)
    for name, *cells in found.rows:
        table.add_row(Text(on_one_line(name)), *cells)

    def say(text: str, style: str = "") -> None:
        if text:
            screen.print(Text(text, style), soft_wrap=bool(folder) and not screen.is_terminal)

    say(found.sentence, _STYLES.get(found.verdict, ""))
    screen.print(table)
    say(found.foot)
    say(stopped)
    if folder:
        screen.print(f"Results: {folder}", highlight=False, soft_wrap=True)
