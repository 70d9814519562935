"""The batch interfaces of OpenAI and Anthropic, as documented, for the test provider."""

import json
import re
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]
#: Breaks the connection.
RESET = -1
#: From an API, a path and a body to the status and the body of the answer.
Answer = Callable[[str, str, Json], tuple[int, Json]]


class BatchDesk:
    """Takes batches, and has their answers after a number of polls.

    Attributes:
        polls: How often a batch is under way when it is looked at.
        submitted: How often each request was submitted, by its custom id.
        batches: The ids of batches, with their requests.
        hook: Called with `upload`, `submit`, `submitted`, `poll` or `results`; may return a status to answer with, or
            RESET to break the connection.
        spoil: Changes a line of the results, or drops it by returning None.
        ends: How a batch of OpenAI ends.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.calm()
        self.submitted: Counter[str] = Counter()
        self.batches: dict[str, Json] = {}
        self._files: dict[str, bytes] = {}

    def calm(self) -> None:
        """Be as in the beginning."""
        self.polls = 1
        self.hook: Callable[[str], int | None] = lambda _: None
        self.spoil: Callable[[Json], Json | None] = lambda line: line
        self.ends = "completed"

    def handle(self, method: str, target: str, raw: bytes, url: str) -> tuple[int, Json | bytes] | None:
        """Answer a request of the batch interface; None if it is none."""
        path = urlsplit(target).path.removeprefix("/v1")
        if not re.match("/(files|batches|messages/batches)", path):
            return None
        api = "anthropic" if path.startswith("/messages") else "openai"
        rest = path.removeprefix("/messages").split("/")[1:]
        step = {("POST", "files"): "upload", ("POST", "batches"): "submit"}.get((method, rest[0]), "poll")
        status = self.hook("results" if rest[-1] in ("content", "results") else step)
        if status is not None:
            return status, {"type": "error", "error": {"type": "api_error", "message": f"spoiled with {status}"}}
        if step == "upload":
            return 200, self._upload(raw)
        if step == "submit":
            made = self._submit(api, json.loads(raw))
            return self.hook("submitted") or 200, made
        if rest == ["batches"]:
            return 200, self._listed(api, target)
        if rest[0] == "files":
            return 200, self._files[rest[1]]
        found = self.batches.get(rest[1])
        if found is None:
            return 404, {"type": "error", "error": {"type": "not_found_error", "message": "no such batch"}}
        if rest[-1] == "results":
            return 200, self._results(found)
        return 200, self._looked_at(found, url)

    def _upload(self, raw: bytes) -> Json:
        assert b'name="purpose"\r\n\r\nbatch' in raw
        content = raw.split(b"application/jsonl\r\n\r\n")[1].rsplit(b"\r\n--", 2)[0]
        name = f"file-{len(self._files)}"
        self._files[name] = content
        return {"id": name, "object": "file", "purpose": "batch", "bytes": len(content)}

    def _submit(self, api: str, body: Json) -> Json:
        number = f"{'msgbatch' if api == 'anthropic' else 'batch'}_{len(self.batches)}"
        if api == "openai":
            assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
            lines = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
            assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
            requests = {line["custom_id"]: line["body"] for line in lines}
        else:
            lines = body["requests"]
            assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", line["custom_id"]) for line in lines)
            requests = {line["custom_id"]: line["params"] for line in lines}
        assert len(requests) == len(lines)
        assert not any("stream" in each for each in requests.values())
        self.submitted.update([*requests])
        made = {"id": number, "api": api, "requests": requests, "metadata": body.get("metadata"), "polls": 0}
        self.batches[number] = {**made, "created": time.time_ns() / 1e9}
        return self._shown(self.batches[number], ended=False, url="")

    def _listed(self, api: str, target: str) -> Json:
        found = [each for each in reversed(self.batches.values()) if each["api"] == api]
        assert int(parse_qs(urlsplit(target).query)["limit"][0]) <= 100
        shown = [self._shown(each, ended=each["polls"] > self.polls, url="") for each in found]
        return {"object": "list", "data": shown, "has_more": False}

    def _looked_at(self, batch: Json, url: str) -> Json:
        batch["polls"] += 1
        return self._shown(batch, ended=batch["polls"] > self.polls, url=url)

    def _shown(self, batch: Json, *, ended: bool, url: str) -> Json:
        count = len(batch["requests"])
        if batch["api"] == "anthropic":
            counts = {"processing": 0 if ended else count, "succeeded": count if ended else 0}
            return {
                "id": batch["id"],
                "type": "message_batch",
                "processing_status": "ended" if ended else "in_progress",
                "request_counts": {**counts, "errored": 0, "canceled": 0, "expired": 0},
                "created_at": datetime.fromtimestamp(batch["created"], UTC).isoformat(),
                "results_url": f"{url}/messages/batches/{batch['id']}/results" if ended else None,
            }
        shown = {
            "id": batch["id"],
            "object": "batch",
            "status": self.ends if ended else "in_progress",
            "created_at": int(batch["created"]),
            "metadata": batch["metadata"],
            "errors": None,
            "output_file_id": None,
            "error_file_id": None,
        }
        if ended and self.ends == "failed":
            shown["errors"] = {"object": "list", "data": [{"code": "invalid", "message": "a bad file"}]}
        elif ended:
            self._files[f"out-{batch['id']}"] = self._results(batch)
            shown["output_file_id"] = f"out-{batch['id']}"
        return shown

    def _results(self, batch: Json) -> bytes:
        if "lines" not in batch:
            batch["lines"] = [
                line for each in reversed(batch["requests"].items()) if (line := self._line(batch, *each))
            ]
        return b"".join(json.dumps(line).encode() + b"\n" for line in batch["lines"])

    def _line(self, batch: Json, key: str, body: Json) -> Json | None:
        path = "/v1/messages" if batch["api"] == "anthropic" else "/v1/chat/completions"
        status, answer = self._answer(batch["api"], path, body)
        if batch["api"] == "openai":
            response = {"status_code": status, "request_id": "r", "body": answer}
            return self.spoil({"id": "x", "custom_id": key, "response": response, "error": None})
        good = {"type": "succeeded", "message": answer}
        return self.spoil({"custom_id": key, "result": good if status == 200 else {"type": "errored", "error": answer}})
