"""The command line: parses, calls, prints; no logic. Each command is in the file of its name."""

import os
import signal
from collections.abc import Callable, Mapping
from importlib import import_module
from time import monotonic
from types import FrameType
from typing import Any

#: When the program began, by the monotonic clock; None where its commands are called as functions.
began: float | None = None


def main() -> None:
    """Run the program. A signal while its modules are loaded ends it at once: nothing has begun."""
    global began
    began = monotonic()
    # Games share the processors already. A product of small matrices that waits for a second thread of its own takes up
    # to six times as long beside them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    handle({"SIGINT": _leave, "SIGTERM": _leave, "SIGHUP": _leave})
    import_module("molt_bench.cli.app").main()


def handle(handlers: Mapping[str, Callable[[int, FrameType | None], Any]]) -> None:
    """Handle signals by their names, but for those that this system does not have, or that are ignored, as by nohup."""
    for name, handler in handlers.items():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, handler)


def _leave(*_: object) -> None:
    os._exit(130)
