"""Build the sdist and the wheel, check both, and use the wheel in an empty environment on every Python at hand.

Nothing is uploaded. Run it with `make dist`, whose environment has what it needs.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
DIST: Final = ROOT / "dist"
PYTHONS: Final = ("3.11", "3.12", "3.13")
MOST_BYTES: Final = 15_000_000
#: What is run in every environment, in an empty folder.
COMMANDS: Final = (("molt-bench",), ("molt-bench", "check", "tight"))


def run(*command: str | Path, cwd: Path = ROOT, quiet: bool = True) -> str:
    """Run a command, without what the environment says about Python; end with its output if it fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=clean, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}failed with status {done.returncode}")
    if not quiet:
        print(done.stdout, end="")
    return done.stdout


def build() -> tuple[Path, Path]:
    """Build both files, the wheel from the sdist, as an installer would; return their paths."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    return sdist, wheel


def check(sdist: Path, wheel: Path) -> None:
    """Check the metadata, the version, the size and the citation."""
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel, quiet=False)
    source = (ROOT / "src" / "molt_bench" / "_version.py").read_text("utf-8")
    version = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    if version is None or f"-{version[1]}" not in wheel.name or f"-{version[1]}.tar" not in sdist.name:
        sys.exit(f"{wheel.name} and {sdist.name} are not of the version in _version.py")
    for file in (sdist, wheel):
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    if wheel.stat().st_size > MOST_BYTES:
        sys.exit(f"{wheel.name} has more than {MOST_BYTES:,} bytes")
    names = zipfile.ZipFile(wheel).namelist()
    if "molt_bench/py.typed" not in names or any(name.startswith("tests/") for name in names):
        sys.exit(f"{wheel.name} lacks py.typed, or has tests")
    run(Path(sys.executable).with_name("cffconvert"), "--validate", quiet=False)


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


def use(wheel: Path, version: str, python: str) -> None:
    """Install the wheel into an empty environment, and run the commands in an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", folder / "venv")
        scripts = folder / "venv" / "bin"
        run(scripts / "python", "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", wheel)
        (folder / "empty").mkdir()
        for program, *arguments in COMMANDS:
            run(scripts / program, *arguments, cwd=folder / "empty")
            print(f"Python {version}: {' '.join([program, *arguments])}: fine")
        run(scripts / "python", ROOT / "scripts" / "promises.py")


def main() -> None:
    """Build, check and use."""
    sdist, wheel = build()
    check(sdist, wheel)
    found = dict(pythons())
    for version, python in found.items():
        use(wheel, version, python)
    missing = [version for version in PYTHONS if version not in found]
    print(f"Checked on Python {', '.join(found) or 'none'}{f'; not here: {chr(44).join(missing)}' if missing else ''}.")
    if not found:
        sys.exit("no Python to try the wheel on")


if __name__ == "__main__":
    main()
