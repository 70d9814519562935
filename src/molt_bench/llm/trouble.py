"""Trouble: why a request brought no reply."""

from typing import Final, Literal, TypeAlias

from molt_bench.llm.types import NO_TOKENS, Tokens

#: Words with which servers refuse a limit of tokens that is higher than what they can write.
_ABOUT_LIMIT: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "context length")
#: Words by which they say that it is the limit that a context has no room for, and not the prompt alone.
_LIMIT_IN_CONTEXT: Final = ("max_tokens", "max_completion_tokens", "in the completion")

#: Why a request failed: too many at once; no connection, or an answer of another protocol; this request refused, as it
#: is made; this prompt refused, for what it says or since it is too long; every request refused, as
#: with a wrong key; an answer that came in too slowly; not one byte of an answer in time.
Trouble: TypeAlias = Literal["busy", "transport", "rejected", "refused", "fatal", "timeout", "hung"]


class RequestFailed(Exception):  # noqa: N818 - the caller decides whether it is an error
    """A request that brought no reply.

    Attributes:
        retry_after_s: The pause that the provider asks for.
        may_cost: Whether the request was sent, and may be on the bill.
        about_limit: Whether it complains about how many tokens a reply may have.
        tokens: What it took all the same, as far as the server says.
    """

    def __init__(
        self,
        trouble: Trouble,
        message: str,
        retry_after_s: float | None = None,
        *,
        may_cost: bool = False,
        tokens: Tokens = NO_TOKENS,
    ) -> None:
        self.trouble: Trouble = trouble
        self.retry_after_s = retry_after_s
        self.may_cost = may_cost
        self.tokens = tokens
        about: dict[Trouble, tuple[str, ...]] = {"rejected": _ABOUT_LIMIT, "refused": _LIMIT_IN_CONTEXT}
        self.about_limit = any(word in message.lower() for word in about.get(trouble, ()))
        super().__init__(message)
