"""How large the house is beside what it aims for: `python scripts/house_size.py`. `make check` prints it.

Counted are the files that git knows: lines with blanks and docstrings, words as `wc -w` counts them.
"""

import subprocess
from pathlib import Path
from typing import Final

from schemas import schemas

from molt_bench.cli.app import COMMANDS
from molt_bench.config.loader import field_paths

ROOT: Final = Path(__file__).parents[1]
#: Files of a run that have no schema of their own here.
OTHER_FILES: Final = ("config.json", "master-seed", "bug.log", "agents/ID.log")
#: Files that a run has once a command has been used on it: the plug-in's grades. Exports, such as the card, are none.
ADDED_FILES: Final = {"grades.json"}
#: The room that is not the core.
OUTSIDE: Final = ("plugins",)
DOCS: Final = ("docs/*.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")


def files(*patterns: str) -> list[Path]:
    """Return the files of git that patterns name."""
    found = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in found.stdout.splitlines() if (ROOT / name).is_file()]


def lines(*patterns: str) -> int:
    """Return how many lines files have together."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in files(*patterns))


def words(*patterns: str) -> int:
    """Return how many words files have together."""
    return sum(len(path.read_text("utf-8").split()) for path in files(*patterns))


def settable_fields() -> int:
    """Return how many fields of a config a user can set: values, and not the sections that hold them.

    A field of participants counts once, whatever kinds have it.
    """
    paths = field_paths()
    return sum(not any(other.startswith(f"{path}.") for other in paths) for path in paths)


def numbers() -> list[tuple[str, int, int | None]]:
    """Return what is counted: its name, how much it is, and how much it is to be at most, if that is set."""
    package = "src/molt_bench"
    source = lines("src/*.py")
    rooms = [f"{package}/{name}/*.py" for name in OUTSIDE]
    longest = max(len(path.read_text("utf-8").splitlines()) for path in files("src/*.py"))
    return [
        ("lines of Python, all", source, 34_000),
        ("lines of Python, core", source - lines(*rooms), 23_500),
        ("files of Python", len(files("src/*.py")), 300),
        ("lines of the longest file", longest, 350),
        ("lines of C", lines("src/*.c", "src/*.h"), 650),
        ("lines of JavaScript", lines("src/*.js", "src/*.mjs"), 4_500),
        ("lines of tests", lines("tests/*.py"), 35_000),
        ("lines of benchmarks and scripts", lines("benchmarks/*.py", "scripts/*.py"), 6_000),
        ("lines of research", lines("research/*.py"), None),
        ("pages of docs", len(files("docs/*/*.md")) - len(files("docs/examples/*.md")), 25),
        ("words of docs", words(*DOCS), 35_000),
        ("words of research", words("research/*.md"), None),
        ("commands", len(COMMANDS), 15),
        ("settable fields of a config", settable_fields(), 60),
        ("kinds of files of a run", len({*schemas(), *OTHER_FILES} - ADDED_FILES), 11),
    ]


def main() -> None:
    """Print the table."""
    print(f"{'':34}{'now':>9}{'at most':>9}")
    for name, now, most in numbers():
        aim = f"{most:,}" if most is not None else ""
        print(f"{name:34}{now:>9,}{aim:>9}{'  above' if most is not None and now > most else ''}")


if __name__ == "__main__":
    main()
