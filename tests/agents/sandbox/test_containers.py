"""Containers of podman as boxes: programs and Python code play in them. Real podman, on an image made here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game
from molt_bench.agents.external import supervised_program
from molt_bench.agents.kinds import box_for
from molt_bench.agents.sandbox.podman import Podman, only_not_executable
from molt_bench.agents.sandbox.podman import podman as found_podman
from molt_bench.errors import ConfigError
from tests.agents.sandbox.boxes import made_image, needs_podman, podman

BOTS = Path(__file__).parents[3] / "docs" / "examples" / "bots"
CAUTIOUS = BOTS.parent / "cautious.py"


def in_image(image, participant_type, **params):
    sandbox = {"kind": "podman", "image": image}
    return ParticipantSpec(id="bot", type=participant_type, params=params, sandbox=sandbox)


def played(spec):
    return play_game((make_agent(spec), make_agent("callstation")), seed=1, hands=3)


@needs_podman
def test_an_image_that_is_not_here_is_one_clear_line():
    with pytest.raises(ConfigError, match=r"sandbox\.image = 'nowhere/nothing': expected ") as raised:
        box_for(in_image("nowhere/nothing", "exec:./bot"))
    assert "\n" not in str(raised.value)


def test_a_machine_without_podman_is_one_clear_line(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    found_podman.cache_clear()
    with pytest.raises(ConfigError, match=r"a machine with podman \(Debian: apt install podman\)"):
        box_for(in_image("any", "exec:./bot"))
    found_podman.cache_clear()


def test_crun_and_runc_say_in_other_words_that_a_container_was_made():
    """As podman 4.3 said without root, where cgroups were delegated; a runtime that makes none is told apart."""
    assert only_not_executable("Error: crun: open executable: Permission denied: OCI permission denied")
    assert only_not_executable('Error: runc: exec: "/dev/null": permission denied: OCI permission denied')
    assert not only_not_executable("Error: crun: open `/sys/fs/cgroup/x`: Permission denied: OCI permission denied")


@pytest.mark.parametrize("name", ["a,readonly=false", "a:b", "line\nbreak"])
def test_a_path_that_podman_would_read_as_an_option_is_one_clear_line(name):
    made = Podman("podman", "4.3.1", "image", "0" * 64)
    with pytest.raises(ConfigError, match="paths without commas, colons, quotes and line breaks for podman") as raised:
        made.command(["bot"], [f"/srv/{name}"], (), name="box", network=False, memory_bytes=1, cpu_seconds=1)
    assert "\n" not in str(raised.value)


@pytest.mark.slow
@needs_podman
def test_a_program_plays_in_a_container_and_none_is_left(python_image, monkeypatch):
    mine = f"left-{os.getpid()}"  # other tests may have containers now
    monkeypatch.setattr(supervised_program, "token_hex", lambda _: mine)
    spec = in_image(python_image, f"exec:python3 {BOTS / 'bot.py'}")
    label = box_for(spec).label
    assert label.startswith("podman ")
    assert f"image {python_image} (" in label
    assert label.endswith("limits by cgroup")
    assert played(spec).faults == ()
    assert podman("ps", "--all", "--quiet", f"--filter=name=molt-bench-{mine}").stdout == ""


@pytest.mark.slow
@needs_podman
def test_python_code_plays_by_the_molt_bench_of_its_image(python_image, tmp_path):
    """An image that has this package and what its host imports."""
    image = made_image(f"{python_image}-whole", tmp_path, *_imported_by_host())
    try:
        boxed = played(in_image(image, f"{CAUTIOUS}:Cautious"))
        assert (boxed.net, boxed.faults) == (played(f"{CAUTIOUS}:Cautious").net, ())
    finally:
        podman("rmi", "--force", image)


def _imported_by_host():
    """Return the packages outside the standard library that the host of Python code imports."""
    code = (
        "import sys, molt_bench.agents.sandbox.python_host_script\n"
        "for name, module in sorted(sys.modules.items()):\n"
        "    path = getattr(module, '__file__', None)\n"
        "    if '.' not in name and path and ('site-packages' in path or name == 'molt_bench'):\n"
        "        print(path.removesuffix('/__init__.py'))\n"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
