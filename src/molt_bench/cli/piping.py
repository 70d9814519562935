"""Pipes: whoever reads the output may leave early, as `| head` does, which is no error."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Print for a reader who may leave before the end; what is printed from then on goes nowhere.

    Whatever the exit status is to say beside what is printed, is decided after this.
    """
    try:
        yield
    except BrokenPipeError:
        _nobody_reads()
    except SystemExit as end:
        # typer and rich make of it an exit with status 1.
        if not isinstance(end.__context__, BrokenPipeError):
            _flush()
            raise
        _nobody_reads()
    else:
        _flush()


def _flush() -> None:
    """Hand over what is still held back: at the end of Python itself a failure would be a message and a status."""
    try:
        getattr(sys.stdout, "flush", bool)()  # a program that was started without has None
    except BrokenPipeError:
        _nobody_reads()


def _nobody_reads() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
