"""Boxes of others than bubblewrap, for these tests: an image for podman, and a second user."""

import os
import shutil
import subprocess

import pytest

from tests.agents.sandbox.boxes import made_image, podman


@pytest.fixture(scope="session")
def working_podman(tmp_path_factory):
    """Have podman use the other runtime where its own does not work, as with two versions of cgroups at once."""
    tried = podman("run", "--rm", "--pull=never", "--network=none", "--rootfs", "/var/empty", "/nothing").stderr
    if "hybrid" in tried or "RLIMIT" in tried:
        if not shutil.which("runc"):
            pytest.skip(f"podman does not work here: {tried.strip()}")
        path = tmp_path_factory.mktemp("podman") / "containers.conf"
        path.write_text('[engine]\nruntime = "runc"\n')
        os.environ["CONTAINERS_CONF"] = str(path)
    yield
    os.environ.pop("CONTAINERS_CONF", None)


@pytest.fixture(scope="session")
def python_image(working_podman, tmp_path_factory):
    """Return the name of an image that has Python."""
    name = f"localhost/molt-bench-python-{os.getpid()}"
    yield made_image(name, tmp_path_factory.mktemp("image"))
    podman("rmi", "--force", name)


@pytest.fixture(scope="session")
def guest():
    """Return the name of a second user."""
    name = f"mb-box-{os.getpid()}"
    subprocess.run(["useradd", "--no-create-home", name], check=True)
    yield name
    subprocess.run(["userdel", name], check=False, capture_output=True)
