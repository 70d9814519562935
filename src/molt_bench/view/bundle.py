"""The bundle: the modules of the pages as one classic script, since a page opened from a file cannot load modules.

Each module becomes a function, called in dependency order. Only the simple module syntax that the pages use is
supported; anything else is an error.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from molt_bench.errors import MoltBenchError

#: The script that the page loads.
ENTRY: Final = "app.js"
_IMPORT: Final = re.compile(r'^import (\{[^}]*\}) from "([^"]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async function|function|class|const|let) ([\w$]+))", re.MULTILINE)
_LEFT_OVER: Final = re.compile(r"^(?:import|export)\b.*$|\bimport\s*\(|\bimport\.meta\b", re.MULTILINE)


def script_of(static: Path) -> str:
    """Return the scripts of the pages in a folder as one: a browser asks for it once.

    Raises:
        MoltBenchError: They cannot be read or bundled.
    """
    try:
        paths = sorted(static.rglob("*.js"))
        return _script(static, tuple((path, path.stat().st_mtime_ns) for path in paths))
    except (OSError, UnicodeDecodeError) as error:
        raise MoltBenchError(f"{static} of the pages cannot be read: {error}") from error


@lru_cache(maxsize=4)
def _script(static: Path, files: tuple[tuple[Path, int], ...]) -> str:
    """Bundle the files; again if one of them was changed since."""
    return bundle({path.relative_to(static).as_posix(): path.read_text("utf-8") for path, _ in files}, ENTRY)


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
        MoltBenchError: A module is missing, imports form a cycle, or the syntax is not supported.
    """
    pieces = ['"use strict";', "const modules = {};"]
    for path in _in_order(modules, entry, ()):
        pieces.append(f'modules["{path}"] = (() => {{\n{_body(path, modules[path])}\n}})();')
    return "\n".join(pieces) + "\n"


def _in_order(modules: Mapping[str, str], path: str, trail: tuple[str, ...]) -> list[str]:
    """Return a module and those it needs, each after the modules it depends on."""
    if path in trail:
        raise MoltBenchError(f"the pages' scripts import each other in a circle: {' > '.join((*trail, path))}")
    if path not in modules:
        raise MoltBenchError(f"{trail[-1] if trail else 'the page'} imports {path}, and there is no such script")
    found: dict[str, None] = {}
    for match in _IMPORT.finditer(modules[path]):
        found |= dict.fromkeys(_in_order(modules, _resolved(path, match[2]), (*trail, path)))
    return [*found, path]


def _resolved(importer: str, target: str) -> str:
    if not target.startswith("./"):
        raise MoltBenchError(f"{importer} imports {target}: only paths that begin with ./ can be bundled")
    return target.removeprefix("./")


def _body(path: str, text: str) -> str:
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(lambda match: _binding(match[1], _resolved(path, match[2])), text))
    left = _LEFT_OVER.search(body)
    if left is not None:
        raise MoltBenchError(f"{path}: {left[0]!r} is beyond what can be put into one file")
    return f"{body.strip()}\nreturn {{{exported}}};"


def _binding(names: str, path: str) -> str:
    return f'const {names.replace(" as ", ": ")} = modules["{path}"];'
