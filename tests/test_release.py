"""What a release is: one version everywhere, and a changelog in order."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from molt_bench import __version__
from molt_bench._version import BENCH_VERSION

ROOT = Path(__file__).parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
#: What the Citation File Format asks for, as far as our file uses it; `make dist` checks it by the whole schema.
CFF = {
    "type": "object",
    "required": ["cff-version", "message", "title", "authors"],
    "additionalProperties": False,
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": {"type": "string", "minLength": 1},
        "type": {"enum": ["software", "dataset"]},
        "title": {"type": "string", "minLength": 1},
        "abstract": {"type": "string", "minLength": 1},
        "authors": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        },
        "version": {"type": "string"},
        "date-released": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
        "license": {"const": "MIT"},
        "keywords": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    },
}


def test_the_citation_follows_its_format_and_has_the_version():
    Draft202012Validator(CFF).validate(CITATION)
    assert CITATION["version"] == __version__


def test_the_version_is_written_in_one_place_and_is_a_semantic_one():
    assert re.fullmatch(r"\d+\.\d+\.\d+(?:(?:a|b|rc|\.dev)\d+)?", __version__)
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'dynamic = ["version", ' in project
    assert 'path = "src/molt_bench/_version.py"' in project
    assert not re.search(r"^version\s*=", project, re.MULTILINE)


def test_the_changelog_has_versions_in_order_with_the_usual_sections_once_each():
    """As keepachangelog.com says; the newest version released is that of the package, or it is still unreleased."""
    titles = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert titles[0] == "[Unreleased]"
    released = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d", title) for title in titles[1:]]
    assert all(released), titles
    numbers = [tuple(map(int, each.groups())) for each in released]
    assert numbers == sorted({*numbers}, reverse=True)
    assert not numbers or numbers[0] <= tuple(map(int, __version__.split(".")[:3]))
    for part in re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]:
        sections = re.findall(r"^### (.*)$", part, re.MULTILINE)
        assert len({*sections}) == len(sections)
        assert {*sections} <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_every_entry_of_the_changelog_is_one_line():
    lines = CHANGELOG[CHANGELOG.index("## [Unreleased]") :].splitlines()
    assert [line for line in lines if line and not line.startswith(("- ", "#"))] == []
    assert [line for line in lines if len(line) > 160] == []


def test_no_line_of_the_changelog_is_there_twice():
    entries = [" ".join(entry.split()) for entry in re.split(r"^(?:- |#.*$)", CHANGELOG, flags=re.MULTILINE)]
    assert len({*filter(None, entries)}) == len([*filter(None, entries)])


def test_the_example_run_names_no_folder_of_the_machine_that_made_it():
    header = json.loads((ROOT / "docs/examples/run/journal.jsonl").read_text().splitlines()[0])
    assert (header["folder"], Path(header["config"]["outputDir"]).is_absolute()) == (".", False)
    assert header["benchVersion"] == BENCH_VERSION


def test_nobody_is_told_to_install_the_package_from_an_index():
    """The name may belong to somebody else there: it comes from a clone, a tag or a wheel.

    An extra may be named: pip takes the package that is installed, and adds what the extra needs.
    """
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    texts = {name: ROOT / name for name in kept.split("\0") if name and (ROOT / name).is_file()}
    del texts["tests/test_release.py"], texts["pyproject.toml"]
    found = [
        f"{name}: {line.strip()[:100]}"
        for name, path in texts.items()
        if path.suffix != ".jsonl"
        for line in path.read_bytes().decode(errors="replace").splitlines()
        if "molt" in line and FROM_AN_INDEX.search(line.replace("a clone of molt-bench", ""))
    ]
    assert found == []


#: A command that installs the package by its name alone; `molt-bench @ URL` is fine.
FROM_AN_INDEX = re.compile(
    r"(\b(pip3?|pipx|uv|conda|poetry)\s[^|]*\b(install|add|run)\b[^|]*[\s'\"]|\buvx\s+|['\"`])"
    r"molt[-_]bench(?=[\s'\"`=<>~,;)\]]|$)(?<!['\"`]molt.bench)(?!\s*@)"
)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("pip install molt-bench", True),
        ("run: pip install --upgrade molt-bench==0.1", True),
        ("`pip install 'molt-bench[llm]'`", False),
        ("needs the extra `molt-bench[llm]`", False),
        ("python -m pip install molt_bench", True),
        ("uvx molt-bench run", True),
        ("pipx install molt-bench", True),
        ("pip install .", False),
        ("pip install '.[llm]' openai", False),
        ('pip install "molt-bench @ git+https://git.example.com/molt-bench.git@v1"', False),
        ("pip install molt_bench-0.1.0-py3-none-any.whl", False),
        ("cd molt-bench && pip install .", False),
        ("`molt-bench run`", False),
    ],
)
def test_what_installs_from_an_index_is_recognised(line, wrong):
    assert bool(FROM_AN_INDEX.search(line)) == wrong
