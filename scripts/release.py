"""Turn what is unreleased into a version, in the working tree: `python scripts/release.py 0.9.1`; then commit and tag.

It writes the version, its date, the heading of the changelog, and what the gate in the docs installs. Nothing is
uploaded, and nothing else needs an edit.
"""

import datetime
import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
GATE: Final = ("docs/examples/ci/molt-bench.yml", "docs/reference/compare-and-gate.md")
NUMBER: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def release(root: Path, version: str, day: datetime.date) -> list[str]:
    """Write a version into every file that names it; return the files that changed."""
    number = _number(version)
    source = (root / "src" / "molt_bench" / "_version.py").read_text("utf-8")
    known = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    if known is None or number <= _number(known[1]):
        sys.exit(f"{version} is not after {known[1] if known else 'the version in _version.py'}")
    if "## [Unreleased]\n\n###" not in (root / "CHANGELOG.md").read_text("utf-8"):
        sys.exit("CHANGELOG.md has nothing under [Unreleased]")
    edits = {
        "src/molt_bench/_version.py": [(r'^__version__ = ".+"$', f'__version__ = "{version}"')],
        "CITATION.cff": [
            (r"^version: .+$", f"version: {version}"),
            (r"^date-released: .+$", f"date-released: '{day}'"),
        ],
        "CHANGELOG.md": [(r"^## \[Unreleased\]$", f"## [Unreleased]\n\n## [{version}] - {day}")],
        # What the gate of the docs installs.
        **{name: [(r"(/molt-bench\.git@v)[\d.]+", rf"\g<1>{version}")] for name in GATE},
    }
    if number >= (1, 0, 0):
        edits["pyproject.toml"] = [
            (r"Development Status :: \d - [\w/]+", "Development Status :: 5 - Production/Stable")
        ]
    for name, changes in edits.items():
        path = root / name
        text = path.read_text("utf-8")
        for pattern, new in changes:
            text, times = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
            if not times:
                sys.exit(f"{name} has no line like {pattern}")
        path.write_text(text, "utf-8")
    return [*edits]


def _number(version: str) -> tuple[int, ...]:
    found = NUMBER.fullmatch(version)
    if found is None:
        sys.exit(f"{version} is not a version: use three numbers, such as 0.9.1")
    return tuple(map(int, found.groups()))


def main() -> None:
    """Write the version that is asked for."""
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/release.py VERSION")
    version = sys.argv[1]
    changed = release(ROOT, version, datetime.datetime.now(datetime.UTC).date())
    print(f"{version} is in {', '.join(changed)}. Now:")
    print(f"  make check test dist && git commit --all --message 'Release {version}' && git tag v{version}")


if __name__ == "__main__":
    main()
