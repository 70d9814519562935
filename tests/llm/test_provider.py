"""The test provider does what it says: three formats, a policy, faults, counters, and a clean end."""

import asyncio
import contextlib
import email.utils
import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from tests.llm import provider as provider_module
from tests.llm import wire
from tests.llm.provider import FAULTS, Provider

pytestmark = pytest.mark.slow  # it is a part of the tests itself

KEY = "sk-very-secret-1234"
PROMPT = "You hold As Kd.\nLegal actions: fold, call (300), raiseTo 600..9000\nYour move?"
APIS = ("openai", "anthropic", "google")
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages", "google": "/v1/models/m:generateContent"}
KEYS = {
    "openai": ("Authorization", f"Bearer {KEY}"),
    "anthropic": ("x-api-key", KEY),
    "google": ("x-goog-api-key", KEY),
}
LEGAL = (
    "fold, check",
    "fold, call (300)",
    "fold, check, raiseTo 200..10000",
    "fold, call (300), raiseTo 600..9000",
    "fold, call (300), raiseTo 9000 (all-in)",
)
GOOD = wire.default_policy(PROMPT, {})


def body_of(api, prompt=PROMPT, **more):
    if api == "google":
        return {"contents": [{"role": "user", "parts": [{"text": prompt}]}], **more}
    return {"model": "m", "messages": [{"role": "user", "content": prompt}], **more}


def connect(provider, timeout=60.0):
    return contextlib.closing(http.client.HTTPConnection(urlsplit(provider.url).netloc, timeout=timeout))


def send(connection, api, body):
    connection.request("POST", PATHS[api], json.dumps(body), dict([KEYS[api], ("Content-Type", "application/json")]))


def ask(provider, api, body=None):
    """Return the response and its raw body."""
    with connect(provider) as connection:
        send(connection, api, body or body_of(api))
        response = connection.getresponse()
        return response, response.read()


def said(api, answer):
    """Return the text of an answer and why it ended."""
    if api == "openai":
        return answer["choices"][0]["message"]["content"], answer["choices"][0]["finish_reason"]
    if api == "anthropic":
        return answer["content"][0]["text"], answer["stop_reason"]
    return answer["candidates"][0]["content"]["parts"][0]["text"], answer["candidates"][0]["finishReason"]


def soon(condition):
    """Wait until a condition holds, up to two seconds."""
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("api", APIS)
def test_each_api_answers_with_text_usage_and_the_model(api):
    with Provider() as provider:
        response, raw = ask(provider, api)
        answer = json.loads(raw)
        (request,) = provider.requests
    assert response.status == 200
    assert answer["modelVersion" if api == "google" else "model"] == "m-2026"
    text, finish = said(api, answer)
    assert (json.loads(text), finish) == (GOOD, {"openai": "stop", "anthropic": "end_turn", "google": "STOP"}[api])
    asked, spoken = wire.tokens(PROMPT) + wire.CACHED, wire.tokens(text)
    assert usage_of(api, answer) == (asked, wire.CACHED, spoken + wire.THOUGHTS)
    assert (request.number, request.path, request.api, request.fault) == (1, PATHS[api], api, None)
    assert (request.body, request.headers[KEYS[api][0].lower()]) == (body_of(api), KEYS[api][1])
    assert request.answered
    assert request.start <= request.end


def usage_of(api, answer):
    """Return the tokens asked, those of them from the cache, and the tokens said, thoughts included."""
    if api == "openai":
        usage = answer["usage"]
        return usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"], usage["completion_tokens"]
    if api == "anthropic":
        usage = answer["usage"]
        cached = usage["cache_read_input_tokens"]
        return usage["input_tokens"] + cached, cached, usage["output_tokens"]
    usage = answer["usageMetadata"]
    spoken = usage["candidatesTokenCount"] + usage["thoughtsTokenCount"]
    assert usage["totalTokenCount"] == usage["promptTokenCount"] + spoken
    return usage["promptTokenCount"], usage["cachedContentTokenCount"], spoken


@pytest.mark.parametrize("legal", LEGAL)
def test_the_policy_is_legal_and_keeps_its_odds(legal):
    moves = [wire.default_policy(f"Hand {n}\nLegal actions: {legal}\n", {}) for n in range(2000)]
    share = {kind: sum(move["kind"] == kind for move in moves) / 2000 for kind in ("fold", "check", "call", "raiseTo")}
    raises, to_call = "raiseTo" in legal, "call" in legal
    assert share["fold"] == pytest.approx(0.15 * to_call, abs=0.03)
    assert share["raiseTo"] == pytest.approx(0.15 * raises, abs=0.03)
    assert share["check" if to_call else "call"] == 0
    smallest = {"fold, check, raiseTo 200..10000": 200, "fold, call (300), raiseTo 600..9000": 600}.get(legal, 9000)
    assert {move["amount"] for move in moves} == ({None, smallest} if raises else {None})


def test_the_policy_sees_the_last_user_message_and_may_send_any_text():
    seen = []

    def policy(prompt, body):
        seen.append((prompt, body["model"]))
        return "verbatim {"

    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    messages = [{"role": role, "content": role} for role in ("system", "user", "assistant")]
    messages.append({"role": "user", "content": parts})
    with Provider(policy=policy) as provider:
        raw = ask(provider, "openai", {"model": "m", "messages": messages})[1]
    assert seen == [("one\ntwo", "m")]
    assert said("openai", json.loads(raw)) == ("verbatim {", "stop")


def test_a_policy_that_fails_is_told_to_the_client_and_to_the_test():
    def one_request():
        with Provider() as provider:
            response, raw = ask(provider, "openai", body_of("openai", "no such line"))
            assert (response.status, b"neither what is legal" in raw) == (400, True)

    with pytest.raises(ValueError, match="neither what is legal"):
        one_request()


ERROR_STATUS = {name: int(name[:3]) for name in FAULTS if name[0].isdigit()}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", ERROR_STATUS)
def test_error_faults(api, fault):
    with Provider(fault=[fault], retry_after=7) as provider:
        response, raw = ask(provider, api, body_of(api))
        assert ask(provider, api)[0].status == 200
        assert [request.fault for request in provider.requests] == [fault, None]
    error = json.loads(raw)["error"]
    assert response.status == ERROR_STATUS[fault]
    assert set(error) >= {"openai": {"message", "type", "param", "code"}, "anthropic": {"type", "message"}}.get(
        api, {"code", "message", "status"}
    )
    assert (KEY in error["message"]) == (fault == "401")
    assert ("insufficient_quota" in raw.decode()) == (fault == "429-quota")
    after = response.headers["Retry-After"]
    assert response.headers["retry-after-ms"] == ("7000" if fault == "429-after-ms" else None)
    if fault == "429-date":
        wait = email.utils.parsedate_to_datetime(after) - datetime.now(UTC)
        assert timedelta(seconds=5) < wait < timedelta(seconds=9)
    else:
        assert after == ("7" if fault in ("429-after", "503-after") else None)


@pytest.mark.parametrize("api", APIS)
def test_connection_faults(api):
    with Provider(fault=["reset", "reset-midway", "hang", "drip"]) as provider:
        with pytest.raises(ConnectionResetError):
            ask(provider, api)
        with connect(provider) as connection:
            send(connection, api, body_of(api))
            response = connection.getresponse()
            whole = response.length
            assert len(response.read(whole // 2)) == whole // 2
            with pytest.raises(ConnectionResetError):
                response.read()
            response.close()
        with connect(provider, timeout=0.2) as connection:
            send(connection, api, body_of(api))
            with pytest.raises(TimeoutError):
                connection.getresponse()
            assert soon(lambda: provider.in_flight == 1)
        assert soon(lambda: provider.in_flight == 0)
        with connect(provider) as connection:
            send(connection, api, body_of(api))
            with connection.getresponse() as response:
                connection.sock.settimeout(0.2)
                with pytest.raises(TimeoutError):
                    response.read()
        assert soon(lambda: provider.in_flight == 0)
        assert [(request.fault, request.answered) for request in provider.requests] == [
            *(("reset", False), ("reset-midway", False), ("hang", False), ("drip", False))
        ]
        assert provider.answered == 0


def test_drip_sends_a_byte_at_a_time(monkeypatch):
    monkeypatch.setattr("tests.llm.http1.DRIP_S", 0.0005)
    with Provider(fault=["drip"]) as provider:
        _, raw = ask(provider, "openai")
        assert json.loads(said("openai", json.loads(raw))[0]) == GOOD
        assert provider.requests[0].answered


@pytest.mark.parametrize("api", APIS)
def test_body_faults(api):
    faults = ["empty-body", "html", "cut-json", "wrong-body", "no-choices"]
    with Provider(fault=faults) as provider:
        answers = {fault: ask(provider, api) for fault in faults}
        assert provider.answered == len(faults)
    assert {response.status for response, _ in answers.values()} == {200}
    raw = {fault: body for fault, (_, body) in answers.items()}
    assert (raw["empty-body"], answers["empty-body"][0].headers["Content-Length"]) == (b"", "0")
    assert (raw["html"][:5], answers["html"][0].headers.get_content_type()) == (b"<!DOC", "text/html")
    with pytest.raises(json.JSONDecodeError):
        json.loads(raw["cut-json"])
    assert json.loads(raw["wrong-body"]) == {"hello": "world"}
    assert json.loads(raw["no-choices"])[{"openai": "choices", "google": "candidates"}.get(api, "content")] == []


@pytest.mark.parametrize("api", APIS)
def test_reply_faults(api):
    def reply(fault):
        with Provider(fault=[fault]) as provider:
            return said(api, json.loads(ask(provider, api)[1]))

    stop, length = wire.FINISH[api]["stop"], wire.FINISH[api]["length"]
    text = json.dumps(GOOD)
    assert reply("empty-reply") == ("", stop)
    assert reply("cut-reply") == (text[: len(text) // 2], length)
    assert reply("cut-reply-stop") == (text[: len(text) // 2], stop)
    assert text in reply("prose")[0][1:-1]
    assert "{" not in reply("prose-only")[0]
    assert json.loads(reply("wrong-schema")[0]) == {"action": "raise", "size": "big"}
    assert json.loads(reply("illegal")[0]) == {**GOOD, "kind": "raiseTo", "amount": 1}
    giant = json.loads(reply("giant")[0])
    assert (len(giant["reasoning"]), giant["kind"]) == (5_000_000, GOOD["kind"])
    assert reply("giant-junk") == ("x" * 5_000_000, stop)
    two, _ = reply("two-objects")
    first, end = json.JSONDecoder().raw_decode(two)
    assert (first["kind"], two.endswith(text)) == ("fold", True)
    assert two[end : -len(text)].strip().isprintable()
    assert KEY in json.loads(reply("echo-key")[0])["reasoning"]


def test_refusals():
    with Provider(fault=["refusal", "content-filter"] * 3) as provider:
        answers = {(api, n): json.loads(ask(provider, api)[1]) for api in APIS for n in (0, 1)}
    refused, filtered = (answers["openai", n]["choices"][0] for n in (0, 1))
    assert (refused["message"]["content"], bool(refused["message"]["refusal"])) == (None, True)
    assert (filtered["finish_reason"], filtered["message"]["refusal"]) == ("content_filter", None)
    for n in (0, 1):
        assert (answers["anthropic", n]["stop_reason"], answers["anthropic", n]["content"]) == ("refusal", [])
    assert answers["google", 0]["candidates"] == [{"index": 0, "finishReason": "SAFETY"}]
    assert answers["google", 1]["promptFeedback"]["blockReason"]
    assert "candidates" not in answers["google", 1]


@pytest.mark.parametrize("api", APIS)
def test_every_fault_goes_over_one_connection(api):
    slow = {"hang", "drip", "reset", "reset-midway"}
    unknown = set() if "error" in wire.FINISH[api] else {"finish-error"}
    faults = [fault for fault in FAULTS if fault not in slow | unknown]
    with Provider(fault=faults) as provider, connect(provider) as connection:
        for _ in faults:
            send(connection, api, body_of(api))
            connection.getresponse().read()
        assert provider.answered == len(faults)


def test_concurrent_requests_overlap():
    async def one(address, request):
        reader, writer = await asyncio.open_connection(*address)
        for _ in range(2):  # keep-alive
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            await reader.readexactly(int(head.partition(b"Content-Length: ")[2].split()[0]))
        writer.close()
        await writer.wait_closed()

    async def all_of(address, request):
        await asyncio.gather(*(one(address, request) for _ in range(200)))

    raw = json.dumps(body_of("openai")).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (len(raw), raw)
    start = time.monotonic()
    with Provider(latency_s=0.2, keep_requests=False) as provider:
        where = urlsplit(provider.url)
        asyncio.run(all_of((where.hostname, where.port), request))
        assert (provider.received, provider.answered, provider.in_flight) == (400, 400, 0)
        assert 50 < provider.most_in_flight <= 200
        assert provider.requests == []
    assert 0.4 <= time.monotonic() - start < 60, "one after the other they take 80 s"


def test_latency_may_depend_on_the_number():
    with Provider(latency_s=lambda number: 1.0 if number == 2 else 0.0) as provider:
        for _ in range(3):
            ask(provider, "openai")
        took = [request.end - request.start for request in provider.requests]
    assert took[1] >= 1.0 > min(took[0], took[2])


def test_a_client_that_left_early_was_not_answered():
    with Provider(latency_s=lambda number: 30.0 if number == 1 else 0.0) as provider:
        with connect(provider) as connection:
            send(connection, "openai", body_of("openai"))
            assert soon(lambda: provider.in_flight == 1)
        assert soon(lambda: provider.in_flight == 0)  # long before the latency is over
        ask(provider, "openai")
        assert [request.answered for request in provider.requests] == [False, True]
        assert (provider.received, provider.answered, provider.most_in_flight) == (2, 1, 1)


def test_a_client_killed_in_on_request_was_not_answered():
    killed = []

    def kill(_):
        killed.append((client.kill(), client.wait(timeout=60)))

    with Provider(on_request=kill) as provider:
        url, data = f"{provider.url}/chat/completions", json.dumps(body_of("openai")).encode()
        code = f"import urllib.request; urllib.request.urlopen({url!r}, {data!r})"
        client = subprocess.Popen([sys.executable, "-c", code])
        assert soon(lambda: len(killed) == 1 and provider.in_flight == 0)
        assert killed == [(None, -signal.SIGKILL)]
        assert [request.answered for request in provider.requests] == [False]


def test_it_ends_quickly_with_connections_in_every_state():
    with contextlib.ExitStack() as stack:
        with Provider(fault=["hang", "drip", None], latency_s=60) as provider:
            where = urlsplit(provider.url)
            stack.enter_context(socket.create_connection((where.hostname, where.port)))
            for _ in range(3):
                send(stack.enter_context(connect(provider)), "openai", body_of("openai"))
            assert soon(lambda: provider.in_flight == 3)
            end = time.monotonic()
        assert time.monotonic() - end < 30, "the answers take 60 s"
        assert (provider.answered, provider.in_flight) == (0, 0)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((where.hostname, where.port))


def test_as_a_program(tmp_path):
    command = [sys.executable, provider_module.__file__, "--latency", "0.05", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as program:
        url = json.loads(program.stdout.readline())["url"]
        with contextlib.closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
            send(connection, "google", body_of("google"))
            connection.getresponse().read()
            connection.request("GET", "/v1/stats")
            stats = json.loads(connection.getresponse().read())
            connection.request("GET", "/v1/nothing")
            assert connection.getresponse().status == 404
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=60) == 0
    assert stats.pop("cpuSeconds") > 0
    assert stats == {"requests": 1, "answered": 1, "mostInFlight": 1}
