"""Why a request brought no reply: the errors of servers, libraries and connections, told apart."""

from collections.abc import Callable
from errno import EMFILE, ENFILE
from typing import Final, Literal, TypeAlias

#: Words with which servers refuse a form of reply that they do not know; some do so with a 500.
_ABOUT_FORM: Final = ("response_format", "json_schema", "schema", "grammar", "structured", "tool", "function call")
#: Words with which servers refuse a limit of tokens that is higher than what they can write.
_ABOUT_LIMIT: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "context length")
#: What says that a server further on was reached, and its answer was not: it may be on the bill.
_LOST_ON_THE_WAY: Final = (502, 504, 520, 522, 524)
#: Why a request failed: too many at once; no connection, or an answer of another protocol; this request refused; every
#: request refused, as with a wrong key; no answer in time.
Trouble: TypeAlias = Literal["busy", "transport", "rejected", "fatal", "timeout"]


class RequestFailed(Exception):  # noqa: N818 - the caller decides whether it is an error
    """A request that brought no reply.

    Attributes:
        retry_after_s: The pause that the provider asks for.
        may_cost: Whether the request was sent, and may be on the bill.
        about_form: Whether the server complains about the form of the reply that was asked for.
        about_limit: Whether it complains about how many tokens a reply may have.
    """

    def __init__(
        self,
        trouble: Trouble,
        message: str,
        retry_after_s: float | None = None,
        *,
        may_cost: bool = False,
        about_form: bool = False,
    ) -> None:
        self.trouble: Trouble = trouble
        self.retry_after_s = retry_after_s
        self.may_cost = may_cost
        self.about_form = about_form
        self.about_limit = trouble == "rejected" and any(word in message.lower() for word in _ABOUT_LIMIT)
        super().__init__(message)


def failure_of(error: Exception, cleaned: Callable[[str], str], *, sent: bool) -> RequestFailed:
    """Return what an error of a provider's library means; `cleaned` takes the key out of a text."""
    from pydantic_ai import exceptions as known  # loaded when needed, for a fast start

    said = cleaned(" ".join(f"{error}{_root_of(error)}".split()))[:300]
    message = f"{type(error).__name__}: {said}" if said else type(error).__name__
    after = _asked_pause(error)
    if _open_files_ran_out(error):
        return RequestFailed("busy", "too many open files: a higher limit (ulimit -n) allows for more at once")
    if isinstance(error, known.ModelQuotaExceededError | known.ModelAuthenticationError | known.ModelNotFoundError):
        return RequestFailed("fatal", message)
    if isinstance(error, known.ModelRateLimitError | known.ModelOverloadedError):
        return RequestFailed("busy", message, after)
    about_form = any(word in message.lower() for word in _ABOUT_FORM)
    if isinstance(error, known.ModelRequestRejectedError | known.UserError):
        return RequestFailed("rejected", message, about_form=about_form)
    if isinstance(error, known.ModelServerError) and about_form:
        return RequestFailed("rejected", message, about_form=True)
    # A server that reports an error of its own sends no bill for it.
    told = isinstance(error, known.ModelHTTPError) and error.status_code not in _LOST_ON_THE_WAY
    return RequestFailed("transport", message, after, may_cost=sent and not told)


def _asked_pause(error: Exception) -> float | None:
    """Return the seconds that a provider asks to wait, in a header or in the error that Google returns."""
    known: float | None = getattr(error, "retry_after", None)
    if known is not None:
        return known
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


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error and what caused it, the first cause last."""
    found = [error]
    while (cause := found[-1].__cause__ or found[-1].__context__) is not None and cause not in found:
        found.append(cause)
    return found


def _root_of(error: Exception) -> str:
    """Return what caused a failed connection, in parentheses; libraries say no more than "Connection error"."""
    root = _causes(error)[-1]
    return f" ({root})" if isinstance(root, OSError) and str(root) not in str(error) else ""


def _open_files_ran_out(error: Exception) -> bool:
    return any(isinstance(each, OSError) and each.errno in (EMFILE, ENFILE) for each in _causes(error))
