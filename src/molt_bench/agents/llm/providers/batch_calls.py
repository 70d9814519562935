"""Calls of a batch interface: with the key and the headers of an ordinary request, and answers checked."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from molt_bench.agents.llm.sending.http import Http, HttpRequest, Received

#: Seconds for one call of a batch interface; a file of many requests takes a while.
_CALL_S: Final = 600.0
#: Most bytes of the answers of a batch.
_MOST_BYTES: Final = 2**31
#: Pages of earlier batches that are looked through for one, and batches on each.
_PAGES: Final = 10
_ON_A_PAGE: Final = 100


class BatchRefusedError(Exception):
    """The server refused what was asked of its batch interface; `received` is how."""

    def __init__(self, received: Received) -> None:
        self.received = received
        super().__init__(received.body[:200].decode("utf-8", "replace"))


class BatchCaller:
    """Calls the batch interface with the key and the headers of an ordinary request.

    Attributes:
        url: Where that goes, without a query.
    """

    def __init__(self, http: Http, request: HttpRequest) -> None:
        self._http = http
        self.url = urlsplit(request.url)._replace(query="").geturl()
        self._headers = tuple(pair for pair in request.headers if pair[0].lower() != "content-type")

    async def call(self, method: str, url: str, body: bytes = b"", kind: str = "application/json") -> Received:
        """Return a good answer; raises BatchRefusedError for another, OSError or TimeoutError for none."""
        headers = (*self._headers, *([("content-type", kind)] if body else []))
        async with asyncio.timeout(_CALL_S):
            received = await self._http.send(HttpRequest(method, url, headers, body), most_bytes=_MOST_BYTES)
        if not 200 <= received.status < 300:
            raise BatchRefusedError(received)
        return received

    async def json(self, method: str, url: str, content: object = None) -> dict[str, Any]:
        """Send JSON, and return an answer that is an object."""
        return _object(await self.call(method, url, b"" if content is None else msgspec.json.encode(content)))

    async def listed(self, url: str, after: str) -> AsyncIterator[dict[str, Any]]:
        """Yield the latest batches, page by page; `after` is the field that names the last one seen."""
        last = ""
        for _ in range(_PAGES):
            page = await self.json("GET", f"{url}?limit={_ON_A_PAGE}{last}")
            found = page.get("data") or []
            for each in found:
                yield each
            if not found or not page.get("has_more"):
                return
            last = f"&{after}={found[-1]['id']}"

    async def upload(self, url: str, name: str, content: bytes) -> dict[str, Any]:
        """Upload the file of a batch as a form, and return an answer that is an object."""
        edge = f"--{name}"
        head = (
            f'{edge}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        body = b"".join((head.encode(), content, f"\r\n{edge}--\r\n".encode()))
        return _object(await self.call("POST", url, body, f"multipart/form-data; boundary={name}"))


def _object(received: Received) -> dict[str, Any]:
    try:
        found = json.loads(received.body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise BatchRefusedError(refusal(500, "the answer of the batch interface is no object"))
    return found


def whole_request(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request without the word that its answer is not to be streamed, which a batch never is."""
    return {name: value for name, value in body.items() if name != "stream"}


def lines_of(received: Received) -> list[dict[str, Any]]:
    """Return the lines of a file of results."""
    try:
        return [json.loads(line) for line in received.body.splitlines() if line.strip()]
    except ValueError:
        raise BatchRefusedError(refusal(500, "the results of the batch are not JSON")) from None


def answer(status: int, body: object) -> Received:
    """Return an answer within a batch, as it would have come by itself."""
    return Received(status, {"content-type": "application/json"}, msgspec.json.encode(body))


def refusal(status: int, message: str) -> Received:
    """Return what stands for an answer that is missing."""
    about = {"message": message, "type": "api_error", "param": None, "code": None}
    return answer(status, {"type": "error", "error": about})


def not_answered() -> Received:
    """Return what stands for the answer of a request that a batch does not have: it is to be sent again."""
    return refusal(503, "batch: it ended without an answer to this request")
