"""The contributor's map is true: every path and every name in it exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "molt_bench"
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ROWS = re.findall(r"^\| (.+) \| `([^`]+)` \|$", TEXT, re.MULTILINE)
PATHS = sorted(
    {path for path in re.findall(r"`([\w./-]+/[\w.-]*|\w+\.(?:py|js))`", TEXT) if not path.startswith("tests")}
)
NAMES = re.findall(
    r"`([A-Z][A-Za-z]+|[a-z]+_[a-z]+|[A-Z]+(?:_[A-Z]+)?)`",
    TEXT[TEXT.index("## How to add") : TEXT.index("## Conventions")],
)


def test_the_map_has_forty_behaviours_and_more_each_named_once():
    behaviours = [behaviour for behaviour, _ in ROWS]
    assert len(behaviours) == len({*behaviours}) >= 40


def test_every_path_it_names_is_there():
    folders = (SOURCE, ROOT, SOURCE / "view" / "static")
    assert [path for path in PATHS if not any((folder / path).exists() for folder in folders)] == []


@pytest.mark.parametrize("name", sorted({*NAMES}))
def test_every_name_it_tells_to_use_is_defined(name):
    defined = re.compile(rf"^(?:class |def |    def |#: .*\n)?{name}\b", re.MULTILINE)
    assert any(defined.search(file.read_text("utf-8")) for file in SOURCE.rglob("*.py"))


@pytest.mark.parametrize("target", sorted({*re.findall(r"`make ([a-z-]+)`", TEXT)}))
def test_every_target_it_names_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
