"""Writes the modules of the viewer's pages as one classic script: a page opened from a file cannot load modules.

Each module becomes a function, called in dependency order. Only the simple module syntax that the pages use is
supported; anything else is an error. A build calls it (`hatch_build.py`), and so does `python scripts/page_bundle.py`.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: The modules of the pages, and the script that they become.
STATIC: Final = Path("src/molt_bench/plugins/view/static")
BUNDLE: Final = Path("src/molt_bench/plugins/view/bundle.js")
#: The script that the page loads.
ENTRY: Final = "app.js"
_IMPORT: Final = re.compile(r'^import (\{[^}]*\}) from "([^"]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async function|function|class|const|let) ([\w$]+))", re.MULTILINE)
_LEFT_OVER: Final = re.compile(r"^(?:import|export)\b.*$|\bimport\s*\(|\bimport\.meta\b", re.MULTILINE)


def write_bundle(root: Path) -> Path:
    """Write the script of the pages into a checkout, and return its path."""
    static = root / STATIC
    modules = {path.relative_to(static).as_posix(): path.read_text("utf-8") for path in sorted(static.rglob("*.js"))}
    made = root / BUNDLE
    partly = made.with_name(f".{os.getpid()}.js")
    partly.write_text(bundle(modules, ENTRY), "utf-8")
    partly.replace(made)
    return made


def bundle(modules: Mapping[str, str], entry: str) -> str:
    r"""Return one script that does what the entry module does; `modules` has the text of each by its path.

    >>> print(bundle({"a.js": 'import { b as c } from "./b.js";\nc();\n', "b.js": "export function b() {}\n"}, "a.js"))
    "use strict";
    const modules = {};
    modules["b.js"] = (() => {
    function b() {}
    return {b};
    })();
    modules["a.js"] = (() => {
    const { b: c } = modules["b.js"];
    c();
    return {};
    })();
    <BLANKLINE>

    Raises:
        ValueError: A module is missing, imports form a cycle, or the syntax is not supported.
    """
    pieces = ['"use strict";', "const modules = {};"]
    for path in _in_order(modules, entry, ()):
        pieces.append(f'modules["{path}"] = (() => {{\n{_body(path, modules[path])}\n}})();')
    return "\n".join(pieces) + "\n"


def _in_order(modules: Mapping[str, str], path: str, trail: tuple[str, ...]) -> list[str]:
    """Return a module and those it needs, each after the modules it depends on."""
    if path in trail:
        raise ValueError(f"the pages' scripts import each other in a circle: {' > '.join((*trail, path))}")
    if path not in modules:
        raise ValueError(f"{trail[-1] if trail else 'the page'} imports {path}, and there is no such script")
    found: dict[str, None] = {}
    for match in _IMPORT.finditer(modules[path]):
        found |= dict.fromkeys(_in_order(modules, _resolved(path, match[2]), (*trail, path)))
    return [*found, path]


def _resolved(importer: str, target: str) -> str:
    if not target.startswith("./"):
        raise ValueError(f"{importer} imports {target}: only paths that begin with ./ can be bundled")
    return target.removeprefix("./")


def _body(path: str, text: str) -> str:
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(lambda match: _binding(match[1], _resolved(path, match[2])), text))
    left = _LEFT_OVER.search(body)
    if left is not None:
        raise ValueError(f"{path}: {left[0]!r} is beyond what can be put into one file")
    return f"{body.strip()}\nreturn {{{exported}}};"


def _binding(names: str, path: str) -> str:
    return f'const {names.replace(" as ", ": ")} = modules["{path}"];'


if __name__ == "__main__":
    print(write_bundle(Path(__file__).parents[1]))
