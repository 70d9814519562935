"""What to do about a request that brought no reply: retry, slow down, pause, give up, stop. Pure, without network."""

from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.llm.types import NO_TOKENS, Tokens
from molt_bench.specs import MODEL_TIMEOUT_S

#: Why a request failed: too many at once; no connection, or an answer of another protocol; this request refused, as it
#: is made; this prompt refused, for what it says or since it is too long; every request refused, as
#: with a wrong key; an answer that came in too slowly; not one byte of an answer in time.
Trouble: TypeAlias = Literal["busy", "transport", "rejected", "refused", "fatal", "timeout", "hung"]
#: A provider that asks for a longer pause is not waited for.
LONGEST_PAUSE_S: Final = 600.0
#: A run ends once it could ask a model nothing for so many times `backoff_s`, which is ten minutes by default.
PAUSE_BACKOFFS: Final = 600
#: The longest pause between two tries, unless the provider asks for more.
_LONGEST_BACKOFF_S: Final = 60.0
#: Words with which servers refuse a limit of tokens that is higher than what they can write, or than a context has room
#: for beside the prompt.
_ABOUT_LIMIT: Final = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "in the completion",
)


class RequestFailed(Exception):  # noqa: N818 - the caller decides whether it is an error
    """A request that brought no reply.

    Attributes:
        retry_after_s: The pause that the provider asks for.
        may_cost: Whether the request was sent, and may be on the bill.
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
        super().__init__(message)

    @property
    def about_limit(self) -> bool:
        """Whether it complains about how many tokens a reply may have."""
        return self.trouble in ("rejected", "refused") and any(word in str(self).lower() for word in _ABOUT_LIMIT)


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How requests to models are limited and retried.

    Attributes:
        timeout_s: Seconds for one answer.
        transport_retries: How often a request that brought no reply is sent again before its model is paused.
        backoff_s: Seconds before the first of those; doubled for every further one.
        pause_after_s: Seconds after which a run ends that can ask a model nothing, once all retries have failed.
        on_failure: Whether the model is paused then, or the question is given up, which is the model's fault.
    """

    timeout_s: float = MODEL_TIMEOUT_S
    transport_retries: int = 5
    backoff_s: float = 1.0
    pause_after_s: float = 600.0
    on_failure: Literal["pause", "fold"] = "pause"


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a model has been doing when a request to it failed.

    Attributes:
        failures: Earlier failures of this request that counted.
        ever_answered: Whether the model has answered before in this session.
        at_floor: Whether the model is asked one request at a time already, and cannot be asked less.
        troubled_s: Seconds for which nothing has come of this request, or of any request to the model.
        answers_others: Whether it has answered a request that was sent after this one.
    """

    failures: int = 0
    ever_answered: bool = True
    at_floor: bool = False
    troubled_s: float = 0.0
    answers_others: bool = False


class NextStep(msgspec.Struct, frozen=True):
    """What to do next.

    Attributes:
        name: `retry` after a pause; `give up` on this reply, which is the model's fault; `stop` the run, since no other
            request would fare better.
        pause_s: Seconds to wait before anything is sent again.
        counts: Whether this was one of the failures after which the model is paused.
        reason: Why the run stops, if it does.
    """

    name: Literal["retry", "give up", "stop"]
    pause_s: float = 0.0
    counts: bool = False
    reason: str = ""


def next_step(problem: RequestFailed, limits: RequestLimits, standing: Standing) -> NextStep:
    """Decide what to do about a request that brought no reply.

    Only an answer that comes in too slowly, or a prompt that is refused for good, counts against the model; with
    `on_failure="fold"` so does a request that brought no reply after all retries.
    """
    trouble, asked_s, failures = problem.trouble, problem.retry_after_s, standing.failures
    retried = failures >= limits.transport_retries
    # Who answers others at once, and this question never, takes too long over it.
    slow_here = trouble == "hung" and standing.answers_others
    if trouble in ("timeout", "refused") or (slow_here and retried):
        return NextStep("give up")
    # A refusal that does not say why may be a hiccup: the same is tried a second time.
    if trouble == "fatal" or (trouble == "rejected" and not standing.ever_answered and failures > 0):
        return NextStep("stop", reason=f"cannot be asked: {problem}")
    if asked_s is not None and asked_s > LONGEST_PAUSE_S:
        return NextStep("stop", reason=f"asks for a pause of {asked_s:,.0f} s: go on after it")
    pause_s = min(_LONGEST_BACKOFF_S, limits.backoff_s * 2**failures) if asked_s is None else max(asked_s, 0.001)
    if trouble == "busy" and not standing.at_floor:
        return NextStep("retry", pause_s)
    if limits.on_failure == "fold" and retried:
        return NextStep("give up")
    if retried and standing.troubled_s >= limits.pause_after_s and not slow_here:
        hint = "; game.actionTimeoutS gives it longer" if trouble == "hung" else ""
        return NextStep("stop", reason=f"could not be asked for {standing.troubled_s:,.0f} s: {problem}{hint}")
    return NextStep("retry", min(pause_s, max(0.05, limits.pause_after_s - standing.troubled_s)), counts=True)
