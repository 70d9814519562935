"""The four provider formats the test provider speaks: what a request asks, and the bodies of good and bad answers."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Json = dict[str, Any]

GIANT = 5_000_000
CREATED = 1_767_225_600
CACHED, THOUGHTS = 7, 11  # tokens, in every answer's usage: as many in all formats
GOOGLE_PATH = re.compile(r"/models/([^/?]+):generateContent(?:\?|$)")

# The fault's HTTP status; OpenAI's type and code; Anthropic's type; Google's status; the message.
ERRORS: dict[str, tuple[int, str, str | None, str, str, str]] = {
    "429": (429, "requests", "rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED", "Rate limit reached."),
    "429-quota": (
        *(429, "insufficient_quota", "insufficient_quota", "billing_error", "RESOURCE_EXHAUSTED"),
        "You exceeded your current quota, check your plan and billing details (insufficient_quota).",
    ),
    "500": (500, "server_error", None, "api_error", "INTERNAL", "The server had an error. Sorry about that!"),
    "503": (503, "service_unavailable_error", None, "api_error", "UNAVAILABLE", "The service is unavailable."),
    "529": (529, "overloaded_error", "overloaded", "overloaded_error", "UNAVAILABLE", "Overloaded"),
    "401": (
        *(401, "invalid_request_error", "invalid_api_key", "authentication_error", "UNAUTHENTICATED"),
        "Incorrect API key provided: {key}. Find your API key in your account.",
    ),
    "400": (400, "invalid_request_error", None, "invalid_request_error", "INVALID_ARGUMENT", "Invalid request."),
    "400-prompt": (
        *(400, "invalid_request_error", "invalid_prompt", "invalid_request_error", "INVALID_ARGUMENT"),
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
    ),
    "400-filter": (
        *(400, "invalid_request_error", "content_filter", "invalid_request_error", "INVALID_ARGUMENT"),
        "The response was filtered due to the prompt triggering our content management policy.",
    ),
    "403-moderation": (
        *(403, "invalid_request_error", "403", "permission_error", "PERMISSION_DENIED"),
        "The chosen model requires moderation, and your input was flagged.",
    ),
    "400-context": (
        *(400, "invalid_request_error", "context_length_exceeded", "invalid_request_error", "INVALID_ARGUMENT"),
        "prompt is too long: the input token count exceeds the maximum number of tokens allowed, 8192.",
    ),
    "413": (
        *(413, "invalid_request_error", None, "request_too_large", "INVALID_ARGUMENT"),
        "Request exceeds the maximum size.",
    ),
    "404": (
        *(404, "invalid_request_error", "model_not_found", "not_found_error", "NOT_FOUND"),
        "The model does not exist or you do not have access to it.",
    ),
}
REPLIES = (
    *("empty-reply", "cut-reply", "cut-reply-stop", "refusal", "content-filter", "prose", "prose-only"),
    *(
        "finish-error",
        "wrong-schema",
        "illegal",
        "giant",
        "giant-junk",
        "two-objects",
        "echo-key",
        "open-think",
        "surrogate",
    ),
)
FINISH = {
    "openai": {
        "stop": "stop",
        "length": "length",
        "refusal": "stop",
        "filter": "content_filter",
        "error": "error",
    },
    "anthropic": {
        "stop": "end_turn",
        "length": "max_tokens",
        "refusal": "refusal",
        "filter": "refusal",
    },
    "responses": {
        "stop": "completed",
        "length": "incomplete",
        "refusal": "completed",
        "error": "failed",
    },
    "google": {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"},
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says; None for nothing."""

    text: str | None
    finish: str = "stop"


def default_policy(prompt: str, body: Json) -> Json:
    """Decide by the hash of the prompt: 70 % check or call, 15 % the smallest raise, 15 % fold if that saves chips."""
    legal = legal_in(prompt)
    roll = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4], "big") % 100
    raise_to = re.search(r"raiseTo (\d+)", legal)
    kind, amount = ("call" if "call" in legal else "check"), None
    if 70 <= roll < 85 and raise_to:
        kind, amount = "raiseTo", int(raise_to[1])
    elif roll >= 85 and kind == "call":
        kind = "fold"
    why = f"The hash of the prompt says {roll}."
    return {"reasoning": why, "kind": kind, "amount": amount}


def legal_in(prompt: str) -> str:
    """Return what the prompt says about legal actions."""
    _, found, rest = f"\n{prompt}".rpartition("\nLegal actions: ")
    if found:
        return rest.partition("\n")[0]
    _, found, rest = f"\n{prompt}".rpartition("\nTo call: ")  # all that the track bare says of it
    if not found:
        raise ValueError("the last user message says neither what is legal nor what there is to call")
    return "check" if rest.startswith("0") else "fold, call"


def api_of(path: str) -> str | None:
    """Return which API a path belongs to."""
    bare = path.partition("?")[0]
    if bare.endswith("/chat/completions"):
        return "openai"
    if bare.endswith("/responses"):
        return "responses"
    if bare.endswith("/v1/messages"):
        return "anthropic"
    return "google" if GOOGLE_PATH.search(path) else None


def model_of(path: str, body: Json) -> str:
    """Return the model a request asks for."""
    named = GOOGLE_PATH.search(path)
    return unquote(named[1]) if named else str(body.get("model"))


def prompt_of(api: str, body: Json) -> str:
    """Return the text of the last user message."""
    turns = body.get({"google": "contents", "responses": "input"}.get(api, "messages")) or []
    for turn in reversed(turns):
        content = turn.get("parts" if api == "google" else "content") or ""
        text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
        if turn.get("role", "user") == "user" and text.strip():
            return text
    return ""


def key_of(path: str, headers: dict[str, str]) -> str:
    """Return the API key as received, whichever header (or, for Google, query) it came in."""
    named = (headers.get(name) for name in ("x-api-key", "x-goog-api-key", "authorization"))
    key = next(filter(None, named), None) or parse_qs(urlsplit(path).query).get("key", [""])[0]
    return key.removeprefix("Bearer ")


def reply_of(fault: str | None, good: Json | str, key: str) -> Reply:
    """Return the policy's answer, spoiled as the fault says."""
    move = good if isinstance(good, dict) else {}
    text = good if isinstance(good, str) else json.dumps(good)
    match fault:
        case "empty-reply":
            return Reply("")
        case "cut-reply" | "cut-reply-stop":
            return Reply(text[: len(text) // 2], finish="length" if fault == "cut-reply" else "stop")
        case "refusal" | "content-filter":
            return Reply(None, finish="refusal" if fault == "refusal" else "filter")
        case "finish-error":
            return Reply(text[: len(text) // 2], finish="error")
        case "prose":
            return Reply(f"Let me think about this hand. {text} I hope that helps!")
        case "prose-only":
            return Reply("I would rather not say what I do here, but it is a strong move.")
        case "wrong-schema":
            return Reply('{"action": "raise", "size": "big"}')
        case "illegal":
            return Reply(json.dumps({**move, "kind": "raiseTo", "amount": 1}))
        case "giant":
            return Reply(json.dumps({**move, "reasoning": "very " * (GIANT // 5)}))
        case "giant-junk":
            return Reply("x" * GIANT)
        case "two-objects":
            first = json.dumps({"reasoning": "A first thought.", "kind": "fold", "amount": None})
            return Reply(f"{first}\nNo, wait. On reflection:\n{text}")
        case "open-think":
            return Reply(f"<think>Perhaps I should play {text} here. But then")
        case "surrogate":
            said = {**move, "reasoning": "half of a character: \ud83d"}
            return Reply(json.dumps(said, ensure_ascii=False))
        case "echo-key":
            return Reply(json.dumps({**move, "reasoning": f"The key is {key}, is it not?"}))
        case _:
            return Reply(text)


def tokens(text: str | None) -> int:
    """Return about how many tokens a text has."""
    return len(text or "") // 4 + 1


def answer(api: str, model: str, prompt: str, reply: Reply, *, empty: bool = False) -> Json:
    """Return the API's envelope around a reply, or (`empty`) around no reply at all.

    `usage` is the same in all of them: tokens(prompt) and CACHED from the cache, tokens(reply) and THOUGHTS of thought.
    """
    shape = {
        "openai": openai_answer,
        "responses": responses_answer,
        "anthropic": anthropic_answer,
        "google": google_answer,
    }[api]
    return shape(f"{model}-2026", reply, tokens(prompt) + CACHED, tokens(reply.text), empty)


def openai_answer(model: str, reply: Reply, asked: int, said: int, empty: bool) -> Json:
    message: Json = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.finish == "refusal":
        message["refusal"] = "I'm sorry, I can't help with that."
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": FINISH["openai"][reply.finish],
    }
    usage = {
        "prompt_tokens": asked,
        "completion_tokens": said + THOUGHTS,
        "total_tokens": asked + said + THOUGHTS,
        "prompt_tokens_details": {"cached_tokens": CACHED},
        "completion_tokens_details": {"reasoning_tokens": THOUGHTS},
    }
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": CREATED, "model": model}
    return {**head, "choices": [] if empty else [choice], "usage": usage}


def responses_answer(model: str, reply: Reply, asked: int, said: int, empty: bool) -> Json:
    content: Json = {"type": "output_text", "text": reply.text, "annotations": []}
    if reply.text is None:
        content = {"type": "refusal", "refusal": "I'm sorry, I can't help with that."}
    said_so = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "A thought."}]}
    status = FINISH["responses"].get(reply.finish, "incomplete")
    why = {"stop": None, "length": "max_output_tokens", "filter": "content_filter"}.get(reply.finish)
    usage = {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": CACHED},
        "output_tokens": said + THOUGHTS,
        "output_tokens_details": {"reasoning_tokens": THOUGHTS},
        "total_tokens": asked + said + THOUGHTS,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": CREATED,
        "model": model,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "temperature": 1.0,
        "top_p": 1.0,
        "output": [] if empty else [thought, said_so],
        "usage": usage,
    }


def anthropic_answer(model: str, reply: Reply, asked: int, said: int, empty: bool) -> Json:
    content = [{"type": "text", "text": reply.text}] if reply.text is not None and not empty else []
    stop = FINISH["anthropic"][reply.finish]
    usage = {
        "input_tokens": asked - CACHED,  # Anthropic counts what came from the cache apart
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": CACHED,
        "output_tokens": said + THOUGHTS,
    }
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
    return {**head, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def google_answer(model: str, reply: Reply, asked: int, said: int, empty: bool) -> Json:
    usage = {
        "promptTokenCount": asked,
        "cachedContentTokenCount": CACHED,
        "candidatesTokenCount": said,  # Google counts the thoughts apart
        "thoughtsTokenCount": THOUGHTS,
        "totalTokenCount": asked + said + THOUGHTS,
    }
    tail = {"usageMetadata": usage, "modelVersion": model, "responseId": "response-1"}
    if reply.finish == "filter":
        return {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, **tail}
    candidate: Json = {"index": 0, "finishReason": FINISH["google"][reply.finish]}
    if reply.text is not None:
        candidate["content"] = {"parts": [{"text": reply.text}], "role": "model"}
    return {"candidates": [] if empty else [candidate], **tail}


def error(api: str, name: str, key: str = "", message: str | None = None, delay_s: float | None = None) -> Json:
    """Return the body of an error, as the API would send it."""
    status, openai_type, openai_code, anthropic_type, google_status, usual = ERRORS[name]
    text = message or usual.format(key=key)
    if api in ("openai", "responses"):
        return {"error": {"message": text, "type": openai_type, "param": None, "code": openai_code}}
    if api == "anthropic":
        return {"type": "error", "error": {"type": anthropic_type, "message": text}, "request_id": "req_1"}
    about: Json = {"code": status, "message": text, "status": google_status}
    if delay_s is not None:
        about["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{delay_s:g}s"}]
    return {"error": about}
