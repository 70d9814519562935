"""What a release is: one version everywhere, a changelog in order, the same bytes from the same sources, one commit."""

import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import dist
import package_readme
import pytest
import release
import sbom
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


WORKFLOWS = {path.name: yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github/workflows").glob("*.yml")}
FILES = (
    "src/molt_bench/_version.py",
    "CITATION.cff",
    "CHANGELOG.md",
    "pyproject.toml",
    *release.GATE,
)


def copied(folder, *, mask, at):
    """Copy the checkout as another clone would have it: other rights, other times of files."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    kept = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    before = os.umask(mask)
    try:
        for name in filter(None, kept.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
                os.utime(folder / name, (at, at))
    finally:
        os.umask(before)
    return folder


@pytest.mark.slow
def test_two_clones_give_the_same_bytes(tmp_path):
    one = copied(tmp_path / "one", mask=0o022, at=1_000_000_000)
    other = copied(tmp_path / "another" / "place", mask=0o077, at=1_700_000_000)
    built = [dist.build(folder, tmp_path / f"dist{at}", "1700000000") for at, folder in enumerate((one, other))]
    assert [file.name for file in built[0]] == [file.name for file in built[1]]
    assert len(built[0]) == (2 if shutil.which("cc") is None else 3)
    assert [file.name for file, twin in zip(*built, strict=True) if file.read_bytes() != twin.read_bytes()] == []


def test_the_bill_of_materials_has_what_is_installed_and_the_hashes_of_the_files(tmp_path):
    file = tmp_path / "molt_bench-1.0.0.tar.gz"
    file.write_bytes(b"packed")
    packages = sbom.installed(Path(sys.executable))
    text = sbom.document(packages, [file], 1_700_000_000)
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    ours = bill["metadata"]["component"]
    assert ours["licenses"] == [{"expression": "MIT"}]
    assert ours["components"][0]["hashes"][0]["content"] == hashlib.sha256(b"packed").hexdigest()
    names = {each["name"] for each in bill["components"]}
    assert {"numpy", "pydantic-core", "openskill"} <= names
    assert not {"pip", "molt-bench"} & names
    needs = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    assert any(each.startswith("pkg:pypi/numpy@") for each in needs[ours["bom-ref"]])
    assert {each["bom-ref"] for each in [ours, *bill["components"]]} == {*needs}
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert sbom.document(packages, [file], 1_700_000_000) == text


def test_the_hashes_are_those_that_sha256sum_checks(tmp_path, monkeypatch):
    monkeypatch.setattr(dist, "DIST", tmp_path)
    (tmp_path / "one.whl").write_bytes(b"1")
    (tmp_path / "two.tar.gz").write_bytes(b"2")
    dist.write_hashes()
    dist.write_hashes()  # which leaves its own file out
    lines = (tmp_path / "SHA256SUMS").read_text().splitlines()
    assert lines == [
        f"{hashlib.sha256(text).hexdigest()}  {name}" for text, name in ((b"1", "one.whl"), (b"2", "two.tar.gz"))
    ]


@pytest.fixture
def checkout(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


def test_a_release_is_one_command_and_leaves_nothing_unreleased(checkout):
    """Also right after a release, when nothing is unreleased."""
    changelog = checkout / "CHANGELOG.md"
    if "## [Unreleased]\n\n###" not in (text := changelog.read_text("utf-8")):
        changelog.write_text(text.replace("## [Unreleased]\n", "## [Unreleased]\n\n### Fixed\n\n- This.\n", 1), "utf-8")
    day = datetime.date(2027, 1, 31)
    assert {*release.release(checkout, "99.0.0", day)} == {*FILES}
    texts = {name: (checkout / name).read_text("utf-8") for name in FILES}
    assert '__version__ = "99.0.0"' in texts["src/molt_bench/_version.py"]
    assert "version: 99.0.0\ndate-released: '2027-01-31'" in texts["CITATION.cff"]
    assert "## [Unreleased]\n\n## [99.0.0] - 2027-01-31\n\n### " in texts["CHANGELOG.md"]
    assert "Development Status :: 5 - Production/Stable" in texts["pyproject.toml"]
    assert all("/molt-bench.git@v99.0.0" in texts[name] for name in release.GATE)
    with pytest.raises(SystemExit, match="nothing under"):
        release.release(checkout, "99.0.1", day)


@pytest.mark.parametrize(("version", "said"), [("0.1.9", "not after"), ("1.0", "three numbers"), ("v1.0.0", "numbers")])
def test_a_version_that_cannot_be_next_changes_nothing(checkout, version, said):
    before = [(checkout / name).read_bytes() for name in FILES]
    with pytest.raises(SystemExit, match=said):
        release.release(checkout, version, datetime.date(2027, 1, 31))
    assert [(checkout / name).read_bytes() for name in FILES] == before


def test_the_workflows_run_what_exists():
    for name, workflow in WORKFLOWS.items():
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                for target in re.findall(r"\bmake ([a-z]+)", step.get("run", "")):
                    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), (name, target)
    assert (ROOT / ".ci" / "run").is_file()


def test_the_suite_runs_on_three_systems_and_every_python():
    jobs = WORKFLOWS["tests.yml"]["jobs"]
    assert jobs["linux"]["strategy"]["matrix"]["python"] == [*dist.PYTHONS]
    assert jobs["elsewhere"]["strategy"]["matrix"]["os"] == ["macos-latest", "windows-latest"]
    assert WORKFLOWS["release.yml"]["jobs"]["try"]["strategy"]["matrix"]["python"] == [*dist.PYTHONS]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project) == [*dist.PYTHONS]
    promise = f"which Python it is ({dist.PYTHONS[0]} to {dist.PYTHONS[-1]})"
    assert promise in (ROOT / "docs/reference/run-folder.md").read_text("utf-8")


def test_publishing_waits_for_an_owner_of_the_name_and_stores_no_key():
    jobs = WORKFLOWS["release.yml"]["jobs"]
    assert "vars.OWNS_THE_NAME == 'yes'" in jobs["publish"]["if"]
    assert jobs["waiting"]["if"] == "vars.OWNS_THE_NAME != 'yes'"
    assert {*jobs["publish"]["needs"]} == {"build", "wheels", "try"}
    assert jobs["publish"]["permissions"]["id-token"] == "write"
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]


# The description of the package, which an index shows without the files beside it, has no dead link or picture.

REPOSITORY = "https://git.example.com/people/molt-bench"


def metadata(repository):
    """Return the metadata as the build backend works it out."""
    command = [sys.executable, "-m", "hatchling", "metadata", "--compact"]
    variables = {**os.environ, "MOLT_BENCH_REPOSITORY": repository}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def released():
    return metadata(REPOSITORY)


def test_every_link_and_picture_leads_to_a_file_of_the_tag(released):
    text = released["readme"]["text"]
    assert package_readme.relative(text) == []
    found = re.findall(rf"{REPOSITORY}/(raw|blob)/v{re.escape(__version__)}/([\w./-]+)", text)
    assert [path for _, path in found if not (ROOT / path).is_file()] == []
    pictures = {path for kind, path in found if kind == "raw"}
    assert pictures == {"docs/images/overview-light.svg", "docs/images/replayer-dark.png"}
    assert f"git clone {REPOSITORY} molt-bench && cd molt-bench\n" in text
    assert released["urls"] == {"Source": REPOSITORY}


def test_without_an_address_nothing_is_dead_and_the_words_stay(released):
    told = metadata("")
    assert not told.get("urls")
    text = told["readme"]["text"]
    assert package_readme.relative(text) == []
    assert "docs/images" not in text
    for title in re.findall(r"^## .+$", released["readme"]["text"], re.MULTILINE):
        assert title in text
    assert "MIT licence" in text
    assert "See CONTRIBUTING and the changelog." in text


def test_what_stays_relative_is_noticed():
    for text in ("[a](b.md)", "![a](b.png)", '<img alt="a" src="b.svg">', '<source srcset="b.svg">'):
        assert len(package_readme.relative(text)) == 1
    assert package_readme.relative("[a](https://b) [c](#d)") == []
