"""Consoles: tables and colour on a terminal, with control characters in foreign text escaped."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from molt_bench.visible_text import VisibleLines, VisibleStream, printable


class VisibleConsole(Console):
    """A console that prints names as they are, without markup, and writes control characters as escapes.

    It goes quiet when its reader leaves, if `patient`, so that the work goes on.
    """

    def __init__(self, *, stderr: bool = False, patient: bool = False, **options: Any) -> None:
        stream = sys.stderr if stderr else sys.stdout
        file = cast("IO[str]", stream.styled) if isinstance(stream, VisibleStream) else None
        # A terminal that does not know its size has 0 columns, and nothing could be printed in these.
        known = {name: value for name, value in os.environ.items() if name != "COLUMNS" or value.strip("0")}
        super().__init__(file=file, stderr=stderr, markup=False, emoji=False, _environ=known, **options)
        self._patient = patient

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render what is printed; only the console's own sequences control the terminal."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or text.isprintable() else Segment(printable(text), style)

    def on_broken_pipe(self) -> None:
        """Go quiet, or end the program as usual."""
        if not self._patient:
            super().on_broken_pipe()
        self.quiet = True


@contextmanager
def visible_prints() -> Iterator[None]:
    """Make visible what is printed while a live display takes over the standard streams.

    It would show the colours and links of whatever an agent prints.
    """
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("Any", VisibleLines(sys.stdout)), cast("Any", VisibleLines(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
