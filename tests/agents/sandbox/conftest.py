"""Boxes of others than bubblewrap, for these tests: an image for podman, and a second user."""

import os
import shutil
import subprocess

import pytest

from tests.agents.sandbox.boxes import made_image, podman


@pytest.fixture(scope="session")
def python_image(tmp_path_factory):
    """Return the name of an image that has Python; its containers may need another runtime than podman's own."""
    name, folder = f"localhost/molt-bench-python-{os.getpid()}", tmp_path_factory.mktemp("image")
    made_image(name, folder)
    limits = ("--ulimit=nofile=256:256", "--ulimit=nproc=64:64")
    tried = podman("run", "--rm", "--pull=never", "--network=none", *limits, name, "python3", "-c", "").stderr
    if "hybrid" in tried and shutil.which("runc"):  # crun does not work with two versions of cgroups at once
        (folder / "containers.conf").write_text('[engine]\nruntime = "runc"\n')
        os.environ["CONTAINERS_CONF"] = str(folder / "containers.conf")
    elif tried:
        pytest.skip(f"podman does not work here: {tried.strip()}")
    yield name
    os.environ.pop("CONTAINERS_CONF", None)
    podman("rmi", "--force", name)


@pytest.fixture(scope="session")
def guest():
    """Return the name of a second user."""
    name = f"mb-box-{os.getpid()}"
    subprocess.run(["useradd", "--no-create-home", name], check=True)
    yield name
    subprocess.run(["userdel", name], check=False, capture_output=True)
