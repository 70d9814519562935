"""What all commands share: help with examples, options in groups, checked numbers, one-line usage errors."""

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
        self.params.append(
            click.Option(
                ["--no-color"],
                is_flag=True,
                expose_value=False,
                callback=_no_color,
                help="Print without colour; so does the variable NO_COLOR.",
            )
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


def flag(about: str, name: str = "", *, default: Any = None, **options: Any) -> Any:
    """Return a field of a dataclass that is an option of commands, for `grouped`; it is named after the field.

    A default of False makes it a switch, and one of () an option that can be repeated.
    """
    kind = {"is_flag": True} if default is False else {"multiple": True} if default == () else {"default": default}
    return dataclasses.field(default=default, metadata={"name": name, "options": {"help": about, **kind, **options}})


def grouped(kind: type, name: str, *others: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that gives a command options, and passes their values as one object of that name.

    Args:
        kind: The class of the object, with a field for each option.
        name: The argument of the command that gets it.
        others: Decorators for fields that are not made by `flag`.
    """
    found = list(others)
    for each in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        if each.metadata:
            spelt = each.metadata["name"] or f"--{each.name.replace('_', '-')}"
            found.append(click.option(spelt, each.name, **each.metadata["options"]))

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def call(**values: Any) -> None:
            fields = {field: values.pop(field) for field in inspect.signature(kind).parameters if field in values}
            command(**{name: kind(**fields)}, **values)

        for option in reversed(found):
            option(call)
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
NONE_OR_MORE: Final = Number("N", int, lambda value: value >= 0, "a whole number of at least 0")
PORT: Final = Number("N", int, lambda value: 0 <= value <= 65535, "a port from 0 to 65535 (0 picks a free one)")
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
