"""What a release is made of: the same bytes from the same sources, hashes, a bill of materials, and one commit."""

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
import pytest
import release
import sbom
import yaml

ROOT = Path(__file__).parents[1]
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
