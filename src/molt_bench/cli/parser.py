"""What all commands share: help with examples, options as fields, checked numbers, usage errors on one line."""

import dataclasses
import inspect
import os
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any, Final

import click

from molt_bench.cli.streams import keep_for_json
from molt_bench.suggestions import did_you_mean

_SETTINGS: Final = {"help_option_names": ["--help", "-h"], "show_default": True, "max_content_width": 100}


def _no_color(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - as click passes it
    if wanted:
        os.environ["NO_COLOR"] = "1"


class Command(click.Command):
    """A command whose docstring ends in examples, which its help shows as they are."""

    def __init__(self, name: str | None, *, help: str | None = None, **options: Any) -> None:  # noqa: A002 - click's
        text, _, examples = inspect.cleandoc(help or "").partition("Examples:\n")
        super().__init__(name, help=text.rstrip(), epilog=examples, context_settings=_SETTINGS, **options)
        about = "Print without colour, as with the variable NO_COLOR."
        self.params.append(
            click.Option(["--no-color"], is_flag=True, expose_value=False, callback=_no_color, help=about)
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; wrong usage is that of this command, so that its help is named."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, if there are any; each is one line that can be copied."""
        if self.epilog:
            with formatter.section("Examples"):
                formatter.write(f"{self.epilog}\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; with `--json`, standard output is for one object alone."""
        with keep_for_json() if ctx.params.get("as_json") else nullcontext():
            return super().invoke(ctx)


def flag(about: str, name: str = "", *, default: Any = None, sets: str = "", **options: Any) -> Any:
    """Return a field of a dataclass that is an option of commands, for `grouped`; it is named after the field.

    A default of False makes it a switch, and one of () an option that can be repeated. A name without dashes is that
    of an argument, which is optional in brackets. `sets` is the field of a config that it sets, for `set_by`.
    """
    kind = {"is_flag": True} if default is False else {"multiple": True} if default == () else {"default": default}
    return dataclasses.field(
        default=default, metadata={"name": name, "sets": sets, "options": {"help": about, **kind, **options}}
    )


def set_by(flags: Any) -> dict[str, Any]:
    """Return the fields of a config that flags set, by their paths; those that were not given set nothing."""
    found = {each.metadata["sets"]: getattr(flags, each.name) for each in dataclasses.fields(flags) if each.metadata}
    return {path: value for path, value in found.items() if path and value is not None}


def grouped(kind: type, name: str) -> Callable[..., Any]:
    """Return a decorator that gives a command options, and passes their values as one object of that name.

    `kind` is the dataclass of the object, with a `flag` for each option.
    """
    fields = [each for each in dataclasses.fields(kind) if each.metadata]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(**values: Any) -> None:
            given = {each.name: values.pop(each.name) for each in fields}
            command(**{name: kind(**given)}, **values)

        for each in reversed(fields):
            spelt, options = each.metadata["name"] or f"--{each.name.replace('_', '-')}", each.metadata["options"]
            if spelt.startswith("-"):
                click.option(spelt, each.name, **options)(call)
            else:
                about = {name: value for name, value in options.items() if name != "default"}
                click.argument(each.name, metavar=spelt, required=spelt[0] != "[", **about)(call)
        return call

    return decorate


class Number(click.ParamType[float]):
    """A number within limits."""

    def __init__(self, word: str, kind: type[float], allows: Callable[[float], bool], must_be: str) -> None:
        self.name, self._kind, self._allows, self._must_be = word, kind, allows, must_be

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; what is none, or is outside the limits, is wrong usage."""
        try:
            number = self._kind(value)
        except ValueError:
            must_be = "must be a whole number" if self._kind is int else "must be a number"
            self.fail(f"{must_be}, not {value!r}", param, ctx)
        if not self._allows(number):
            self.fail(f"must be {self._must_be}, not {value!r}", param, ctx)
        return number


WHOLE: Final = Number("N", int, lambda value: True, "")
COUNT: Final = Number("N", int, lambda value: value >= 1, "a whole number of at least 1")
POSITIVE: Final = Number("NUMBER", float, lambda value: 0 < value < float("inf"), "a number above 0")
NOT_NEGATIVE: Final = Number("NUMBER", float, lambda value: 0 <= value < float("inf"), "a number of at least 0")
CONFIDENCE: Final = Number("NUMBER", float, lambda value: 0.5 < value < 1, "above 0.5 and below 1, as 0.95 is")
SHARE: Final = Number("SHARE", float, lambda value: 0 <= value <= 1, "from 0 to 1, as 0.1 is")


def usage_line(error: click.UsageError) -> str:
    """Return what is wrong with the usage, what may have been meant, and where to read more, in one line."""
    context, message = error.ctx, error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption) and context is not None:
        known = [name for param in context.command.get_params(context) for name in param.opts if name[:2] == "--"]
        message = f"no such option {error.option_name}{did_you_mean(error.option_name, known)}"
    path = "molt-bench" if context is None else context.command_path
    return f"{message[:1].lower()}{message[1:]} (see: {path} --help)"
