"""The standard streams: always open, able to print any text, and reliable about what could not be written."""

import io
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any, BinaryIO, Final, TextIO, cast

from msgspec import Struct
from msgspec.structs import asdict

from molt_bench.visible_text import on_one_line, printable, visible_stream

_STREAMS: Final[Mapping[str, tuple[int, int]]] = {
    "stdin": (0, os.O_RDONLY),
    "stdout": (1, os.O_WRONLY),
    "stderr": (2, os.O_WRONLY),
}

#: The real standard output while only JSON may go there.
_for_json: TextIO | None = None


class Output(io.FileIO):
    """A stream that gives up after a failed write, so that the work goes on; `problem` says why it did.

    A reader who leaves early, as `| head` does, has all it wants: that is no problem.
    """

    problem: str | None = None
    _gone = False

    def write(self, data: Any, /) -> int:
        """Write the data, unless an earlier write failed."""
        if not self._gone:
            try:
                return super().write(data)
            except OSError as error:
                self._gone = True
                self.problem = None if isinstance(error, BrokenPipeError) else error.strerror or str(error)
        return memoryview(data).nbytes


def prepare_streams() -> Output | None:
    """Make all three streams fit for any text, and return standard output if it is a file of the system.

    A closed stream becomes the null device: otherwise the next file opened would take its number, and output would end
    up there. A character that a stream cannot encode, such as ± in ASCII, is replaced.
    """
    for name, (number, mode) in _STREAMS.items():
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
    _standard_output().flush()
    if output is None or output.problem is None:
        return None
    return f"cannot write to standard output: {output.problem}"


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


def data_output() -> BinaryIO:
    """Return where data go that were asked for on standard output: as they are, but visible on a terminal."""
    return cast("BinaryIO", _OnTerminal()) if sys.stdout.isatty() else sys.stdout.buffer


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
