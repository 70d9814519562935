"""What the errors of servers, libraries and connections mean, told apart."""

import re
from collections.abc import Callable, Iterable
from errno import EMFILE, ENFILE
from typing import Any, Final

from pydantic_ai import exceptions as known

from molt_bench.blame import causes
from molt_bench.llm.sending.trouble import RequestFailed

#: Codes and types of errors with which providers refuse a prompt for what it says, or since it is too long, in lower
#: case.
_REFUSED_CODES: Final = frozenset(
    {
        "invalid_prompt",
        "content_filter",
        "content_filtered",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "moderation_blocked",
        "prohibited_content",
        "data_inspection_failed",
        "datainspectionfailed",
        "context_length_exceeded",
        "string_above_max_length",
        "exceed_context_size_error",
        "request_too_large",
    }
)
#: Words of such refusals, for servers that send no code of their own.
_REFUSED_WORDS: Final = (
    "content management policy",
    "content filter",
    "content_filter",
    "content policy",
    "usage policy",
    "usage policies",
    "usage guidelines",
    "safety system",
    "moderation",
    "prompt was flagged",
    "input was flagged",
    "maximum context length",
    "prompt is too long",
    "input is too long",
    "exceeds the available context size",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the maximum number of tokens",
    "maximum number of tokens allowed",
)
#: Statuses with which a server refuses one request. A full context is also told with a 413.
_ONE_REQUEST: Final = (400, 403, 413, 422)
_TOO_LARGE: Final = 413
#: Statuses from which on an error is the server's own.
_OF_THE_SERVER: Final = 500
#: Fields of a request that can be left out, by the names that servers complain about.
FIELDS: Final = ("max_completion_tokens", "max_tokens", "temperature", "top_p", "seed")
_FIELD: Final = re.compile(rf"(?<![A-Za-z0-9_])({'|'.join(FIELDS)})(?![A-Za-z0-9_])")

#: What says that a server further on was reached, and its answer was not: it may be on the bill.
_LOST_ON_THE_WAY: Final = (408, 499, 502, 504, 520, 522, 524, 598, 599)


def failure_of(
    error: Exception, cleaned: Callable[[str], str], *, sent: bool, bills_errors: bool = True
) -> RequestFailed:
    """Return what an error of a provider's library means.

    Args:
        error: The error.
        cleaned: Takes the key out of a text.
        sent: Whether the request was sent.
        bills_errors: Whether the server may bill requests that it answers with an error of its own.
    """
    said = cleaned(" ".join(f"{error}{_root_of(error)}".split()))[:300]
    failure = _told_apart(error, f"{type(error).__name__}: {said}" if said else type(error).__name__)
    status = error.status_code if isinstance(error, known.ModelHTTPError) else None
    failure.told = status is not None and status not in _LOST_ON_THE_WAY
    # A 429, and a request that is made wrongly, are turned away before anything is worked out. Other errors may be
    # billed: Azure says so of prompts that its filter refuses, and of those that are too long.
    worked_out = failure.trouble == "refused" or (status or 0) >= _OF_THE_SERVER
    may_be_billed = bills_errors and worked_out if failure.told else failure.trouble != "fatal"
    failure.may_cost = sent and may_be_billed
    return failure


def _told_apart(error: Exception, message: str) -> RequestFailed:
    """Return what an error means, whatever it costs."""
    after = _asked_pause(error)
    if _open_files_ran_out(error):
        return RequestFailed("busy", "too many open files: a higher limit (ulimit -n) allows for more at once")
    if (status := _redirect(error)) is not None:
        return RequestFailed(
            "fatal", f"the server answered {status}, a redirect, which is not followed: name its address"
        )
    if _is_refused(error):
        return RequestFailed("refused", message)
    if isinstance(error, known.ModelQuotaExceededError | known.ModelAuthenticationError | known.ModelNotFoundError):
        return RequestFailed("fatal", message)
    if isinstance(error, known.ModelRateLimitError | known.ModelOverloadedError):
        return RequestFailed("busy", message, after)
    if isinstance(error, known.ModelRequestRejectedError | known.UserError):
        return RequestFailed("rejected", message, field=_field_of(error))
    return RequestFailed("transport", message, after)


def _is_refused(error: Exception) -> bool:
    """Return whether a provider refused a prompt for good: for what it says, or since it is too long.

    A request that is made wrongly is refused with the same statuses: the codes, and otherwise the words, tell.
    """
    if isinstance(error, known.ModelContextWindowExceededError):
        return True
    status = getattr(error, "status_code", None)
    if status not in _ONE_REQUEST:
        return False
    body = getattr(error, "body", None)
    codes = {code.lower() for code in _codes_in(body)}
    said = " ".join(_messages_in(body)).lower()
    return status == _TOO_LARGE or bool(codes & _REFUSED_CODES) or any(words in said for words in _REFUSED_WORDS)


def _objects_in(body: object, depth: int = 4) -> Iterable[dict[str, Any]]:
    """Return an error's object and the ones inside it: `error`, `innererror`, what a gateway passes on."""
    if isinstance(body, dict):
        yield body
        if depth:
            for value in body.values():
                yield from _objects_in(value, depth - 1)


def _codes_in(body: object) -> list[str]:
    found = [each.get(name) for each in _objects_in(body) for name in ("code", "type", "status", "error_type")]
    flagged = any("flagged_input" in each for each in _objects_in(body))  # by a gateway that sends no code
    return [*(each for each in found if isinstance(each, str)), *(["content_filter"] if flagged else [])]


def _messages_in(body: object) -> list[str]:
    found = [each.get(name) for each in _objects_in(body) for name in ("message", "error", "detail")]
    return [each for each in (*found, body) if isinstance(each, str)]


def _field_of(error: Exception) -> str:
    """Return the field of the request that a server complains about: the one it names apart, or mentions first."""
    body = getattr(error, "body", None)
    named = [str(each.get("param")) for each in _objects_in(body)]
    first = _FIELD.search(" ".join(_messages_in(body)) or str(error))
    return next((field for field in named if field in FIELDS), first[1] if first else "")


def _asked_pause(error: Exception) -> float | None:
    """Return the seconds that a provider asks to wait, in a header or in the details of its error."""
    pause: float | None = getattr(error, "retry_after", None)
    if pause is not None:
        return pause
    body = getattr(error, "body", None)
    told = [(getattr(error, "headers", None) or {}).get("retry-after")]
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        details = body["error"].get("details")
        told += [each.get("retryDelay") for each in details or () if isinstance(each, dict)]
    for text in told:
        try:
            seconds = float(str(text).removesuffix("s"))
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _root_of(error: Exception) -> str:
    """Return what caused a failed connection, in parentheses; libraries say no more than "Connection error"."""
    root = [*causes(error)][-1]
    return f" ({root})" if isinstance(root, OSError) and str(root) not in str(error) else ""


def _redirect(error: Exception) -> int | None:
    """Return the status with which a server sent us elsewhere: a key goes to no address that the user did not name."""
    statuses = [getattr(each, "status_code", None) for each in causes(error)]
    return next((each for each in statuses if isinstance(each, int) and 300 <= each < 400), None)


def _open_files_ran_out(error: Exception) -> bool:
    return any(isinstance(each, OSError) and each.errno in (EMFILE, ENFILE) for each in causes(error))
