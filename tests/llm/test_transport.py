"""HTTP: whole answers, however they are cut and framed, and nothing that only looks like one."""

import asyncio
import gzip
import json
import zlib

import httpx2
import pytest

from molt_bench.llm.after_failure import RequestFailed
from molt_bench.llm.client import ModelClient
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.transport import CALL, Call, Transport
from molt_bench.llm.types import Said
from tests.llm import wire
from tests.llm.playing import passive, run
from tests.llm.provider import Provider
from tests.llm.proxy import Proxy

PROMPT = (Said("system", "system"), Said("user", "message hi"))
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"


class Script:
    """A server that says the same to every request, in pieces, and then closes the connection or not."""

    def __init__(self, *pieces, close=False, pause_s=0.0):
        self.pieces, self.close, self.pause_s = pieces, close, pause_s
        self.connections = 0

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_):
        self.server.close()

    async def _talk(self, reader, writer):
        self.connections += 1
        try:
            while True:
                await reader.readuntil(b"hi")
                for piece in self.pieces:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(self.pause_s)
                if self.close:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


def answers(*pieces, times=1, keep_alive=True, **how):
    """Return what a client reads of a script, for each of so many requests, and how many connections it took."""

    async def read():
        script, transport, found = Script(*pieces, **how), Transport(keep_alive=keep_alive), []
        async with script as url, httpx2.AsyncClient(transport=transport, trust_env=False) as http:
            for _ in range(times):
                call = Call(20)
                CALL.set(call)
                async with call.clock:
                    found.append(await http.post(url, content=b"hi"))
                assert call.sent
                assert call.answering
            return found, script.connections

    return asyncio.run(asyncio.wait_for(read(), 20))


@pytest.mark.parametrize(
    "message",
    [
        PLAIN,
        PLAIN.replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 200"),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + PLAIN,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;name=x\r\nllo\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: CHUNKED\r\n\r\n05\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
    ],
)
def test_an_answer_is_read_at_once_or_byte_by_byte_over_one_connection(message):
    found, connections = answers(message, times=2)
    assert ([each.content for each in found], connections) == ([b"hello"] * 2, 1)
    found, connections = answers(*[message[place : place + 1] for place in range(len(message))], times=2)
    assert ([each.content for each in found], connections) == ([b"hello"] * 2, 1)


@pytest.mark.parametrize(
    ("message", "how"),
    [
        (PLAIN.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), {}),
        (PLAIN.replace(b"HTTP/1.1", b"HTTP/1.0"), {}),
        (PLAIN, {"keep_alive": False}),
        (PLAIN, {"close": True}),
    ],
)
def test_a_connection_that_is_done_with_is_not_used_again(message, how):
    found, connections = answers(message, times=2, **how)
    assert ([each.content for each in found], connections) == ([b"hello"] * 2, 2)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ],
)
def test_what_is_no_whole_answer_is_an_error(message):
    with pytest.raises(httpx2.ReadError):
        answers(message, close=True)


def asked(*pieces, timeout_s=10, **how):
    """Return what a client makes of a server that says this."""

    async def ask():
        async with Script(*pieces, **how) as url:
            settings = LLMSettings(model="openai:m", base_url=f"{url}/v1")
            client = ModelClient(settings)
            try:
                return await client.ask(PROMPT, timeout_s=timeout_s)
            finally:
                await client.close()

    return asyncio.run(ask())


def framed(body, *headers, status="200 OK"):
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", f"content-length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def completion(**changes):
    reply = wire.Reply('{"kind": "fold"}')
    return json.dumps({**wire.openai_answer("m", reply, 30, 5, empty=False), **changes}).encode()


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_compressed_answer_is_read(encoding, pack):
    answer = asked(framed(pack(completion()), f"content-encoding: {encoding}"))
    assert (answer.text, answer.finish, answer.tokens.input) == ('{"kind": "fold"}', "stop", 30)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("br", b"\x1b\x00"), ("gzip", b"no gzip"), ("gzip", gzip.compress(b"0" * 100_000_000)), ("", b"0" * 70_000_000)],
)
def test_what_cannot_be_unpacked_or_never_ends_is_no_answer(encoding, body):
    with pytest.raises(httpx2.ReadError, match="the answer"):
        answers(framed(body, *([f"content-encoding: {encoding}"] if encoding else [])))


@pytest.mark.parametrize("changes", [{"choices": []}, {"choices": None}, {"object": "list"}, {"model": None}])
def test_an_answer_that_the_library_does_not_take_is_not_taken(changes):
    with pytest.raises(RequestFailed) as caught:
        asked(framed(completion(**changes)))
    assert (caught.value.trouble, caught.value.may_cost) == ("transport", True)


def test_a_redirection_is_not_followed():
    moved = framed(b"{}", "location: http://127.0.0.1:9/elsewhere", status="307 Temporary Redirect")
    with pytest.raises(RequestFailed, match="307"):
        asked(moved)


def failure(url, monkeypatch, *, key):
    """Return why a server cannot be asked."""
    monkeypatch.setenv("THE_KEY", key)

    async def ask():
        client = ModelClient(LLMSettings(model="openai:m", base_url=url, api_key_env="THE_KEY"))
        try:
            await client.ask(PROMPT, timeout_s=10)
        finally:
            await client.close()

    with pytest.raises(RequestFailed) as caught:
        asyncio.run(ask())
    return caught.value


KEY = "sk-a-secret-That-no-error-shows-0123456789"


@pytest.mark.parametrize(
    "message",
    [
        framed(f'{{"choices": "{KEY}"}}'.encode()),
        framed(b"{}", f"x: \0{KEY}"),
        f"{KEY[:20]} is half of a key\r\n\r\n".encode(),
        b"HTTP/1.1 200 OK\r\nx: " + b"x" * 80 + KEY.encode() * 1000,
    ],
)
def test_no_part_of_a_key_is_told_of_an_answer_that_cannot_be_read(message, monkeypatch):
    async def ask():
        async with Script(message, close=True) as url:
            return await asyncio.to_thread(failure, f"{url}/v1", monkeypatch, key=KEY)

    told = str(asyncio.run(ask()))
    assert "the answer" in told
    assert KEY[:10].lower() not in told.lower()


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 407 hi hush-hush\r\n\r\n", b"HTTP/1.1 502 Bad\r\n\r\n", b"hush-hush\r\n\r\n"]
)
def test_the_password_of_a_proxy_is_not_told(answer, monkeypatch):
    async def talk(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async def ask():
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        monkeypatch.setenv("https_proxy", f"http://me:hush-hush@127.0.0.1:{server.sockets[0].getsockname()[1]}")
        monkeypatch.setenv("no_proxy", "")
        async with server:
            return await asyncio.to_thread(failure, "https://127.0.0.1:9/v1", monkeypatch, key=KEY)

    told = asyncio.run(ask())
    assert (told.trouble, told.may_cost) == ("transport", False)
    assert "hush" not in str(told)


@pytest.mark.parametrize(
    "proxy", ["socks5://me:hush-hush@127.0.0.1:9", "http://me:hush-hush@127.0.0.1:99999", "http://me:hush-hush@[::1:9"]
)
def test_a_proxy_that_cannot_be_used_is_told_without_its_password(proxy, monkeypatch):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("no_proxy", "")
    told = failure("http://127.0.0.1:9/v1", monkeypatch, key=KEY)
    assert not told.may_cost
    assert "proxy" in str(told)
    assert "hush" not in str(told)


def test_the_address_of_a_proxy_need_not_say_http(monkeypatch):
    with Provider(policy=passive) as provider, Proxy() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removeprefix("http://"))
        monkeypatch.setenv("no_proxy", "")
        run(provider, game={"handsPerGame": 1})
        assert len(proxy.asked) >= len(provider.requests) > 0


@pytest.mark.parametrize(
    "message",
    [
        {"content": "x", "reasoning_content": "I think."},
        {"content": "x", "reasoning": "I think."},
        {"content": "<think>I think.</think>x"},
    ],
)
def test_thoughts_are_kept_apart_from_what_is_said(message):
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    answer = asked(framed(completion(choices=[choice])))
    assert (answer.thoughts, answer.text) == ("I think.", "x")


def test_what_an_answer_states_of_its_server_and_its_bill_is_kept():
    usage = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35, "cost": 0.0125}
    stated = {"system_fingerprint": "fp_1", "provider": "Upstream", "service_tier": "flex", "usage": usage}
    answer = asked(framed(completion(**stated)))
    assert (answer.fingerprint, answer.upstream, answer.tier) == ("fp_1", "Upstream", "flex")
    assert (answer.billed_usd, answer.response_id, answer.tokens.total) == (0.0125, "chatcmpl-1", 35)


@pytest.mark.parametrize("cost", [-1, True, "1", float("inf")])
def test_what_is_no_number_of_dollars_is_no_bill(cost):
    usage = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35, "cost": cost}
    assert asked(framed(completion(usage=usage))).billed_usd is None


def test_a_conversation_is_sent_in_its_order():
    said = tuple(map(Said, ("system", "user", "assistant", "user"), ("Be brief.", "One?", "Two.", "Three?")))

    async def ask(url):
        client = ModelClient(LLMSettings(model="openai:m", base_url=url))
        try:
            return await client.ask(said, timeout_s=30)
        finally:
            await client.close()

    with Provider(policy=lambda *_: "ok") as provider:
        assert asyncio.run(ask(provider.url)).text == "ok"
        (request,) = provider.requests
    assert [(each["role"], each["content"]) for each in request.body["messages"]] == [
        (each.role, each.text) for each in said
    ]


def test_a_server_that_stays_silent_is_given_up_in_time_and_may_bill_it():
    with pytest.raises(RequestFailed, match=r"no answer within 0\.3 s") as caught:
        asked(timeout_s=0.3)
    assert (caught.value.trouble, caught.value.may_cost) == ("hung", True)


def test_the_time_to_connect_is_not_the_models():
    async def main():
        call = Call(0.05)
        async with call.clock:
            call.connecting()
            await asyncio.sleep(0.3)
            assert not call.sent
            call.was_sent()
        return call.sent

    assert asyncio.run(main())
