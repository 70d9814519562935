"""The console that draws tables and progress: in colour where that is wanted, with foreign text made visible."""

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

    It has colour on a terminal if the user does not object.
    """

    def __init__(self, *, stderr: bool = False, highlight: bool = False, soft_wrap: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        # A terminal that does not know its size has 0 columns, and nothing could be printed in these.
        known = {name: value for name, value in os.environ.items() if name != "COLUMNS" or value.strip("0")}
        super().__init__(
            file=cast("IO[str]", stream.styled) if isinstance(stream, VisibleStream) else None,
            stderr=stderr,
            highlight=highlight,
            soft_wrap=soft_wrap,
            markup=False,
            emoji=False,
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            _environ=known,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render what is printed; only the console's own sequences control the terminal."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or text.isprintable() else Segment(printable(text), style)


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
