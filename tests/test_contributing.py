"""What contributors are told is true: paths, names, targets, suites and measurements exist, and no file is left out."""

import ast
import re
from functools import cache
from pathlib import Path

import house_size
import pytest
import slow_suites

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "molt_bench"
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PATHS = sorted(
    {path for path in re.findall(r"`([\w./-]+/[\w.-]*|\w+\.(?:py|js))`", TEXT) if not path.startswith("tests")}
)
NAMES = re.findall(
    r"`([A-Z][A-Za-z]+|[a-z]+_[a-z]+|[A-Z]+(?:_[A-Z]+)?)`",
    TEXT[TEXT.index("## How to add") : TEXT.index("## Conventions")],
)
#: By what was changed: the slow suites and the measurements that it asks for.
ADVICE = re.findall(r"^\| [^`|]+ \| (.*) \| (.*)\|$", TEXT, re.MULTILINE)
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.yaml")]
TEXTS += [path for folder in ("benchmarks", "scripts", "tests", "src") for path in (ROOT / folder).rglob("*.[pm][yd]")]


@cache
def sources():
    return [file.read_text("utf-8") for file in SOURCE.rglob("*.py")]


def test_every_room_is_on_the_page_that_says_where_things_are():
    house = TEXT[TEXT.index("## The house") : TEXT.index("## How to add")]
    named = {*re.findall(r"^\| `(\w+)` \|", house, re.MULTILINE)}
    rooms = {folder.name for folder in SOURCE.iterdir() if (folder / "__init__.py").is_file()}
    assert named == rooms - {"kernels"}


def test_every_file_says_what_it_is_for():
    python = [
        path for path in SOURCE.rglob("*.py") if not (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
    ]
    scripts = [path for path in SOURCE.rglob("*.[cj]*") if path.suffix in {".c", ".js"}]
    silent = [path for path in scripts if not re.match(r"//|/\*", path.read_text("utf-8"))]
    assert [*python, *(path for path in silent if path.name != "bundle.js")] == []


def test_every_path_it_names_is_there():
    folders = (SOURCE, ROOT, SOURCE / "plugins" / "view" / "static")
    assert [path for path in PATHS if not any((folder / path).exists() for folder in folders)] == []


@pytest.mark.parametrize("name", sorted({*NAMES}))
def test_every_name_it_tells_to_use_is_defined(name):
    defined = re.compile(rf"^(?:class |def |    def |#: .*\n)?{name}\b", re.MULTILINE)
    assert any(map(defined.search, sources()))


def test_every_target_and_suite_that_is_named_anywhere_exists():
    for path in TEXTS:
        text = path.read_text("utf-8")
        for target in re.findall(r"`make ([a-z][a-z-]*)", text):
            assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), f"{path}: make {target}"
        for suite in re.findall(r"make slow SUITE=([a-z-]+)", text):
            assert suite in slow_suites.SUITES, f"{path}: {suite}"
        for environment in re.findall(r"make install FOR=([a-z]+)", text):
            assert f"PACKAGES_{environment} :=" in MAKEFILE, f"{path}: {environment}"


def test_the_advice_names_suites_and_measurements_that_exist():
    suites = {name for first, _ in ADVICE for name in re.findall(r"`([a-z-]+)`", first.partition("; ")[0])}
    measured = {name for _, second in ADVICE for name in re.findall(r"`([a-z_]+)`", second)}
    assert suites == {*slow_suites.SUITES}
    assert measured
    assert [name for name in measured if not (ROOT / "benchmarks" / f"{name}.py").is_file()] == []


@pytest.mark.parametrize("name", slow_suites.SUITES)
def test_every_suite_has_tests_that_exist_and_an_environment_that_can_be_made(name):
    suite = slow_suites.SUITES[name]
    assert [path for path in suite.paths.split() if not list(ROOT.glob(path))] == []
    assert not suite.environment or f"PACKAGES_{suite.environment} :=" in MAKEFILE
    assert suite.about in slow_suites.listed()
    assert slow_suites.commands(name)


def test_the_size_of_the_house_is_counted_from_its_files():
    found = {name: now for name, now, _ in house_size.numbers()}
    assert found["lines of Python, core"] < found["lines of Python, all"] == house_size.lines("src/*.py") > 10_000
    assert found["commands"] == len(house_size.COMMANDS)
    assert all(now > 0 for now in found.values())


def test_slow_tests_that_no_suite_claims_are_run_with_whole_runs():
    command = slow_suites.commands("runs")[-1]
    assert command.endswith(" tests")
    assert {*re.findall(r"--ignore-glob='(.*?)'", command)} == {*slow_suites.claimed()}
    assert "tests/e2e" not in slow_suites.claimed()
