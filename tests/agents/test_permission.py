"""One function decides whether an agent of a stored run may be made, and nothing goes around it."""

import os
import py_compile
import re
import sys
from hashlib import sha256
from pathlib import Path

import pytest

import molt_bench
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.permission import BUILT_IN, OWN, Permission, make_permitted
from molt_bench.agents.python_import import factory_file, find_factory
from molt_bench.errors import AgentError, NotPermitted
from molt_bench.specs import ParticipantSpec
from tests.agents.external.boxes import needs_bubblewrap

ROOT = Path(molt_bench.__file__).parent
MINE = """
from molt_bench import Action

RAN.append(1) if "RAN" in globals() else None

class Mine:
    name = "mine"
    def __init__(self, size=3):
        self.size = size
    def act(self, observation):
        return Action("fold")

def make(size=3):
    return Mine(size)
"""
#: Where agents may be made directly: the user names them on the command line or in Python, or they are built in.
DIRECT = {
    "agents/kinds.py",
    "agents/permission.py",
    "agents/python_kind.py",
    "host.py",  # which is a program of its own
    "plugins/adapters/gymnasium_env.py",
    "plugins/adapters/inspect_task.py",
    "cli/agent_argument.py",
    "testing/agent_check.py",
}
OUTSIDERS = ["os:system", "mine.py:make", "plug", "exec:./bot", "http://127.0.0.1:9/act", "llm:openai:x"]


def test_agents_of_runs_are_made_nowhere_else():
    makes = re.compile(r"(?<!def )\b(make_agent|make_within|shared_maker|find_factory|call_factory)\(")
    found = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if makes.search(path.read_text("utf-8"))}
    assert found == DIRECT


@pytest.mark.parametrize("participant_type", OUTSIDERS)
def test_only_built_in_bots_need_no_permission(participant_type):
    spec = ParticipantSpec(id="x", type=participant_type)
    with pytest.raises(NotPermitted, match="'x'"):
        make_permitted(spec, BUILT_IN)
    assert not Permission(granted={"y": None}).allows(spec)
    assert Permission(granted={"x": "0" * 64}).code_of(spec) == "0" * 64
    assert OWN.code_of(spec) is None


@pytest.mark.parametrize("name", BUILTIN_AGENTS)
def test_built_in_bots_always_may(name):
    assert BUILT_IN.allows(ParticipantSpec(id="x", type=name))


def test_objects_of_the_caller_may_but_their_names_alone_may_not():
    spec = ParticipantSpec(id="x", type="mine")
    assert BUILT_IN.allows(spec, {"mine": object})
    assert not BUILT_IN.allows(spec)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    path = tmp_path / "mine_alone.py"
    path.write_text(MINE)
    yield path
    sys.modules.pop("mine_alone", None)


@pytest.mark.parametrize("place", ["mine_alone.py", "mine_alone"])
def test_only_the_bytes_with_the_hash_are_run(mine, place):
    hashed = sha256(mine.read_bytes()).hexdigest()
    spec = ParticipantSpec(id="x", type=f"{place}:make", params={"size": 5})
    assert factory_file(spec.type).sha256 == hashed
    with pytest.raises(AgentError, match="is not the code with SHA-256 00"):
        find_factory(spec.type, code_sha256="0" * 64)
    assert find_factory(spec.type, code_sha256=hashed)(size=5).size == 5


@needs_bubblewrap
def test_in_a_sandbox_too_only_the_bytes_with_the_hash_are_run(mine):
    spec = ParticipantSpec(id="x", type="mine_alone.py:make", params={"size": 5})
    with pytest.raises(AgentError, match="is not the code with SHA-256 00"):
        make_permitted(spec, Permission(granted={"x": "0" * 64}))


def test_a_compiled_file_beside_it_is_not_run_in_its_place(mine):
    """Python believes such a file if it has the time and the size of the source, and anybody can write both."""
    state = mine.stat()
    mine.write_text(MINE.replace("self.size = size", "self.size = 66  "))
    os.utime(mine, ns=(state.st_atime_ns, state.st_mtime_ns))
    py_compile.compile(str(mine))
    mine.write_text(MINE)
    os.utime(mine, ns=(state.st_atime_ns, state.st_mtime_ns))
    hashed = sha256(MINE.encode()).hexdigest()
    make = find_factory("mine_alone.py:make", code_sha256=hashed)
    assert make(4).size == 4


def test_links_are_followed_before_a_path_is_named(mine, tmp_path):
    (tmp_path / "harmless.py").symlink_to(mine)
    assert factory_file("harmless.py:make").path == str(mine)


def test_a_module_in_a_package_is_found_without_importing_the_package(mine, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "pack" / "inner.py").write_text(MINE)
    assert factory_file("pack.inner:make").sha256 == sha256(MINE.encode()).hexdigest()
    assert "pack" not in sys.modules
