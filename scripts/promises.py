"""What users may rely on: public names, commands and flags, fields of the config and of the files of a run.

`tests/promises.txt` has everything that was ever promised, and a test fails if any of it is gone. New things become a
promise with a release: `python scripts/promises.py --write` adds them, and `make dist` fails if some are missing.
"""

import inspect
import itertools
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_args

import click
from schemas import fields_of, schemas

import molt_bench
from molt_bench.cli import app
from molt_bench.config.sections import BenchmarkConfig

STORED: Final = Path(__file__).parents[1] / "tests" / "promises.txt"
#: Public names that are not on the face of the package, since few need them; the docs use each.
DEEPER: Final = {
    "molt_bench.arena.status": ("Observer", "RunStatus"),
    "molt_bench.bench.schedule.matchmakers": ("register_matchmaker",),
    "molt_bench.bench.schedule.situation": ("Situation",),
    "molt_bench.bench.stop_rules": ("Progress", "budget", "first_reason"),
    "molt_bench.rating.openskill": ("RatingService",),
}


def promised() -> list[str]:
    """Return everything that this version offers, a line each."""
    return sorted({*_api(), *_cli(), *_config(), *_files()})


def stored() -> list[str]:
    """Return everything that was promised so far."""
    return STORED.read_text("utf-8").splitlines()


def _api() -> Iterator[str]:
    homes = {"molt_bench": tuple(molt_bench.__all__), **DEEPER}
    for module, names in homes.items():
        for name in names:
            value = getattr(import_module(module), name)
            yield f"api {module}.{name}"
            yield from (f"api {module}.{name}{part}" for part in _parts(value))


def _parts(value: Any) -> Iterator[str]:
    """Return the arguments of a function, and the public members of a class."""
    if inspect.isclass(value):
        ours = [each for each in value.__mro__ if each.__module__.startswith("molt_bench")]
        members = {name for each in ours for name in (*vars(each), *inspect.get_annotations(each))}
        yield from (f".{name}" for name in members if not name.startswith(("_", "model_")))
    elif inspect.isfunction(value):
        for name, argument in inspect.signature(value).parameters.items():
            many = argument.kind is argument.VAR_KEYWORD and get_args(argument.annotation)
            yield from (f"({each})" for each in (many[0].__annotations__ if many else [name]))


def command_of(name: str) -> click.Command:
    """Return a command of the program."""
    found = app.program.get_command(click.Context(app.program), name)
    assert found is not None
    return found


def values_of(parameter: click.Parameter) -> list[str]:
    """Return the values that a flag can have, if there is a list of them."""
    return [str(value) for value in getattr(parameter.type, "choices", ())]


def _cli() -> Iterator[str]:
    yield from (f"cli {flag}" for parameter in app.program.params for flag in parameter.opts)
    for name in app.COMMANDS:
        yield f"cli {name}"
        places = itertools.count(1)
        for parameter in command_of(name).params:
            flags = [*parameter.opts, *parameter.secondary_opts]
            for flag in flags if flags[0].startswith("-") else [f"argument {next(places)}"]:
                yield f"cli {name} {flag}"
                yield from (f"cli {name} {flag} {value}" for value in values_of(parameter))


def _config() -> Iterator[str]:
    yield from (f"config {field.path}" for field in fields_of(BenchmarkConfig.model_json_schema(by_alias=True)))


def _files() -> Iterator[str]:
    for name, schema in schemas().items():
        yield from (f"file {name} {field.path}" for field in fields_of(schema))


def write() -> int:
    """Add what is new to the list; return how many lines that are. What is gone has to be removed by hand."""
    known = stored() if STORED.exists() else []
    new = {*promised()} - {*known}
    STORED.write_text("".join(f"{line}\n" for line in sorted({*known, *new})), "utf-8", newline="\n")
    return len(new)


def main() -> None:
    """Print what is not promised yet, with status 1; `--write` adds it."""
    if "--write" in sys.argv[1:]:
        print(f"{write()} added to {STORED.name}")
    elif new := sorted({*promised()} - {*stored()}):
        print("Not in tests/promises.txt yet; `python scripts/promises.py --write` adds them:", *new, sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
