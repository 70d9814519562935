"""How commands are parsed and helped with: what all commands share beside their own flags."""

import inspect
import os
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from molt_bench.cli.streams import color_system, keep_for_json, styled_output
from molt_bench.errors import did_you_mean

#: What typer raises for wrong usage; it has no public name.
WRONG_USAGE: Final[type[Exception]] = typer.BadParameter.__mro__[1]
#: Where the examples begin in the docstring of a command.
EXAMPLES: Final = "\n\nExamples:\n"

#: Looked for before anything is parsed, so that help and errors obey it, too.
NoColor = Annotated[bool, typer.Option("--no-color", help="Print without colour; so does the variable NO_COLOR.")]


def _without_types(params: list[Any]) -> list[Any]:
    """Return parameters whose help names no types: a switch takes no value, and an argument has a name."""
    for each in params:
        if getattr(each, "is_flag", False) and each.metavar is None:
            each.metavar = ""  # typer's own, such as --help
        elif each.param_type_name == "argument":
            each.display_type_rich = lambda ctx: ""
    return params


def _write_help(command: Any, write: Callable[[], None], formatter: Any) -> None:
    """Write the help of a command, and its examples as they are: each is one line that can be copied."""
    from typer import rich_utils  # loaded when needed, for a fast start

    rich_utils.COLOR_SYSTEM = color_system()
    rich_utils.FORCE_TERMINAL = None  # typer would colour a pipe on GitHub
    examples, command.epilog = command.epilog, None
    try:
        with styled_output():
            write()
    finally:
        command.epilog = examples
    if examples:
        formatter.write(f" {examples}\n")


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> Any:
        """Return its arguments and flags."""
        return _without_types(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        _write_help(self, lambda: super(Command, self).format_help(ctx, formatter), formatter)


class Program(TyperGroup):
    """The program: all commands, with `run` as the default."""

    def get_params(self, ctx: Any) -> Any:
        """Return its arguments and flags."""
        return _without_types(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        _write_help(self, lambda: super(Program, self).format_help(ctx, formatter), formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called; an unknown one is wrong usage, with a suggestion."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            meant = did_you_mean(args[0], self.list_commands(ctx))
            if os.path.isfile(args[0]):
                meant = f"; did you mean '--config {args[0]}'?"
            ctx.fail(f"no such command {args[0]!r}{meant}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return how a word can go on: as a command, as a flag of the program, or as a flag of `run`."""
        found = super().shell_complete(ctx, incomplete)
        default = self.get_command(ctx, "run")
        if incomplete.startswith("-") and default is not None:
            context = default.make_context("run", [], parent=ctx, resilient_parsing=True)
            known = {item.value for item in found}
            found += [item for item in default.shell_complete(context, incomplete) if item.value not in known]
        return found


#: What typer says of a value that it cannot read, and what a user understands.
_SAID: Final = {
    r"Value error, ": "",
    r"Input should be a valid integer.*|'[^']*' is not a valid int(eger)?\b.*": "must be a whole number",
    r"Input should be a valid number.*|'[^']*' is not a valid float\b.*": "must be a number",
}


def usage_line(error: Any) -> str:
    """Return what is wrong with the usage, what may have been meant, and where to read more, in one line."""
    context, option = getattr(error, "ctx", None), getattr(error, "option_name", None)
    message = error.format_message().rstrip(".")
    if context is not None and option and hasattr(error, "possibilities"):
        known = [name for param in context.command.get_params(context) for name in param.opts if name[:2] == "--"]
        message = f"no such option {option}{did_you_mean(option, known)}"
    path = "molt-bench" if context is None else context.command_path
    for found, said in _SAID.items():
        message = re.sub(found, said, message)
    return f"{message[:1].lower()}{message[1:]} (see: {path} --help)"


def parts_of(command: Callable[..., None]) -> tuple[str, str | None]:
    """Return the help of a command and its examples, which are both in its docstring."""
    text, _, examples = (inspect.getdoc(command) or "").partition(EXAMPLES)
    return text, f"Examples:\n{examples}" if examples else None


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for typer, with the fields of its struct arguments as flags of their own."""
    from msgspec import Struct  # loaded when needed, for a fast start
    from msgspec.structs import fields

    hints = get_type_hints(command, include_extras=True)
    structs = {name: hint for name, hint in hints.items() if isinstance(hint, type) and issubclass(hint, Struct)}
    parameters = []
    for each in inspect.signature(command).parameters.values():
        if each.name not in structs:
            parameters.append(_parameter(each.name, hints[each.name], each.default))
            continue
        for field in fields(structs[each.name]):
            parameters.append(_parameter(field.name, field.type, field.default))
    parameters.append(_parameter("no_color", NoColor, default=False))

    def call(**values: Any) -> None:
        del values["no_color"]
        as_json = values.get("as_json", False)
        for name, struct in structs.items():
            values[name] = struct(**{field: values.pop(field) for field in struct.__struct_fields__})
        with keep_for_json() if as_json else nullcontext():
            command(**values)

    call.__doc__ = parts_of(command)[0]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(call)["__signature__"] = inspect.Signature(parameters)
    return call


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Return a parameter for typer; the help shows a word for its value, never a type."""
    for info in get_args(annotation)[1:]:
        if hasattr(info, "metavar") and info.metavar is None:
            info.metavar = _word_for(get_args(annotation)[0])
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


_WORDS: Final[Mapping[Any, str]] = {bool: "", int: "N", float: "NUMBER"}


def _word_for(annotation: Any) -> str:
    """Return what the help calls a value of a type: nothing for a switch, the choices where there are some."""
    if get_origin(annotation) is Literal:
        return "|".join(map(str, get_args(annotation)))
    inner = [each for each in get_args(annotation) if each is not type(None)]
    return _word_for(inner[0]) if inner else _WORDS.get(annotation, "TEXT")
