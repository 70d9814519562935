"""Put the pages of the docs site together: those of docs/, and those that are written from the code.

The README is the first page. References of commands, config, files and API are generated, so that they cannot be out
of date. Links out of docs/, and from the README or the changelog into it, lead to the same files of the site. The
folder that is written is what mkdocs.yml names as `docs_dir`; any builder of sites that reads Markdown can take it.
"""

import inspect
import json
import posixpath
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click
from schemas import Schema, fields_of, file_name, schemas

import molt_bench
from molt_bench.cli import app
from molt_bench.config.sections import BenchmarkConfig

ROOT: Final = Path(__file__).parents[1]
#: Public names that are not on the face of the package, since few need them; the docs use each.
DEEPER: Final = {
    "molt_bench.arena.status": ("Observer", "RunStatus"),
    "molt_bench.bench.schedule": ("Situation", "register_matchmaker"),
}
#: The pages that are written by hand, by their kinds: each kind has a folder.
KINDS: Final = ("start", "how-to", "reference", "why")
DOCUMENTS: Final = [page for kind in KINDS for page in sorted((ROOT / "docs" / kind).glob("*.md"))]
EXAMPLES: Final = sorted((ROOT / "examples").glob("*/README.md"))
#: Pages that are not in docs/ themselves.
ROOT_PAGES: Final = {
    "index.md": "README.md",
    "contents.md": "docs/README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "benchmarks.md": "benchmarks/README.md",
    "examples.md": "examples/README.md",
    **{f"example-{path.parent.name}.md": f"examples/{path.parent.name}/README.md" for path in EXAMPLES},
}
MOVED: Final = {name: path for path, name in ROOT_PAGES.items()}

#: A bar that does not end a cell of a table.
BAR: Final = "\\|"
#: Links, and pictures of pages in the root, which lie in docs/.
LINK: Final = re.compile(r"\]\((?!https?:)([^)#]+)(#[^)]*)?\)")
PICTURE: Final = re.compile(r'\b(src(?:set)?=")docs/')


def write(folder: Path) -> None:
    """Write all pages into a folder, which is emptied before, and copies of the files outside docs/ they link to."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("__pycache__", "README.md"))
    for page in DOCUMENTS:
        (folder / page.relative_to(ROOT / "docs")).write_text(
            _linked(page.relative_to(ROOT).as_posix(), folder), "utf-8"
        )
    for path, make in PAGES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(make(), "utf-8")
    for path, name in ROOT_PAGES.items():
        text = PICTURE.sub(r"\1", _linked(name, folder))
        # What changed once is found after what holds now.
        later = "---\nsearch: {boost: 0.3}\n---\n\n" if name == "CHANGELOG.md" else ""
        (folder / path).write_text(later + text, "utf-8")


def _linked(name: str, folder: Path) -> str:
    """Return the text of a page with the links that it has on the site."""

    def on_site(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link[1]))
        if not (ROOT / target).is_file():
            return link[0]
        place = posixpath.relpath(_place(target, folder), posixpath.dirname(_place(name, folder)) or ".")
        return f"]({place}{link[2] or ''})"

    return LINK.sub(on_site, (ROOT / name).read_text("utf-8"))


def _place(name: str, folder: Path) -> str:
    """Return where a file is on the site; one outside docs/ that is no page is copied there."""
    if name in MOVED:
        return MOVED[name]
    if name.startswith("docs/"):
        return name.removeprefix("docs/")
    copy = folder / "source" / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / name, copy)
    return f"source/{name}"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table without the columns that say nothing; nothing without rows."""
    used = [at for at in range(len(head)) if any(row[at] for row in rows)]
    lines = [head, tuple("---" for _ in head), *rows] if rows else []
    return "".join(f"| {' | '.join(row[at].replace('|', BAR) for at in used)} |\n" for row in lines)


def code(text: object) -> str:
    """Return text in the type of code; empty if there is none."""
    return f"`{text}`" if text not in ("", None) else ""


def command_of(name: str) -> click.Command:
    """Return a command of the program."""
    found = app.program.get_command(click.Context(app.program), name)
    assert found is not None
    return found


def cli() -> str:
    """Return the reference of all commands."""
    parts = ["# Commands", "`molt-bench` without a command is `molt-bench run`. Before a command:", _options("")]
    for name in app.program.list_commands(click.Context(app.program)):
        parts += [f"## molt-bench {name}", *_command(name)]
    return "\n\n".join(parts)


def _command(name: str) -> Iterator[str]:
    command = command_of(name)
    arguments = [each.metavar or each.name.upper() for each in command.params if not each.opts[0].startswith("-")]
    yield f"```text\nmolt-bench {' '.join([name, *arguments])} [OPTIONS]\n```"
    yield _prose(command.help or "")
    yield _options(name)
    if command.epilog:
        yield f"```text\n{inspect.cleandoc(command.epilog)}\n```"


def _prose(text: str) -> str:
    """Return help as Markdown: indented blocks become code."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(text.replace("\b", "")))
    return "\n\n".join(
        f"```text\n{inspect.cleandoc(each)}\n```" if each.startswith("    ") else each for each in blocks
    )


def _options(name: str) -> str:
    """Return the table of a command's arguments and flags; of those before a command for an empty name."""
    rows = []
    for each in (command_of(name) if name else app.program).params:
        is_flag = each.opts[0].startswith("-")
        if each.name == "help" or (not is_flag and not getattr(each, "help", "")):
            continue
        values = [str(value) for value in getattr(each.type, "choices", ())]
        shown = ", ".join([*each.opts, *each.secondary_opts]) if is_flag else each.metavar or each.name.upper()
        default = each.default if isinstance(each.default, str | float | int) and each.default is not False else ""
        says = each.help or ""
        rows.append((code(shown), f"{says} One of {', '.join(map(code, values))}." if values else says, code(default)))
    return table(("option", "meaning", "default"), rows)


def type_text(schema: Schema, defs: dict[str, Schema]) -> str:
    """Say which values a schema takes."""
    if "$ref" in schema:
        found = defs[schema["$ref"].rpartition("/")[2]]
        return type_text(found, defs) if "enum" in found else "object"
    for group in ("anyOf", "oneOf"):
        if group in schema:
            return " or ".join(dict.fromkeys(type_text(each, defs) for each in schema[group]))
    if "const" in schema or "enum" in schema:
        return ", ".join(code(json.dumps(value)) for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "any value")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if kind == "array" and isinstance(schema.get("items"), dict) and schema["items"]:
        return f"list of {type_text(schema['items'], defs)}"
    limits = [f"{word} {schema[key]:g}" for key, word in _LIMITS.items() if key in schema and abs(schema[key]) < 1e9]
    return f"{kind}{', ' if limits else ''}{', '.join(limits)}"


_LIMITS: Final = {"exclusiveMinimum": "above", "minimum": "at least", "exclusiveMaximum": "below", "maximum": "at most"}


def config_page() -> str:
    """Return the reference of the config, a table for each section."""
    schema = BenchmarkConfig.model_json_schema(by_alias=True)
    defs = schema["$defs"]
    parts = [
        "# Config",
        "A config is YAML or JSON, or flags, or both: `--set stop.budget.maxMatches=5` sets any field. Everything has "
        "a default, and fields may also be written in snake_case. [Config files](command-line.md#config-files) shows "
        "one. The [JSON Schema](../schemas/config.schema.json) is for editors.",
    ]
    plain = {name: each for name, each in schema["properties"].items() if not _section(each)}
    parts += ["## At the top", _fields({"properties": plain}, defs), *_sections(schema, defs, "")]
    parts += ["## participants", "A participant is the name of a built-in agent, or one of these:"]
    for kind in schema["properties"]["participants"]["items"]["anyOf"]:
        if "properties" in kind:
            parts += [
                f"### {_kind(kind)}",
                kind.get("description", ""),
                _fields(kind, {**defs, **kind.get("$defs", {})}),
            ]
    parts += ["### initialRating", _fields(defs["InitialRating"], defs)] if "InitialRating" in defs else []
    return "\n\n".join(parts)


def _kind(schema: Schema) -> str:
    const = schema["properties"]["type"].get("const")
    if const:
        return f"type: {const}"
    return "a file of Python, a module or a plug-in" if "sandbox" in schema["properties"] else "a built-in agent"


def _section(schema: Schema) -> str | None:
    """Return the name of the section that a field holds; a field that may hold something else as well is none."""
    kinds = [each for each in schema.get("anyOf", schema.get("allOf", [schema])) if each.get("type") != "null"]
    return _name(kinds[0]) if len(kinds) == 1 and "$ref" in kinds[0] else None


def _name(reference: Schema) -> str:
    return str(reference["$ref"].rpartition("/")[2])


def _sections(schema: Schema, defs: dict[str, Schema], above: str) -> Iterator[str]:
    for name, each in schema["properties"].items():
        path = f"{above}.{name}" if above else name
        section = _section(each)
        if section is None and isinstance(each.get("additionalProperties"), dict):
            section, path = _section(each["additionalProperties"]), f"{path}.NAME"
        if section is not None:
            yield f"## {path}"
            yield defs[section].get("description", "")
            yield _fields(defs[section], defs)
            yield from _sections(defs[section], defs, path)


def _fields(schema: Schema, defs: dict[str, Schema]) -> str:
    rows = []
    for name, each in schema["properties"].items():
        if _section(each) is not None:
            continue  # it has a table of its own
        said = [part["description"] for part in (each, *each.get("anyOf", ())) if "description" in part]
        default = json.dumps(each["default"]) if "default" in each else ""
        shown = code(default) if len(default) < 40 else "see the schema"
        rows.append((code(name), said[0] if said else "", type_text(each, defs), shown))
        for kind in (defs[_name(part)] for part in each.get("anyOf", ()) if "$ref" in part):
            for inner, field in kind.get("properties", {}).items():
                says = field.get("description", kind.get("description", ""))
                rows.append((code(f"{name}.{inner}"), says, type_text(field, defs), ""))
    return table(("field", "meaning", "value", "default"), rows)


def files_page() -> str:
    """Return the reference of all files of a run, from their schemas."""
    parts = [
        "# Files of a run",
        "Every run has a folder with these files ([what they are for](run-folder.md)). Each has a "
        "JSON Schema, which tests hold against real runs. A `[]` stands for every item of a list, a `*` for every "
        "name. Later versions may add fields, so ignore those you do not know. `config.json` is "
        "[the config](config.md) with every field included.",
    ]
    for name, schema in schemas().items():
        parts += [f"## {name}", f"{schema['description']} [Schema](../schemas/{file_name(name)})."]
        for title, part in _alternatives(schema):
            parts += [f"### {title}"] if title else []
            parts += [part["description"]] if title and part.get("description") else []
            parts.append(_file_table(part, schema.get("$defs", {})))
    return "\n\n".join(parts)


def _alternatives(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Return the kinds of lines of a file with their titles; the schema itself without one, if there is only one."""
    defs = schema.get("$defs", {})
    kinds = [defs[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in schema.get("anyOf", ())]
    for each in kinds:
        tag = next((each["properties"][name] for name in ("line", "event") if name in each["properties"]), {})
        yield str(tag.get("const") or tag.get("enum", ["line"])[0]), each
    if not kinds:
        yield "", schema


def _file_table(schema: Schema, defs: dict[str, Schema]) -> str:
    rows = {}
    for field in fields_of(schema, defs=defs):
        said = field.schema.get("description", "")
        always = field.required or "default" in field.schema or "absent" in said
        note = said if always else f"{said} May be absent.".strip()
        rows.setdefault(field.path, (code(field.path), note, type_text(field.schema, defs)))
    return table(("field", "meaning", "value"), [*rows.values()])


#: The names of the API by what they are for; a name that is in none of these comes at the end.
TOPICS: Final = {
    "Run a benchmark": "run_benchmark run_benchmark_async BenchmarkConfig RunResult write_artifacts",
    "Games and matches": "play_game play_game_async play_match GameSpec ParticipantSpec GameRecord MatchResult Fault",
    "Agents": "PokerAgent Observation Action LegalActions LoggedAction HandResult Mix RaiseRange make_agent "
    "BUILTIN_AGENTS check_agent AgentReport AgentSettings",
    "Cards": "cards_from_text cards_to_text strength equity",
    "Errors": "MoltBenchError ConfigError AgentError AgentFailed IllegalAction RulesError JournalError ProviderError",
}


def api() -> str:
    """Return the reference of the API; the descriptions are the docstrings."""
    parts = [
        "# Python API",
        "Everything here but the last part is imported from `molt_bench` itself.",
    ]
    rest = [name for name in molt_bench.__all__ if not any(name in names.split() for names in TOPICS.values())]
    for title, names in {**TOPICS, "Versions": " ".join(rest)}.items():
        parts += [f"## {title}", *(f"::: {molt_bench._HOMES[name]}.{name}" for name in names.split())]
    parts.append("## In other modules")
    for module, found in DEEPER.items():
        parts += [f"`from {module} import {', '.join(found)}`", *(f"::: {module}.{name}" for name in found)]
    return "\n\n".join(parts)


PAGES: Final[dict[str, Callable[[], str]]] = {
    "reference/commands.md": cli,
    "reference/config.md": config_page,
    "reference/files.md": files_page,
    "reference/api.md": api,
}

if __name__ == "__main__":
    write(Path(sys.argv[1]))
