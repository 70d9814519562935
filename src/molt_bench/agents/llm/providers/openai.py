"""OpenAI: its chat protocol, its Responses, and its batches."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

import msgspec

from molt_bench.agents.llm.providers.base import Family, Provider, objects, texts, thinking_blocks
from molt_bench.agents.llm.providers.batch_calls import (
    BatchCaller,
    BatchRefusedError,
    answer,
    lines_of,
    refusal,
    whole_request,
)
from molt_bench.agents.llm.providers.chat_protocol import LIMIT_NAMES
from molt_bench.agents.llm.providers.log_probabilities import MOST_LISTED
from molt_bench.agents.llm.sending.http import Http, HttpRequest, Received
from molt_bench.agents.llm.types import SentBatch

_ENDPOINT: Final = "/chat/completions"
_FAMILIES: Final[tuple[Family, ...]] = (
    (r"gpt-5.*-chat|gpt-5\.\d", None, 1.0),
    (r"gpt-5", "medium", 1.0),
    (r"(^|[:/])o[134](-|$)", "medium", 1.0),
    (r"gpt-oss", "medium", 0.8),
)


class OpenAIBatches:
    """OpenAI's batches: a file of requests is uploaded, and one with the answers downloaded."""

    def __init__(self, http: Http, request: HttpRequest) -> None:
        self._caller = BatchCaller(http, request)
        self._base = self._caller.url.removesuffix(_ENDPOINT)

    async def submit(self, name: str, bodies: Mapping[str, Any]) -> str:
        """Upload the requests, and submit the file; the name goes with it, so that it is found again."""
        endpoint = f"/v1{_ENDPOINT}"
        lines = [
            {"custom_id": key, "method": "POST", "url": endpoint, "body": whole_request(body)}
            for key, body in bodies.items()
        ]
        file = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        upload = await self._caller.upload(f"{self._base}/files", name, file)
        wanted = {
            "input_file_id": upload["id"],
            "endpoint": endpoint,
            "completion_window": "24h",
            "metadata": {"molt_bench": name},
        }
        return str((await self._caller.json("POST", f"{self._base}/batches", wanted))["id"])

    async def find(self, batch: SentBatch, known: frozenset[str]) -> str | None:
        """Look for the name among the latest batches."""
        async for each in self._caller.listed(f"{self._base}/batches", "after"):
            if (each.get("metadata") or {}).get("molt_bench") == batch.name:
                return str(each["id"])
        return None

    async def results(self, batch: str) -> dict[str, Received] | None:
        """Return the answers once the batch has ended, however it has."""
        found = await self._caller.json("GET", f"{self._base}/batches/{batch}")
        if found.get("status") not in ("completed", "failed", "expired", "cancelled"):
            return None
        answers: dict[str, Received] = {}
        for file in (found.get("output_file_id"), found.get("error_file_id")):
            if file:
                content = await self._caller.call("GET", f"{self._base}/files/{file}/content")
                answers.update((str(line["custom_id"]), _answer(line)) for line in lines_of(content))
        if found["status"] == "failed" and not answers:
            told = ((found.get("errors") or {}).get("data") or [{}])[0]
            raise BatchRefusedError(refusal(400, f"the batch failed: {told.get('message') or 'no reason is given'}"))
        return answers


def _answer(line: Mapping[str, Any]) -> Received:
    response, error = line.get("response"), line.get("error")
    if not response or error:
        told = (error or {}).get("message") or "this request was not answered"
        return refusal(503, f"batch: {told}")
    return answer(response["status_code"], response["body"])


class ChatProvider(Provider):
    """A provider that speaks the chat protocol, and whose requests are written as OpenAI's."""

    chat = True
    retries_on_client = True
    effort_field = "openai_reasoning_effort"
    limit_names = LIMIT_NAMES
    logprob_settings: ClassVar = {"OpenAIChatModel": {"openai_logprobs": True, "openai_top_logprobs": MOST_LISTED}}
    library = "openai-chat"

    def thoughts(self, answer: dict[str, Any]) -> Iterable[object]:
        """Return the thoughts in a message, in the forms by which servers extend the protocol."""
        for choice in objects(answer.get("choices")):
            for message in objects([choice.get("message")]):
                yield message.get("reasoning_content")
                yield message.get("reasoning")
                yield message.get("thinking")
                yield from texts(message.get("reasoning_details"))
                yield from thinking_blocks(message.get("content"))


class OpenAI(ChatProvider):
    """OpenAI by its chat protocol. Its Responses would drop the seed, and other servers lack them."""

    package = "openai"
    priced_as = "openai"
    prefix = "OPENAI"
    batches = OpenAIBatches
    cached_from = (("", 1024),)
    cache_step = 128
    bills_errors = False
    families = _FAMILIES


class OpenAIResponses(Provider):
    """OpenAI by its Responses."""

    priced_as = "openai"
    prefix = "OPENAI"
    cached_from = OpenAI.cached_from
    cache_step = OpenAI.cache_step
    bills_errors = False

    def thoughts(self, answer: dict[str, Any]) -> Iterable[object]:
        """Return the summaries of its thoughts."""
        for item in objects(answer.get("output")):
            if item.get("type") == "reasoning":
                yield from texts(item.get("summary"))
                yield from texts(item.get("content"))
