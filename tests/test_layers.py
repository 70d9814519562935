"""The house has floors: imports go strictly down, never up and never to a neighbour on the same floor."""

import ast
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import molt_bench

ROOT = Path(molt_bench.__file__).parent

FLOORS = [
    {"__main__", "host"},
    {"cli", "envs", "plugins"},
    {"adapters"},
    {"serve", "view"},
    {"arena", "report", "study", "testing"},
    {"runs"},
    {"bench"},
    {"config"},
    {"play", "rating", "luck", "llm"},
    {"agents"},
    {"plugin"},
    {"records"},
    {"specs"},
    {"poker"},
    {"seeds", "_version"},
    {"blame", "files", "kernels", "quiet_server", "web_server"},
    {"errors", "suggestions"},
    {"extras", "visible_text"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(module: str) -> str:
    """Return the room that a module such as molt_bench.poker.hand lies in."""
    return module.split(".")[1]


@cache
def modules() -> dict[str, Path]:
    """Return every module of the package but its face."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(("molt_bench", *[part for part in parts if part != "__init__"]))
        if name != "molt_bench":
            found[name] = path
    return found


@cache
def imports_of(source: str) -> set[str]:
    """Return every module of the package that a file imports, wherever in the file it does."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "molt_bench" and name != "molt_bench"}


def wrong_imports(module: str, source: str) -> list[str]:
    """Return the imports of a file that go up or sideways."""
    own = room_of(module)
    return [
        name for name in sorted(imports_of(source)) if room_of(name) != own and FLOOR_OF[room_of(name)] <= FLOOR_OF[own]
    ]


#: What plug-ins may take from the core; strangers are promised the face and the seam.
PUBLIC = ("errors", "play", "plugin", "poker", "records", "report.rows", "runs.run", "seeds", "specs")


def wrong_in_plugin(module: str, source: str) -> list[str]:
    """Return the imports of a file of a plug-in that are of another plug-in, or not of the core's public modules."""
    own = ".".join(module.split(".")[:3])
    allowed = (own, *(f"molt_bench.{name}" for name in PUBLIC))
    return [
        name
        for name in sorted(imports_of(source))
        if not any(name == one or name.startswith(f"{one}.") for one in allowed)
    ]


def test_every_room_has_a_floor():
    assert {room_of(module) for module in modules()} <= FLOOR_OF.keys()


def test_imports_go_down():
    found = {module: wrong_imports(module, path.read_text()) for module, path in modules().items()}
    assert {module: wrong for module, wrong in found.items() if wrong} == {}


def test_plug_ins_take_from_the_core_its_public_modules_alone_and_nothing_from_each_other():
    inside = {module: path for module, path in modules().items() if room_of(module) == "plugins"}
    found = {module: wrong_in_plugin(module, path.read_text()) for module, path in inside.items()}
    assert inside
    assert {module: wrong for module, wrong in found.items() if wrong} == {}


def test_the_core_imports_no_plug_in():
    core = {module: path for module, path in modules().items() if room_of(module) != "plugins"}
    found = {module: {room_of(name) for name in imports_of(path.read_text())} for module, path in core.items()}
    assert [module for module, rooms in found.items() if "plugins" in rooms] == []


@pytest.mark.parametrize("source", ["from molt_bench.luck import cards", "from molt_bench.plugins.view import server"])
def test_what_a_plug_in_may_not_import_is_found(source):
    assert wrong_in_plugin("molt_bench.plugins.lookahead.ahead", source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("molt_bench.poker.hand", "from molt_bench.agents import base"),
        ("molt_bench.poker.hand", "from molt_bench import specs"),
        ("molt_bench.records", "def late():\n    import molt_bench.agents.base"),
        ("molt_bench.play.game", "if TYPE_CHECKING:\n    from molt_bench.cli.app import main"),
    ],
)
def test_an_import_that_goes_up_or_sideways_is_found(module, source):
    assert wrong_imports(module, source)


def test_no_import_cycles():
    graph = {}
    known = modules()
    for module, path in known.items():
        targets = imports_of(path.read_text())
        graph[module] = {t if t in known else t.rpartition(".")[0] for t in targets}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, f"cycle: {list(pairwise((*trail, module)))}"
        if module not in done:
            for target in graph.get(module, ()):
                visit(target, (*trail, module))
            done.add(module)

    for module in known:
        visit(module, ())


def test_heavy_libraries_are_imported_lazily(fresh_python):
    """Importing the package, and the help of its command, loads no numpy, asyncio, pydantic or openskill."""
    heavy = "{'numpy', 'asyncio', 'pydantic', 'openskill', 'yaml'}"
    assert fresh_python(f"import sys, molt_bench, molt_bench.cli; print({heavy} & sys.modules.keys())") == "set()"
