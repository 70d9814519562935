"""What a gate or a comparison found: on the screen, as JSON, in Markdown for a pull request, and in JUnit.

Names are the user's own and may hold anything. Every form shows them on one line, with whatever means something to the
form escaped.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import click
from rich.text import Text

from molt_bench.cli.console import VisibleConsole
from molt_bench.cli.options import Printing
from molt_bench.cli.streams import warn
from molt_bench.files import write_whole
from molt_bench.report.artifacts import indented
from molt_bench.report.fitting_table import FittingTable
from molt_bench.study.findings import Findings
from molt_bench.visible_text import on_one_line

#: Help of `--save`.
ABOUT: Final = "File to write as well: .md (a comment), .xml (JUnit) or .json; repeatable."
#: The column of words, and those that may be left out where there is no room, the least important first.
_VERDICT: Final = "verdict"
_SPARE: Final = ("opponents", "seed pairs", "old", "new")
_STYLES: Final = {"not worse": "bold green", "worse": "bold red", "open": "bold yellow"}


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


def markdown(found: Findings) -> str:
    """Return a heading, the verdict, the table and what is good to know, for a comment on a pull request."""
    rules = ["---" if heading == _VERDICT else "---:" for heading in found.headings[1:]]
    table = [found.headings, ["---", *rules], *[[_code(name), *cells] for name, *cells in found.rows]]
    notes = [f"{_code(each.name)}: {_entities(each.said)}" for each in found.tests if each.came == "failure"]
    said = [_entities(found.sentence), ""] if found.sentence else []
    lines = [
        f"### molt-bench {found.command}: {found.verdict}",
        "",
        *said,
        *[f"| {' | '.join(row)} |" for row in table],
        "",
        found.foot,
        "",
        *[f"- {note}" for note in (*(() if said else notes), *map(_entities, found.warnings))],
    ]
    return "\n".join(lines) + "\n"


def _code(name: str) -> str:
    """Return a name that Markdown shows as it is; within `<code>`, GitHub notifies no one and links nothing."""
    return f"<code>{_entities(name)}</code>"


def _entities(text: str) -> str:
    """Return text in which nothing but letters, digits, spaces and hyphens stands for itself."""
    return "".join([char if char.isalnum() or char in " -" else f"&#{ord(char)};" for char in on_one_line(text)])


def junit(found: Findings) -> str:
    """Return a test suite as GitLab and Jenkins read it, in ASCII, so that any stream takes it."""
    suites, came = Element("testsuites"), [each.came for each in found.tests]
    suite = SubElement(
        suites,
        "testsuite",
        name=f"molt-bench {found.command}",
        tests=str(len(came)),
        failures=str(came.count("failure")),
        errors="0",
        skipped=str(came.count("skipped")),
    )
    for each in found.tests:
        name = on_one_line(each.name)
        case = SubElement(suite, "testcase", classname=f"molt-bench.{found.command}", name=name, time="0")
        if each.came != "passed":
            SubElement(case, each.came, message=on_one_line(each.said))
    rows = ["  ".join(map(on_one_line, row)) for row in (found.headings, *found.rows)]
    SubElement(suite, "system-out").text = "\n".join([on_one_line(found.sentence), *rows, found.foot])
    indent(suites)
    text: bytes = tostring(suites, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


#: What a file of each ending holds: a comment on a pull request, JUnit, JSON.
_FORMS: Final[dict[str, Callable[[Findings], str]]] = {
    ".md": markdown,
    ".xml": junit,
    ".json": lambda found: indented(found.content),
}


def _print(found: Findings, folder: str, stopped: str) -> None:
    screen = VisibleConsole()
    spare = [heading for heading in _SPARE if heading in found.headings]
    table = FittingTable(found.headings, name=found.headings[0], spare=spare, words=(_VERDICT,))
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
