"""Failures: why a request brought no reply, by the errors of the library and of the system.

It needs the extra `llm`.
"""

import json
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from pydantic_ai import exceptions as known

from molt_bench.blame import causes
from molt_bench.llm.after_failure import RequestFailed, Trouble

#: How servers say that they refuse a prompt for what it says, or since it is too long, in codes and words of their own;
#: the library knows the usual ones.
_REFUSED: Final = re.compile(
    r"content.?filter|content.?(management.?)?policy|policyviolation|invalid_prompt|prohibited_content"
    r"|usage (policy|policies|guidelines)|safety system|moderation|(prompt|input) was flagged|flagged_input"
    r"|data_?inspection_?failed|(prompt|input) is too long|string_above_max_length|request_too_large"
    r"|maximum context length|context_length_exceeded|exceed_context_size|context (limit|size|window)"
    r"|maximum number of tokens",
    re.IGNORECASE,
)
#: Statuses with which a server refuses one request. A full context is also told with a 413.
_ONE_REQUEST: Final = (400, 403, 413, 422)
_TOO_LARGE: Final = 413
#: Statuses with which a server says that it began to work on a request: it took too long, or from 500 on, it failed.
_TIMED_OUT: Final = (408, 499)
_OF_THE_SERVER: Final = 500
#: Most characters of what is told of an error.
_LONGEST: Final = 300
#: What the library's errors mean; the first that fits counts.
_TROUBLES: Final[tuple[tuple[type[Exception], Trouble], ...]] = (
    (known.ModelContextWindowExceededError, "refused"),
    (known.ModelQuotaExceededError, "fatal"),
    (known.ModelAuthenticationError, "fatal"),
    (known.ModelNotFoundError, "fatal"),
    (known.ModelRateLimitError, "busy"),
    (known.ModelOverloadedError, "busy"),
    (known.ModelRequestRejectedError, "rejected"),
    (known.UserError, "rejected"),
)


def failure_of(error: Exception, cleaned: Callable[[str], str], *, sent: bool) -> RequestFailed:
    """Return what an error of the library means; `cleaned` takes the key out of a text, `sent` is a request's state."""
    trouble, message = _meaning(error)
    status = error.status_code if isinstance(error, known.ModelHTTPError) else None
    # A request that is turned away costs nothing. A server that had begun to work on it may bill it, and so may one
    # that refuses what a prompt says: Azure states that it does. Of a lost connection nothing is known.
    worked_out = status is None or status in _TIMED_OUT or status >= _OF_THE_SERVER
    may_cost = sent and (trouble == "refused" or (worked_out and trouble != "fatal"))
    pause_s: float | None = getattr(error, "retry_after", None)
    return RequestFailed(trouble, cleaned(message)[:_LONGEST], pause_s, may_cost=may_cost)


def _meaning(error: Exception) -> tuple[Trouble, str]:
    """Return what an error means, whatever it costs."""
    statuses = [getattr(each, "status_code", None) for each in causes(error)]
    # A key goes to no address that the user did not name.
    moved = next((each for each in statuses if isinstance(each, int) and 300 <= each < 400), None)
    if moved is not None:
        return "fatal", f"the server answered {moved}, a redirect, which is not followed: name its address"
    status, body = getattr(error, "status_code", None), str(getattr(error, "body", None))
    if status == _TOO_LARGE or (status in _ONE_REQUEST and _REFUSED.search(body)):
        return "refused", _told_of(error)
    return next((trouble for kind, trouble in _TROUBLES if isinstance(error, kind)), "transport"), _told_of(error)


def _told_of(error: Exception) -> str:
    """Return an error in words: those of the server, or else the library's with what caused it."""
    if isinstance(error, known.ModelHTTPError):
        said = " ".join(_words_in(error.body).split())
        try:
            status = f"{error.status_code} {HTTPStatus(error.status_code).phrase}"
        except ValueError:
            status = str(error.status_code)
        return f"{status}: {said}" if said else status
    if not isinstance(error, known.ModelAPIError | known.UserError):
        return "the answer is not one of this protocol"
    cause = next((each for each in causes(error) if isinstance(each, OSError)), None)
    if cause is not None:
        return f"no connection: {cause}" if isinstance(cause, ConnectionRefusedError) else str(cause)
    return " ".join(f"{type(error).__name__}: {error}".split())


def _words_in(body: object) -> str:
    """Return what the body of an error says in words."""
    while isinstance(body, dict):
        named = (body.get(name) for name in ("message", "error", "detail"))
        body = next((each for each in named if each), json.dumps(body))
    return body if isinstance(body, str) else json.dumps(body) if body is not None else ""
