"""What the tests of boxes share."""

import io
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from molt_bench.agents.sandbox.bubblewrap import bubblewrap

_MISSING = bubblewrap()
needs_bubblewrap = pytest.mark.skipif(isinstance(_MISSING, str), reason=f"needs a sandbox: {_MISSING}")
#: An interpreter that other users, and images, can have.
SYSTEM_PYTHON = "/usr/bin/python3"
needs_podman = pytest.mark.skipif(
    not shutil.which("podman") or not os.path.exists(SYSTEM_PYTHON), reason=f"needs podman and {SYSTEM_PYTHON}"
)
needs_guests = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("useradd") or not os.path.exists(SYSTEM_PYTHON) or isinstance(_MISSING, str),
    reason=f"needs root, useradd, bubblewrap and {SYSTEM_PYTHON}, to make a second user",
)


def podman(*words, **options):
    """Run podman."""
    return subprocess.run(["podman", *words], capture_output=True, text=True, check=False, **options)


def made_image(name, folder, *packages):
    """Make an image of this machine's Python, since none can be downloaded; `packages` are copied into it."""
    version = os.path.basename(os.path.realpath(SYSTEM_PYTHON))
    files = [Path(os.path.realpath(SYSTEM_PYTHON)), Path(f"/usr/lib/{version}")]
    compiled = [f"/usr/lib/{version}/lib-dynload", *packages]
    modules = [str(each) for folder_name in compiled for each in Path(folder_name).rglob("*.so")]
    needed = subprocess.run(["ldd", str(files[0]), *modules], capture_output=True, text=True, check=False).stdout
    files += map(Path, sorted({*re.findall(r"(/\S+\.so\S*)(?= \()", needed)}))
    archive = Path(folder, "image.tar")
    with tarfile.open(archive, "w", dereference=True) as tar:
        for each in files:
            tar.add(each, str(each), filter=_without_tests)
        for each in packages:
            tar.add(each, f"/usr/lib/{version}/{Path(each).name}", filter=_without_tests)
        link = tarfile.TarInfo(SYSTEM_PYTHON)
        link.type, link.linkname = tarfile.SYMTYPE, version
        tar.addfile(link)
        for folder_name in ("/tmp", "/proc", "/sys", "/dev", "/etc"):
            entry = tarfile.TarInfo(folder_name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry, io.BytesIO())
    done = podman("import", "--quiet", str(archive), name)
    archive.unlink()
    assert done.returncode == 0, done.stderr
    return name


def _without_tests(entry):
    parts = Path(entry.name).parts
    return None if {"test", "tests", "__pycache__", "idlelib", "ensurepip", "lib2to3", "config-3"} & {*parts} else entry
