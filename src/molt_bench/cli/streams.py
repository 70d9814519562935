"""The standard streams: always there, whatever they can write, and honest about what could not be written."""

import io
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "stdin": (0, os.O_RDONLY),
    "stdout": (1, os.O_WRONLY),
    "stderr": (2, os.O_WRONLY),
}


class Output(io.FileIO):
    """A stream that is given up where it cannot be written, so that the work goes on; how it ended can be asked.

    Attributes:
        problem: Why it was given up, if it was.
    """

    problem: str | None = None

    def write(self, data: Any, /) -> int:
        """Write what can be written."""
        if self.problem is None:
            try:
                return super().write(data)
            except BrokenPipeError:
                if self.fileno() == _NUMBERS["stdout"][0]:
                    raise  # whoever was reading has left: that ends the program
                self.problem = "nobody reads it"
            except OSError as error:
                self.problem = error.strerror or str(error)
        return memoryview(data).nbytes


def prepare_streams() -> Output | None:
    """Make all three streams fit for any text of ours; return standard output, where it is a file of the system's.

    One that is closed gets the null device, or the next file that is opened would take its place, and what is printed
    would go there. One that cannot write a character, such as ± in ASCII, writes another in its place.
    """
    for name, (number, how) in _NUMBERS.items():
        if getattr(sys, name) is None:
            taken = os.open(os.devnull, how)
            if taken != number:
                os.dup2(taken, number)
                os.close(taken)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))
    _given_up_if_need_be("stderr", errors="backslashreplace")
    return _given_up_if_need_be("stdout", errors="replace")


def _given_up_if_need_be(name: str, *, errors: str) -> Output | None:
    stream = getattr(sys, name)
    if type(stream) is not io.TextIOWrapper:
        return None
    stream.flush()
    output = Output(stream.fileno(), "wb", closefd=False)
    writer = io.TextIOWrapper(
        io.BufferedWriter(output),
        stream.encoding,
        errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    setattr(sys, name, writer)
    return output


def output_problem(output: Output | None) -> str | None:
    """Send what is printed on its way; say why that cannot be done, if it cannot."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever was reading has left, as `| head` does; the files are written. Python would say so at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if output is None or output.problem is None:
        return None
    return f"standard output cannot be written: {output.problem}"


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object; where the stream is not Unicode, with escapes, so that no name loses a character."""
    import json

    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    print(json.dumps(content, ensure_ascii=not encoding.startswith("utf")))
