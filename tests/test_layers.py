"""The house has floors: imports go strictly down, never up and never to a neighbour on the same floor."""

import ast
from collections.abc import Mapping
from functools import cache
from itertools import takewhile, zip_longest
from pathlib import Path

import pytest

import molt_bench

ROOT = Path(molt_bench.__file__).parent

FLOORS = [
    {"__main__", "host"},
    {"cli", "plugins"},
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
    {"blame", "entry_points", "files", "kernels"},
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
    above = (name for name in sorted(imports_of(source)) if not (own == "plugins" and is_of_the_face(name)))
    return [name for name in above if room_of(name) != own and FLOOR_OF[room_of(name)] <= FLOOR_OF[own]]


def is_of_the_face(name: str) -> bool:
    """Return whether something is a name of the face of the package, such as molt_bench.RunResult."""
    return name.removeprefix("molt_bench.") in molt_bench.__all__


#: What plug-ins may take from the core, beside its face; strangers are promised the face and the seam.
PUBLIC = ("errors", "play", "plugin", "poker", "records", "report.rows", "runs.run", "seeds", "specs")
#: What two of our plug-ins share: how a web server is bound and addressed.
SHARED = "molt_bench.plugins.web_server"


def wrong_in_plugin(module: str, source: str) -> list[str]:
    """Return the imports of a file of a plug-in that are of another plug-in, or not of the core's public modules."""
    own = ".".join(module.split(".")[:3])
    allowed = (own, SHARED, *(f"molt_bench.{name}" for name in PUBLIC))
    return [
        name
        for name in sorted(imports_of(source))
        if not is_of_the_face(name) and not any(name == one or name.startswith(f"{one}.") for one in allowed)
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


def cycles_in(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the cycles of a graph of modules, one for each name that closes one."""
    found: list[list[str]] = []
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        if module in trail:
            found.append([*trail[trail.index(module) :], module])
        elif module not in done:
            for target in sorted(imports.get(module, ())):
                visit(target, (*trail, module))
            done.add(module)

    for module in imports:
        visit(module, ())
    return found


def imports_between_parts(imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports between the parts of each package: a package in it is one part, whatever it holds."""
    between: dict[str, set[str]] = {}
    for module, targets in imports.items():
        for target in targets:
            pairs = zip_longest(module.split("."), target.split("."), fillvalue="__init__")
            same = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
            own, other = (".".join([*each.split("."), "__init__"][: same + 1]) for each in (module, target))
            between.setdefault(own, set()).add(other)
    return between


def test_no_import_cycles():
    known = modules()
    named = {module: imports_of(path.read_text()) for module, path in known.items()}
    imports = {
        module: {target if target in known else target.rpartition(".")[0] for target in targets}
        for module, targets in named.items()
    }
    assert cycles_in(imports) == []
    assert cycles_in(imports_between_parts(imports)) == [], "between packages, however deep they lie"


def test_a_cycle_between_packages_is_found_where_no_module_imports_itself():
    imports = {
        "molt_bench.agents.box.words": {"molt_bench.agents.external.program"},
        "molt_bench.agents.external.host": {"molt_bench.agents.box.home"},
    }
    assert cycles_in(imports) == []
    assert cycles_in(imports_between_parts(imports)) == [
        ["molt_bench.agents.box", "molt_bench.agents.external", "molt_bench.agents.box"]
    ]


def test_heavy_libraries_are_imported_lazily(fresh_python):
    """Importing the package, and the help of its command, loads no numpy, asyncio, pydantic or openskill."""
    heavy = "{'numpy', 'asyncio', 'pydantic', 'openskill', 'yaml'}"
    assert fresh_python(f"import sys, molt_bench, molt_bench.cli; print({heavy} & sys.modules.keys())") == "set()"
