"""Blame: whether an exception is a bug of ours, or comes from the code of an agent, a library or a server.

What an agent or a server does wrong is recorded as its fault. A bug of ours is no fault of theirs: it ends the run.
"""

import os
import traceback
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Final

from molt_bench.errors import InternalError

_HERE: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
#: Where the modules of Python itself are: what they raise, they raise for their caller.
_PYTHON: Final = os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "")
_INSTALLED: Final = ("site-packages", "dist-packages")
#: Where exceptions are from that we raise on purpose.
_MEANT: Final = ("molt_bench.", "httpx2")
#: Rooms whose agents are ours. Other rooms have agents that run code of the user's.
_OUR_AGENTS: Final = ("molt_bench.agents.", "molt_bench.llm.agent", "molt_bench.arena.")


def is_ours(agent: object) -> bool:
    """Return whether an agent is all our own code: a built-in bot, or what asks a model, a program or a server."""
    return type(agent).__module__.startswith(_OUR_AGENTS)


def bug_in(error: BaseException) -> BaseException | None:
    """Return the exception that our own code raised without meaning to, among an error and its causes; None for none.

    Errors of the system are not bugs: a connection breaks, a disk is full. Nor are exceptions of ours, which are meant.
    """
    for each in reversed([*causes(error)]):
        meant = isinstance(each, OSError | EOFError) or type(each).__module__.startswith(_MEANT)
        if not meant and _raised_here(each.__traceback__):
            return each
    return None


def raise_bug(error: BaseException) -> None:
    """Raise the bug of ours that an error comes from, if any, without what others made of it: that may hold a key."""
    bug = bug_in(error)
    if bug is not None:
        raise bug from None


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what caused it, the first cause last."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or at.__context__


def internal_error(error: BaseException) -> InternalError:
    """Return the exception that ends a run because of a bug of ours; raise it from the error itself."""
    if isinstance(error, InternalError):
        return error
    try:
        said = " ".join(str(error).split())[:200]
    except Exception:
        said = ""
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    files = [at for at in _frames(error.__traceback__) if at[0].startswith(_HERE)]
    where = f" ({files[-1][0].removeprefix(_HERE)}, line {files[-1][1]})" if files else ""
    found = InternalError(f"a bug in molt-bench, and no agent's fault: {what}{where}")
    with suppress(Exception):  # the exception may be as broken as the code
        found.trace = "".join(traceback.format_exception(error))
    return found


def _frames(at: TracebackType | None) -> list[tuple[str, int]]:
    found = []
    while at is not None:
        found.append((os.path.abspath(at.tb_frame.f_code.co_filename), at.tb_lineno))
        at = at.tb_next
    return found


def _raised_here(at: TracebackType | None) -> bool:
    """Return whether the innermost code on the way to an exception that is not Python's own is ours."""
    for path, _ in reversed(_frames(at)):
        if path.startswith(_HERE):
            return True
        installed = any(folder in path for folder in _INSTALLED)
        if installed or not (path.startswith(_PYTHON) or "<" in path):
            return False
    return False
