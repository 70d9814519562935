"""The command line: parses, calls, prints; no logic. Each command is in the file of its name."""

import os
import signal
from importlib import import_module
from time import monotonic

#: When the program began, by the monotonic clock; None where its commands are called as functions.
began: float | None = None


def main() -> None:
    """Run the program. A signal while its modules are loaded ends it at once: nothing has begun."""
    global began
    began = monotonic()
    # Games share the processors already. A product of small matrices that waits for a second thread of its own takes up
    # to six times as long beside them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):  # as nohup has it
            signal.signal(number, _leave)
    import_module("molt_bench.cli.app").main()


def _leave(*_: object) -> None:
    os._exit(130)
