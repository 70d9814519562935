"""How a program ended, in words: by itself, by a mistake of its own, or by a signal that may be somebody else's doing.

The system says which signal ended a process, but not who sent it. What can be known is which signals a program's own
mistakes cause. Of the others the message says that they came from outside, unless the program sent them itself.
"""

import os
import signal
from typing import Final

import msgspec

from molt_bench.errors import FaultKind

#: Signals that the system sends a program for what it does itself: mistakes, broken pipes, limits and timers.
_OWN: Final = frozenset(
    getattr(signal, name)
    for name in (
        *("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS", "SIGEMT"),
        *("SIGPIPE", "SIGXCPU", "SIGXFSZ", "SIGALRM", "SIGVTALRM", "SIGPROF"),
    )
    if hasattr(signal, name)
)
#: A wrapper, such as a shell or runuser, returns this plus the signal that ended its program.
_WRAPPED: Final = 128
_LAST_SIGNAL: Final = 64
#: Of those: signals whose sum means nothing else. A program may well exit with any other status above 128.
_SENT_BY_OTHERS: Final = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT") if hasattr(signal, name)
)
_WHOSE: Final = "a signal from outside, unless it sent that itself"


class ExitReason(msgspec.Struct, frozen=True):
    """How a program ended.

    Attributes:
        status: As waitpid gives it.
        cpu_s: Seconds of processor time that it took; None if a box does not say.
        cpu_limit_s: Its limit.
        out_of_memory: Whether the system ended a process meanwhile because memory ran out.
        limit: The limit of its box at which it was ended; "" if it was not.
    """

    status: int
    cpu_s: float | None = 0.0
    cpu_limit_s: int = 0
    out_of_memory: bool = False
    limit: str = ""

    def fault(self) -> tuple[FaultKind, str]:
        """Return the kind of fault that this is, and what happened.

        >>> ExitReason(9).fault()
        ('signal', 'the program was ended by SIGKILL, a signal from outside, unless it sent that itself')
        >>> ExitReason(11).fault(), ExitReason(3 << 8).fault()
        (('crash', 'the program was ended by SIGSEGV'), ('crash', 'the program ended with exit status 3'))
        """
        if self.limit:
            return "crash", f"the program was ended at its limit of {self.limit}"
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            said = f"the program was ended by {name_of(number)}"
            if self.cpu_limit_s and self._at_cpu_limit(number):
                return "crash", f"{said} at its limit of {self.cpu_limit_s} s of processor time"
            return ("crash", said) if number in _OWN else ("signal", f"{said}, {self._whose(number)}")
        code = os.WEXITSTATUS(self.status)
        said, number = f"the program ended with exit status {code}", code - _WRAPPED
        if number in _SENT_BY_OTHERS:
            return "signal", f"{said}, as a wrapper does whose program {name_of(number)} ended: {self._whose(number)}"
        return "crash", said

    def _at_cpu_limit(self, number: int) -> bool:
        took_all = number == signal.SIGKILL and self.cpu_s is not None and self.cpu_s >= self.cpu_limit_s
        return took_all or name_of(number) == "SIGXCPU"

    def _whose(self, number: int) -> str:
        if number != signal.SIGKILL:
            return _WHOSE
        unknown = f", or was at its limit of {self.cpu_limit_s} s of processor time" if self.cpu_s is None else ""
        memory = "; meanwhile the system ran out of memory and ended a process" if self.out_of_memory else ""
        return f"{_WHOSE}{unknown}{memory}"


def in_box(status: int) -> int:
    """Return the status of a program from that of the box it ran in, which exits with 128 and the signal.

    >>> in_box(139 << 8), in_box(3 << 8)
    (11, 768)
    """
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0
    return code - _WRAPPED if _WRAPPED < code <= _WRAPPED + _LAST_SIGNAL else status


def stopped_by_signal(late: str, pids: list[int]) -> str:
    """Return what is said of a program that gave no answer in time, and of which these processes stand still."""
    processes = f"process{'es' if len(pids) > 1 else ''} {', '.join(map(str, pids))}"
    return f"{late}: its {processes} had been stopped by {_WHOSE}"


def name_of(number: int) -> str:
    """Return the name of a signal."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def out_of_memory_kills() -> int:
    """Return how many processes the system has ended because memory ran out; 0 where it does not say."""
    try:
        with open("/proc/vmstat", encoding="ascii") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), 0)
    except OSError:
        return 0
