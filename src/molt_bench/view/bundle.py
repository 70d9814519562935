"""The bundle: the modules of the pages as one classic script, since a page opened from a file cannot load modules.

Each module becomes a function, called in dependency order. Only the simple module syntax that the pages use is
supported; anything else is an error.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from molt_bench.errors import MoltBenchError

_IMPORT: Final = re.compile(
    r"""^import\s+(?:(?P<what>\*\s+as\s+[\w$]+|[\w$]+|\{[^}]*\})\s+from\s+)?["'](?P<path>[^"']+)["'];?[ \t]*$""",
    re.MULTILINE,
)
_DECLARED: Final = re.compile(
    r"^export\s+(?=(?:async\s+function\*?|function\*?|class|const|let)\s+(?P<name>[\w$]+))", re.MULTILINE
)
_LISTED: Final = re.compile(r"^export\s*\{(?P<names>[^}]*)\};?[ \t]*$", re.MULTILINE)
_DEFAULT: Final = re.compile(r"^export\s+default\s+(?P<name>[\w$]+);[ \t]*$", re.MULTILINE)
_LEFT_OVER: Final = re.compile(r"^(?:import|export)\b.*$|\bimport\s*\(|\bimport\.meta\b", re.MULTILINE)


def bundle(modules: Mapping[str, str], entry: str) -> str:
    r"""Return one script that does what the entry module does.

    >>> print(bundle({"a.js": "import {b as c} from './b.js';\nc();\n", "b.js": "export function b() {}\n"}, "a.js"))
    "use strict";
    const modules = {};
    modules["b.js"] = (() => {
    function b() {}
    return {b: b};
    })();
    modules["a.js"] = (() => {
    const {b: c} = modules["b.js"];
    c();
    return {};
    })();
    <BLANKLINE>

    Args:
        modules: The text of every module by its path.
        entry: The path of the module to run.

    Raises:
        MoltBenchError: A module is missing, imports form a cycle, or the syntax is not supported.
    """
    pieces = ['"use strict";', "const modules = {};"]
    for path in _in_order(modules, entry, ()):
        pieces.append(f"modules[{_quoted(path)}] = (() => {{\n{_body(path, modules[path])}\n}})();")
    return "\n".join(pieces) + "\n"


def _in_order(modules: Mapping[str, str], path: str, trail: tuple[str, ...]) -> list[str]:
    """Return a module and those it needs, each after the modules it depends on."""
    if path in trail:
        raise MoltBenchError(f"the pages' scripts import each other in a circle: {' > '.join((*trail, path))}")
    if path not in modules:
        raise MoltBenchError(f"{trail[-1] if trail else 'the page'} imports {path}, and there is no such script")
    found: dict[str, None] = {}
    for match in _IMPORT.finditer(modules[path]):
        for needed in _in_order(modules, _resolved(path, match["path"]), (*trail, path)):
            found[needed] = None
    found[path] = None
    return list(found)


def _resolved(importer: str, target: str) -> str:
    if not target.startswith(("./", "../")):
        raise MoltBenchError(f"{importer} imports {target}: only paths that begin with ./ or ../ can be bundled")
    parts: list[str] = []
    for part in (PurePosixPath(importer).parent / target).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _body(path: str, text: str) -> str:
    exported = dict(_exports(text))
    body = _IMPORT.sub(lambda match: _binding(match["what"], _resolved(path, match["path"])), text)
    body = _DEFAULT.sub("", _LISTED.sub("", _DECLARED.sub("", body)))
    left = _LEFT_OVER.search(body)
    if left is not None:
        raise MoltBenchError(f"{path}: {left[0]!r} is beyond what can be put into one file")
    returned = ", ".join([f"{name}: {local}" for name, local in exported.items()])
    return f"{body.strip()}\nreturn {{{returned}}};"


def _exports(text: str) -> Iterator[tuple[str, str]]:
    """Return every exported name and its local name."""
    for match in _DECLARED.finditer(text):
        yield match["name"], match["name"]
    for match in _LISTED.finditer(text):
        for each in filter(None, map(str.strip, match["names"].split(","))):
            local, _, name = each.partition(" as ")
            yield (name or local).strip(), local.strip()
    for match in _DEFAULT.finditer(text):
        yield "default", match["name"]


def _binding(what: str | None, path: str) -> str:
    module = f"modules[{_quoted(path)}]"
    if what is None:
        return ""
    if what.startswith("*"):
        return f"const {what.split()[-1]} = {module};"
    if what.startswith("{"):
        names = re.sub(r"\s+as\s+", ": ", what)
        return f"const {names} = {module};"
    return f"const {{default: {what}}} = {module};"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
