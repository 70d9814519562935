"""Write docs/house.md, the list of all files with what each is for: `python scripts/house.py`, or `make format`.

What a file is for is its own first line: the docstring of a module, the first comment of a script or a C file. The
floors are those of tests/test_layers.py. A test fails where the page is out of date.
"""

import ast
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src" / "molt_bench"
PAGE: Final = ROOT / "docs" / "house.md"
HEAD: Final = """\
# Where things are

Every file and what it is for, in its own words: `make format` writes this page from the first lines of the files. How
the parts work together is in [Contributing](../CONTRIBUTING.md).

## Floors

Imports go strictly down, never to a neighbour on the same floor; `tests/test_layers.py` enforces it.

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="images/house-dark.svg">
  <img alt="The floors of the house, the command line at the top." src="images/house-light.svg">
</picture>
"""


def first_line(path: Path) -> str:
    """Return what a file says it is for; empty if it does not say."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    comment = re.match(r"(?://|/\*)\s*(.*?)\s*(?:\*/)?$", text.partition("\n")[0])
    return comment[1] if comment else ""


def floors() -> list[set[str]]:
    """Return the floors of the house, the top one first."""
    for node in ast.parse((ROOT / "tests" / "test_layers.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FLOORS":
            found: list[set[str]] = ast.literal_eval(node.value)
            return found
    raise SystemExit("tests/test_layers.py has no FLOORS")


def room(name: str) -> Path:
    """Return the file whose first line says what a room is for."""
    folder = SOURCE / name / "__init__.py"
    return folder if folder.is_file() else SOURCE / f"{name}.py"


def table(head: tuple[str, str], rows: list[tuple[str, str]]) -> list[str]:
    """Return the lines of a table."""
    return [f"| {left} | {right.replace('|', chr(92) + '|')} |" for left, right in [head, ("---", "---"), *rows]]


def folders() -> list[Path]:
    """Return every folder of the package and of the scripts."""
    return [path for top in (SOURCE, ROOT / "scripts") for path in [top, *sorted(top.rglob("*"))] if path.is_dir()]


def section(folder: Path) -> list[str]:
    """Return the lines about a folder and its files; none if it has no code."""
    files = sorted(
        path for path in folder.iterdir() if path.suffix in {".py", ".js", ".c", ".h"} and path.name != "bundle.js"
    )
    rows = [(f"`{path.name}`", first_line(path)) for path in files if path.name != "__init__.py"]
    about = [first_line(path) for path in files if path.name == "__init__.py"]
    if not rows and not about:
        return []
    name = folder.relative_to(SOURCE.parent if SOURCE in (folder, *folder.parents) else ROOT).as_posix()
    return [
        "",
        f"## {name}/",
        "",
        *about,
        *([""] if about else []),
        *(table(("file", "what it is for"), rows) if rows else []),
    ]


def page() -> str:
    """Return the whole page."""
    rows = [
        (f"{len(floors()) - at}: `{name}`", first_line(room(name)))
        for at, names in enumerate(floors())
        for name in sorted(names)
    ]
    lines = [HEAD, *table(("floor", "what it is for"), rows)]
    lines += [line for folder in folders() for line in section(folder)]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
