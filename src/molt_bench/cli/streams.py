"""The standard streams: always open, able to print any text, and reliable about what could not be written."""

import io
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any, BinaryIO, Final, Literal, TextIO, cast

from msgspec import Struct
from msgspec.structs import asdict

from molt_bench.cli import consoles
from molt_bench.visible_text import on_one_line, printable, visible_stream

_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "stdin": (0, os.O_RDONLY),
    "stdout": (1, os.O_WRONLY),
    "stderr": (2, os.O_WRONLY),
}


#: The real standard output while only JSON may go there.
_for_json: TextIO | None = None
#: Whether the reader of standard output has just left: click ends the program with status 1 then, and says not why.
_reader_left = False


class Output(io.FileIO):
    """A stream that gives up after a failed write, so that the work goes on; `problem` says why it did."""

    problem: str | None = None

    def write(self, data: Any, /) -> int:
        """Write the data, unless an earlier write failed."""
        if self.problem is None:
            try:
                return super().write(data)
            except BrokenPipeError:
                if self.fileno() == _NUMBERS["stdout"][0]:
                    global _reader_left
                    _reader_left = True
                    raise  # which ends the program
                self.problem = "nobody reads it"
            except OSError as error:
                self.problem = error.strerror or str(error)
        return memoryview(data).nbytes


def prepare_streams() -> Output | None:
    """Make all three streams fit for any text, and return standard output if it is a file of the system.

    A closed stream becomes the null device: otherwise the next file opened would take its number, and output would end
    up there. A character that a stream cannot encode, such as ± in ASCII, is replaced.
    """
    for name, (number, mode) in _NUMBERS.items():
        if getattr(sys, name) is None:
            taken = os.open(os.devnull, mode)
            if taken != number:
                os.dup2(taken, number)
                os.close(taken)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))
    _replace_stream("stderr", errors="backslashreplace")
    return _replace_stream("stdout", errors="replace")


def _replace_stream(name: str, *, errors: str) -> Output | None:
    stream = getattr(sys, name)
    if type(stream) is not io.TextIOWrapper:
        return None
    stream.flush()
    output = Output(stream.fileno(), "wb", closefd=False)
    setattr(sys, name, visible_stream(stream, output, errors=errors))
    return output


def output_problem(output: Output | None) -> str | None:
    """Flush standard output, and return why it could not be written, if so."""
    _flush()
    if output is None or output.problem is None:
        return None
    return f"cannot write to standard output: {output.problem}"


@contextmanager
def tolerate_closed_pipe() -> Iterator[None]:
    """Let the reader leave early, as `| head` does: whatever is printed after that is dropped, without an error.

    An exit status that depends on more than printing must be decided after this context.
    """
    try:
        yield
    except BrokenPipeError:
        _drop_output()
    except SystemExit:
        # click and rich turn a broken pipe into an exit with status 1.
        if not _reader_left:
            _flush()
            raise
        _drop_output()
    else:
        _flush()


def _flush() -> None:
    """Flush now: a failure while Python shuts down would print a message and change the status."""
    try:
        getattr(_standard_output(), "flush", bool)()  # None in a program started without one
    except BrokenPipeError:
        _drop_output()


def _drop_output() -> None:
    """Have nobody read what is printed from now on; nothing that happens later is for want of a reader."""
    global _reader_left
    _reader_left = False
    os.dup2(os.open(os.devnull, os.O_WRONLY), _standard_output().fileno())


def _standard_output() -> TextIO:
    return _for_json or sys.stdout


@contextmanager
def keep_for_json() -> Iterator[None]:
    """Keep standard output for `print_json`: all else, such as what agents print, goes to standard error."""
    global _for_json
    _for_json = sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _for_json = None


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object, escaped where the stream is not Unicode, so that no name loses a character."""
    encoding = (_standard_output().encoding or "").lower().replace("-", "")
    text = json.dumps(content, ensure_ascii=not encoding.startswith("utf"))
    if not text.isprintable():  # JSON itself escapes C0 controls alone
        text = "".join([char if printable(char) == char else json.dumps(char)[1:-1] for char in text])
    print(text, file=_standard_output(), flush=True)


def turn_color_off() -> None:
    """Print without colour from now on, as where the variable NO_COLOR is set."""
    os.environ["NO_COLOR"] = "1"


def color_system() -> Literal["auto"] | None:
    """Return what decides about colour: the terminal, or nothing where the user wants none."""
    return None if os.environ.get("NO_COLOR") else "auto"


def console(*, stderr: bool = False, highlight: bool = False, soft_wrap: bool = False) -> consoles.VisibleConsole:
    """Return a console that prints names as they are, in colour on a terminal if the user does not object."""
    return consoles.VisibleConsole(stderr=stderr, highlight=highlight, soft_wrap=soft_wrap, color_system=color_system())


def data_output() -> BinaryIO:
    """Return where data go that were asked for on standard output: as they are, but visible on a terminal."""
    if not sys.stdout.isatty():
        return sys.stdout.buffer
    return cast("BinaryIO", _OnTerminal())


class _OnTerminal:
    """Takes the bytes of text for a terminal."""

    def write(self, data: bytes) -> int:
        sys.stdout.write(data.decode(errors="replace"))
        return len(data)

    def flush(self) -> None:
        sys.stdout.flush()


def camel_fields(struct: Struct) -> dict[str, Any]:
    """Return the fields of a struct by the names that JSON output uses, such as `handNumber`."""
    return {re.sub(r"_(\w)", lambda found: found[1].upper(), name): value for name, value in asdict(struct).items()}


def notice(text: str) -> None:
    """Print what is good to know to standard error, as one line."""
    print(f"molt-bench: {on_one_line(' '.join(text.split()))}", file=sys.stderr, flush=True)


def warn(warning: str) -> None:
    """Print a warning to standard error, as one line."""
    notice(f"warning: {warning}")


def can_ask() -> bool:
    """Return whether there is somebody at a terminal who can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def agreed(question: str) -> bool:
    """Ask a question on standard error, and return whether the answer is yes."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except UnicodeDecodeError:
        return False
