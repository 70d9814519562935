"""Prompts that a provider refuses for good, in every protocol: for what they say, or since they are too long."""

import asyncio

import httpx2
import pytest
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from molt_bench.llm.failures import failure_of
from tests.llm.playing import Kept, assert_complete, faults_of, run
from tests.llm.provider import Provider

APIS = ("openai", "anthropic", "google")


@pytest.mark.parametrize("api", [*APIS, "responses"])
@pytest.mark.parametrize("fault", ["400-prompt", "400-context"])
def test_a_refused_prompt_is_refused_at_that_decision_by_every_protocol(api, fault):
    kept = Kept()
    other = {"model": "openai-responses:gpt-4.1"} if api == "responses" else {}
    with Provider(fault=[None, fault]) as provider:
        settings = {"api": "openai" if api == "responses" else api, "recorder": kept, **other}
        result = run(provider, llm={"transportRetries": 0}, **settings)
    (found,) = faults_of(result)
    assert (found.kind, found.attempt, found.forced_fold) == ("refused", 1, False)
    (refused,) = [each for each in kept.all if each.outcome == "refused"]
    assert (refused.cost_usd, refused.tokens.total, refused.text) == (0.0, 0, found.message)
    assert_complete(result)


def http_error(status, body):
    """Return the library's error for an answer of a server that speaks OpenAI's chat protocol."""

    def answer(_):
        stated = {"error": body} if isinstance(body, dict) else body
        return (
            httpx2.Response(status, json=stated) if isinstance(stated, dict) else httpx2.Response(status, text=stated)
        )

    async def ask():
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http:
            client = AsyncOpenAI(api_key="k", base_url="http://localhost/v1", http_client=http, max_retries=0)
            model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))
            await model_request(model, [ModelRequest.user_text_prompt("x")])

    with pytest.raises(ModelHTTPError) as raised:
        asyncio.run(ask())
    return raised.value


AZURE = {
    "message": "The response was filtered",
    "code": "content_filter",
    "innererror": {"code": "ResponsibleAIPolicyViolation"},
}
TOO_LONG = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."


@pytest.mark.parametrize(
    ("status", "body", "trouble"),
    [
        (400, AZURE, "refused"),
        (400, {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, "refused"),
        (403, {"message": "x", "code": 403, "metadata": {"flagged_input": "y", "reasons": ["z"]}}, "refused"),
        (400, {"message": "<400> InternalError: x", "code": "data_inspection_failed"}, "refused"),
        (400, {"message": TOO_LONG, "code": 400, "type": "BadRequestError"}, "refused"),
        (
            400,
            {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"},
            "refused",
        ),
        (413, "<html><body>413 Request Entity Too Large</body></html>", "refused"),
        (400, {"message": "Unknown parameter: 'frobnicate'.", "code": "unknown_parameter"}, "rejected"),
        (400, {"message": "Invalid value for 'messages'."}, "rejected"),
        (422, {"detail": "max_tokens must be at least 1"}, "rejected"),
        (401, {"message": "Your key was flagged: see the usage policy", "code": "invalid_api_key"}, "fatal"),
        (403, {"message": "Your account has no access to this model"}, "fatal"),
        (404, {"message": "No such model", "code": "model_not_found"}, "fatal"),
        (429, {"message": "prompt is too long", "code": "rate_limit_exceeded"}, "busy"),
        (503, {"message": "content filter is down"}, "transport"),
    ],
)
def test_a_refused_prompt_is_told_apart_from_a_request_that_is_made_wrongly(status, body, trouble):
    assert failure_of(http_error(status, body), str, sent=True).trouble == trouble


@pytest.mark.parametrize(
    ("status", "body", "may_cost"),
    [
        *((status, {"message": "x"}, True) for status in (500, 502, 503, 529, 408)),
        (400, AZURE, True),
        (400, {"message": TOO_LONG, "code": 400}, True),
        (429, {"message": "x"}, False),
        (400, {"message": "Unknown parameter: 'frobnicate'."}, False),
        (401, {"message": "x"}, False),
    ],
)
def test_an_error_of_a_server_that_may_have_worked_out_an_answer_may_be_on_the_bill(status, body, may_cost):
    error = http_error(status, body)
    assert failure_of(error, str, sent=True).may_cost == may_cost
    assert not failure_of(error, str, sent=False).may_cost


@pytest.mark.parametrize(
    ("message", "about_limit"),
    [
        (
            "maximum context length is 8192, you requested 33668 (900 in the messages, 32768 in the completion)",
            1,
        ),
        ("input length and `max_tokens` exceed context limit: 190000 + 32768 > 200000", 1),
        ("maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 0),
    ],
)
def test_a_context_that_has_no_room_for_our_limit_is_told_apart_from_one_that_the_prompt_fills(message, about_limit):
    found = failure_of(http_error(400, {"message": message, "code": "context_length_exceeded"}), str, sent=True)
    assert (found.trouble, found.about_limit) == ("refused", bool(about_limit))
