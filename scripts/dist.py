"""Build sdist and wheels with an SBOM and hashes, check them, and use the wheel on every Python at hand.

Nothing is uploaded. Run it with `make dist`, whose environment has what it needs. The same sources give the same bytes:
everything is built a second time, in another folder, from the sdist.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import package_readme
import sbom

ROOT: Final = Path(__file__).parents[1]
DIST: Final = ROOT / "dist"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
MOST_BYTES: Final = 15_000_000
#: What is run in every environment, in an empty folder.
COMMANDS: Final = (("molt-bench",), ("molt-bench", "check", "tight"))
#: The variable that stands for the time of a build, in every tool that writes one: reproducible-builds.org.
EPOCH: Final = "SOURCE_DATE_EPOCH"


def run(*command: str | Path, cwd: Path = ROOT, quiet: bool = True, **variables: str) -> str:
    """Run a command, without what the environment says about Python; end with its output if it fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=clean | variables, text=True, capture_output=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}failed with status {done.returncode}")
    if not quiet:
        print(done.stdout, end="")
    return done.stdout


def epoch(root: Path = ROOT) -> str:
    """Return the time that the build has: as asked, or that of the last commit, or a fixed one outside of git."""
    asked = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=root, text=True, capture_output=True, check=False
    ).stdout.strip()
    return os.environ.get(EPOCH) or asked or "1580601600"  # which is hatchling's own


def build(root: Path, out: Path, at: str) -> list[Path]:
    """Build the sdist, and from it a wheel of pure Python and, if there is a compiler, one for this platform."""
    hatchling = (sys.executable, "-m", "hatchling", "build", "--directory", out)
    run(*hatchling, "--target", "sdist", cwd=root, SOURCE_DATE_EPOCH=at)
    (sdist,) = out.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(sdist) as packed:
            packed.extractall(scratch, filter="data")
        (source,) = Path(scratch).iterdir()
        for pure in ("1", ""):
            run(*hatchling, "--target", "wheel", cwd=source, SOURCE_DATE_EPOCH=at, MOLT_BENCH_PURE=pure)
    return [sdist, *sorted(out.glob("*.whl"))]


def check(sdist: Path, *wheels: Path) -> None:
    """Check the metadata, the version, the size and the citation."""
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, *wheels, quiet=False)
    source = (ROOT / "src" / "molt_bench" / "_version.py").read_text("utf-8")
    version = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    if version is None or any(f"-{version[1]}{end}" not in file.name for file, end in _ends(sdist, *wheels)):
        sys.exit(f"{', '.join(file.name for file in (sdist, *wheels))} are not of the version in _version.py")
    for file in (sdist, *wheels):
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    for wheel in wheels:
        if wheel.stat().st_size > MOST_BYTES:
            sys.exit(f"{wheel.name} has more than {MOST_BYTES:,} bytes")
        packed = zipfile.ZipFile(wheel)
        names = packed.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        if dead := package_readme.relative(packed.read(metadata).decode("utf-8")):
            sys.exit(f"the description in {wheel.name} leads to files that an index does not have: {', '.join(dead)}")
        if "molt_bench/py.typed" not in names or any(name.startswith("tests/") for name in names):
            sys.exit(f"{wheel.name} lacks py.typed, or has tests")
    run(Path(sys.executable).with_name("cffconvert"), "--validate", quiet=False)


def _ends(sdist: Path, *wheels: Path) -> list[tuple[Path, str]]:
    """Return each file with what follows the version in its name."""
    return [(sdist, ".tar.gz"), *((wheel, "-") for wheel in wheels)]


def check_same_bytes(files: list[Path], at: str) -> None:
    """Build everything again from the sdist, in another folder, and end if a byte differs."""
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(files[0]) as packed:
            packed.extractall(scratch, filter="data")
        (source,) = Path(scratch).iterdir()
        again = build(source, Path(scratch, "again"), at)
        if [file.name for file in again] != [file.name for file in files]:
            sys.exit(f"the second build made {', '.join(file.name for file in again)}")
        for one, other in zip(files, again, strict=True):
            if one.read_bytes() != other.read_bytes():
                sys.exit(f"{one.name} has other bytes when it is built again from the sdist")
    print(f"The same bytes when built again from the sdist ({EPOCH}={at}).")


def pythons() -> Iterator[tuple[str, str]]:
    """Return the versions asked for that are installed here, and where: on the path, by pyenv or by uv."""
    for version in PYTHONS:
        places = [shutil.which(f"python{version}"), shutil.which("python3"), sys.executable]
        places += sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python")))
        places += sorted(map(str, Path.home().glob(f".local/share/uv/python/cpython-{version}.*/bin/python{version}")))
        for place in filter(None, places):
            asked = [place, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"]
            if subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == version:
                yield version, place
                break


def use(wheel: Path, version: str, python: str) -> sbom.Packages:
    """Install a wheel into an empty environment, run the commands in an empty folder; return what was installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", folder / "venv")
        inside = folder / "venv" / "bin" / "python"
        run(inside, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", wheel)
        (folder / "empty").mkdir()
        for program, *arguments in COMMANDS:
            run(inside.with_name(program), *arguments, cwd=folder / "empty")
            print(f"Python {version}: {' '.join([program, *arguments])}: fine")
        return sbom.installed(inside)


def write_hashes() -> None:
    """Write the SHA-256 of every file into SHA256SUMS, as `sha256sum --check` reads them."""
    files = sorted(path for path in DIST.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(lines), "utf-8", newline="\n")


def main() -> None:
    """Build, check and use; the SBOM has the packages that the newest Python got."""
    shutil.rmtree(DIST, ignore_errors=True)
    at = epoch()
    files = build(ROOT, DIST, at)
    check(*files)
    check_same_bytes(files, at)
    found = dict(pythons())
    if not found:
        sys.exit("no Python to try the wheel on")
    # What an installer would choose: the wheel for this platform, where there is one.
    packages = [use(files[1], version, python) for version, python in found.items()][-1]
    (DIST / "sbom.cdx.json").write_text(sbom.document(packages, files, int(at)), "utf-8", newline="\n")
    write_hashes()
    missing = [version for version in PYTHONS if version not in found]
    print(f"Checked on Python {', '.join(found)}{f'; not here: {chr(44).join(missing)}' if missing else ''}.")
    print(f"In dist/: {', '.join(sorted(path.name for path in DIST.iterdir()))}")


if __name__ == "__main__":
    main()
