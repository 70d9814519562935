"""How OpenAI and Anthropic take many requests as one batch: what is sent, what comes back, how one is found again."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, Protocol

import msgspec

from molt_bench.agents.llm.exchange import SentBatch
from molt_bench.agents.llm.sending.answer_bytes import Received

#: Seconds for one call of the batch interface; a file of many requests takes a while.
_CALL_S: Final = 600.0
#: Pages of earlier batches that are looked through for one, and batches on each.
_PAGES: Final = 10
_ON_A_PAGE: Final = 100
#: Headers of a request for a reply that are not those of a batch.
_OWN_HEADERS: Final = ("content-length", "content-type", "host", "accept-encoding", "connection")
#: The status of a reply that was refused within a batch of Anthropic, by the type of the error.
_STATUS: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class BatchRefusedError(Exception):
    """The server refused what was asked of its batch interface; `received` is how."""

    def __init__(self, received: Received) -> None:
        self.received = received
        super().__init__(received.body[:200].decode("utf-8", "replace"))


class BatchProtocol(Protocol):
    """The batch interface of one provider."""

    async def submit(self, name: str, bodies: Mapping[str, Any]) -> str:
        """Submit requests by their keys, and return the provider's id of the batch."""

    async def find(self, batch: SentBatch, known: frozenset[str]) -> str | None:
        """Return the id of a batch that may have been submitted; `known` are those of others. None if there is none."""

    async def results(self, batch: str) -> dict[str, Received] | None:
        """Return the answers of a batch by their keys; None while it is under way."""


class _Caller:
    """Calls the batch interface with the key and the headers of an ordinary request, an httpx2 one."""

    def __init__(self, http: Any, request: Any) -> None:
        self._http = http
        self.url = request.url.copy_with(query=None)
        kept = [(name, value) for name, value in request.headers.multi_items() if name.lower() not in _OWN_HEADERS]
        self._headers = kept

    async def call(self, method: str, url: Any, **content: Any) -> Received:
        """Return a good answer; raises BatchRefusedError for another, httpx2's errors or TimeoutError for none."""
        async with asyncio.timeout(_CALL_S):
            answer = await self._http.request(method, url, headers=self._headers, **content)
        headers = tuple((name.lower(), value) for name, value in answer.headers.multi_items())
        kept = tuple(pair for pair in headers if pair[0] != "content-encoding")
        received = Received(answer.status_code, kept, answer.content)
        if not 200 <= answer.status_code < 300:
            raise BatchRefusedError(received)
        return received

    async def json(self, method: str, url: Any, **content: Any) -> dict[str, Any]:
        """The same for an answer that is an object."""
        received = await self.call(method, url, **content)
        try:
            found = json.loads(received.body)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise BatchRefusedError(_refusal(500, "the answer of the batch interface is no object"))
        return found


class OpenAIBatches:
    """OpenAI's batches: a file of requests is uploaded, and one with the answers downloaded."""

    def __init__(self, http: Any, request: Any) -> None:
        self._caller = _Caller(http, request)
        path = self._caller.url.path
        self._base = str(self._caller.url.copy_with(path=path.removesuffix("/chat/completions")))

    async def submit(self, name: str, bodies: Mapping[str, Any]) -> str:
        """Upload the requests, and submit the file; the name goes with it, so that it is found again."""
        endpoint = "/v1/chat/completions"
        lines = [
            {"custom_id": key, "method": "POST", "url": endpoint, "body": _whole(body)} for key, body in bodies.items()
        ]
        file = (f"{name}.jsonl", b"".join(msgspec.json.encode(line) + b"\n" for line in lines), "application/jsonl")
        upload = await self._caller.json("POST", f"{self._base}/files", data={"purpose": "batch"}, files={"file": file})
        wanted = {
            "input_file_id": upload["id"],
            "endpoint": endpoint,
            "completion_window": "24h",
            "metadata": {"molt_bench": name},
        }
        return str((await self._caller.json("POST", f"{self._base}/batches", json=wanted))["id"])

    async def find(self, batch: SentBatch, known: frozenset[str]) -> str | None:
        """Look for the name among the latest batches."""
        after = ""
        for _ in range(_PAGES):
            page = await self._caller.json("GET", f"{self._base}/batches?limit={_ON_A_PAGE}{after}")
            listed = page.get("data") or []
            for each in listed:
                if (each.get("metadata") or {}).get("molt_bench") == batch.name:
                    return str(each["id"])
            if not listed or not page.get("has_more"):
                break
            after = f"&after={listed[-1]['id']}"
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
                answers.update(_openai_answer(line) for line in _lines(content))
        if found["status"] == "failed" and not answers:
            told = ((found.get("errors") or {}).get("data") or [{}])[0]
            raise BatchRefusedError(_refusal(400, f"the batch failed: {told.get('message') or 'no reason is given'}"))
        return answers


class AnthropicBatches:
    """Anthropic's batches: requests and answers come as they are. They have no names: their answers tell which."""

    def __init__(self, http: Any, request: Any) -> None:
        self._caller = _Caller(http, request)
        self._base = f"{self._caller.url}/batches"

    async def submit(self, name: str, bodies: Mapping[str, Any]) -> str:
        """Submit the requests."""
        requests = [{"custom_id": key, "params": _whole(body)} for key, body in bodies.items()]
        return str((await self._caller.json("POST", self._base, json={"requests": requests}))["id"])

    async def find(self, batch: SentBatch, known: frozenset[str]) -> str | None:
        """Look for a batch of as many requests that is no other of ours; whether it is this one, its answers tell."""
        after = ""
        for _ in range(_PAGES):
            page = await self._caller.json("GET", f"{self._base}?limit={_ON_A_PAGE}{after}")
            listed = page.get("data") or []
            for each in listed:
                alike = each["id"] not in known and sum(each["request_counts"].values()) == len(batch.keys)
                if (
                    alike
                    and _time(each["created_at"]) >= batch.at_s - _CLOCKS_S
                    and await self._is_this(each["id"], batch)
                ):
                    return str(each["id"])
            if not listed or not page.get("has_more"):
                break
            after = f"&after_id={listed[-1]['id']}"
        return None

    async def _is_this(self, number: str, batch: SentBatch) -> bool:
        while (found := await self.results(number)) is None:
            await asyncio.sleep(_LOOK_AGAIN_S)
        return found.keys() == {*batch.keys}

    async def results(self, batch: str) -> dict[str, Received] | None:
        """Return the answers once the batch has ended."""
        found = await self._caller.json("GET", f"{self._base}/{batch}")
        if found.get("processing_status") != "ended":
            return None
        where = self._caller.url.join(str(found.get("results_url") or f"{self._base}/{batch}/results"))
        if (where.scheme, where.netloc) != (self._caller.url.scheme, self._caller.url.netloc):
            raise BatchRefusedError(_refusal(500, "the results of the batch are said to be at another server"))
        return dict(_anthropic_answer(line) for line in _lines(await self._caller.call("GET", where)))


#: By how many seconds the clocks of a provider and of this machine may differ.
_CLOCKS_S: Final = 600.0
#: Seconds between two looks at a batch that may be the one that is looked for.
_LOOK_AGAIN_S: Final = 30.0
PROTOCOLS: Final[Mapping[str, Callable[[Any, Any], BatchProtocol]]] = {
    "openai": OpenAIBatches,
    "openai-chat": OpenAIBatches,
    "anthropic": AnthropicBatches,
}


def _whole(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request without the word that its answer is not to be streamed, which a batch never is."""
    return {name: value for name, value in body.items() if name != "stream"}


def _time(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _lines(received: Received) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in received.body.splitlines() if line.strip()]
    except ValueError:
        raise BatchRefusedError(_refusal(500, "the results of the batch are not JSON")) from None


def _openai_answer(line: Mapping[str, Any]) -> tuple[str, Received]:
    response, error = line.get("response"), line.get("error")
    if not response or error:
        told = (error or {}).get("message") or "this request was not answered"
        return str(line["custom_id"]), _refusal(503, f"batch: {told}")
    return str(line["custom_id"]), _answer(response["status_code"], response["body"])


def _anthropic_answer(line: Mapping[str, Any]) -> tuple[str, Received]:
    key, result = str(line["custom_id"]), line["result"]
    if result["type"] == "succeeded":
        return key, _answer(200, result["message"])
    if result["type"] == "errored":
        error = result["error"]
        return key, _answer(_STATUS.get(str((error.get("error") or {}).get("type")), 500), error)
    return key, _refusal(503, f"batch: this request was {result['type']}")


def _answer(status: int, body: object) -> Received:
    return Received(status, (("content-type", "application/json"),), msgspec.json.encode(body))


def _refusal(status: int, message: str) -> Received:
    about = {"message": message, "type": "api_error", "param": None, "code": None}
    return _answer(status, {"type": "error", "error": about})


def not_answered() -> Received:
    """Return what stands for the answer of a request that a batch does not have: it is to be sent again."""
    return _refusal(503, "batch: it ended without an answer to this request")
