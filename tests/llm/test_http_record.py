"""The wire: bodies as they were sent and received, without keys, in little space."""

import gzip
import json
import zlib
from base64 import b64decode
from hashlib import sha256

import msgspec
import pytest

from molt_bench.llm.exchanges import Exchanges
from molt_bench.llm.providers.table import thoughts_of
from molt_bench.llm.sending.http_record import MOST_BYTES, Clean, HttpRecords, Seen
from molt_bench.llm.sending.redaction import Keys
from molt_bench.llm.types import HttpRecord, PackedBody
from molt_bench.specs import GameLabel
from tests.llm import http1, provider, wire
from tests.llm.playing import MODELS, passive, run
from tests.llm.provider import Provider

GAME = GameLabel(1, "s", "AB")
KEY = "sk-a-secret/key+that-is-long"


class Kept(Exchanges):
    """Keeps every exchange, in order."""

    def __init__(self):
        super().__init__()
        self.all = []

    def add(self, exchange):
        super().add(exchange)
        self.all.append(exchange)

    def bodies(self):
        """Return the bodies of all requests and responses in games, unpacked."""
        before, found = {}, []
        for each in self.all:
            base, body = before.get((each.game, each.participant), ("", b""))
            assert not each.wire.sent.base or each.wire.sent.base == base
            sent = each.wire.sent.read(body)
            before[each.game, each.participant] = each.key, sent
            if each.game.match:
                found.append((json.loads(sent), each.wire.received.read()))
        return found


@pytest.mark.parametrize("api", MODELS)
@pytest.mark.parametrize("settings", [{}, {"extraBody": {"mine": [1, "ä"]}}])
def test_bodies_are_kept_as_they_were_sent_with_what_libraries_add(api, settings):
    if api == "google" and "extraBody" in settings:
        pytest.skip("Google's library takes no other fields")
    kept = Kept()
    with Provider(policy=passive) as server:
        run(server, api=api, recorder=kept, **settings)
        asked = [request.body for request in server.requests]
    found = kept.bodies()
    assert [sent for sent, _ in found] == asked
    assert all(msgspec.json.decode(received) for _, received in found)
    last = kept.all[-1].wire
    assert last.status == 200
    assert last.url.startswith("http://127.0.0.1:")
    assert last.at.endswith("Z")
    assert last.response_id in ("chatcmpl-1", "msg_1", "response-1")


@pytest.mark.parametrize("api", MODELS)
def test_what_servers_say_about_themselves_is_kept_in_clear(api, monkeypatch):
    answer = wire.answer

    def telling(*arguments, **options):
        return {**answer(*arguments, **options), "system_fingerprint": "fp_1"}

    monkeypatch.setattr(wire, "answer", telling)
    kept = Kept()
    with Provider(policy=passive) as server:
        run(server, api=api, recorder=kept)
    assert {each.wire.fingerprint for each in kept.all[1:]} == {"fp_1"}


def test_a_request_without_an_answer_is_kept_as_well():
    kept, asked = Kept(), []

    def never(request):
        """Leave the first question without an answer whenever it is asked, and answer all others."""
        asked.append(wire.prompt_of("openai", request.body))
        return "hang" if asked[-1] == asked[0] else None

    with Provider(policy=passive, fault=never) as server:
        game = {"actionTimeoutS": 0.5, "handsPerGame": 1}
        run(server, recorder=kept, games_at_once=2, llm={"transportRetries": 0}, game=game)
    late = next(each for each in kept.all if each.outcome == "timeout")
    assert late.wire.status == 0
    assert not late.wire.received
    assert b"Legal actions" in late.wire.sent.read()


@pytest.mark.parametrize("fault", ["echo-key", "surrogate", "giant-junk", "cut-reply"])
def test_a_key_is_in_no_body(fault, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    kept = Kept()
    with Provider(policy=passive, fault=[fault] * 3) as server:
        run(server, recorder=kept, apiKeyEnv="MY_KEY", extraBody={"note": KEY}, game={"handsPerGame": 1})
        assert server.requests[0].body["note"] == KEY
    for sent, received in kept.bodies():
        assert sent["note"] == "[key]"
        assert KEY.encode() not in received
        assert KEY not in json.dumps(json.loads(received)) if len(received) < MOST_BYTES else True


def captured(body, *, key=KEY):
    seen = Seen()
    seen.sending(f"http://x/v1?key={KEY}", b"{}")
    seen.answered(200, body)
    return seen.without(Keys([key]))


@pytest.mark.parametrize(
    "written", [KEY, KEY.replace("/", "\\/"), "".join(f"\\u{ord(each):04x}" for each in KEY), f"\\n{KEY}"]
)
def test_a_key_is_found_however_json_writes_it(written):
    seen = captured(f'{{"a": ["said {written}", 1]}}'.encode())
    assert json.loads(seen.received)["a"][0].strip().endswith("[key]")
    assert KEY not in seen.url


ODD_KEYS = [KEY, 'a "quoted" key', "back\\slashes", "schlüssel-mit-umlaut", "one\ttab-in-it"]


@pytest.mark.parametrize("key", ODD_KEYS)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_key_of_any_characters_is_found(key, ascii_only):
    body = json.dumps({"said": f"… {key} …"}, ensure_ascii=ascii_only).encode()
    assert json.loads(captured(body, key=key).received) == {"said": "… [key] …"}


@pytest.mark.parametrize("body", [b"", b"\xff\xfe no text", "… \\u0041 …".encode(), b'{"a": "\\ud800 half"}'])
def test_a_body_without_a_key_stays_as_it_is(body):
    assert captured(body).received == body.decode("utf-8", "replace").encode()


def test_a_key_at_the_end_of_what_is_kept_is_found():
    seen = captured(b"x" * (MOST_BYTES - 10) + KEY.encode() + b"y" * 10_000)
    kept = HttpRecords().pack("k", "m", GAME, seen).received
    assert kept.cut
    assert len(kept.read()) == MOST_BYTES
    assert KEY[:10].encode() not in kept.read()


def test_a_gzipped_answer_over_http_is_kept_and_played(monkeypatch):
    plain = http1.response

    def zipped(status, body, *, kind="application/json", headers=None):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return plain(status, gzip.compress(raw), kind=kind, headers={**(headers or {}), "Content-Encoding": "gzip"})

    monkeypatch.setattr(provider, "response", zipped)
    kept = Kept()
    with Provider(policy=passive) as server:
        run(server, recorder=kept)
        # A server may compress its answer although nobody asked it to.
        assert server.requests[0].headers["accept-encoding"] == "identity"
    assert all(json.loads(received)["choices"] for _, received in kept.bodies())


def seen_body(body):
    return Clean("now", "http://x", body, 200, b"{}")


def test_only_what_is_new_in_a_request_is_kept():
    log, bodies, packed = HttpRecords(), [], []
    text = b'{"messages": ["'
    for number in range(200):
        text += sha256(b"%d" % number).hexdigest().encode() * 3
        bodies.append(text + b'"], "model": "m"}')
        packed.append(log.pack(f"k{number}", "m", GAME, seen_body(bodies[-1])).sent)
    read = b""
    for number, (body, sent) in enumerate(zip(bodies, packed, strict=True)):
        assert sent.base == (f"k{number - 1}" if number else msgspec.UNSET)
        read = sent.read(read)
        assert read == body
    assert sum(len(sent.packed) for sent in packed) < 1.5 * len(bodies[-1])
    log.forget(GAME)
    assert log.pack("again", "m", GAME, seen_body(bodies[-1])).sent.base is msgspec.UNSET


@pytest.mark.parametrize(
    ("one", "two"), [(b"", b"abc"), (b"abc", b""), (b"aaa", b"aa"), (b"aa", b"aaaa"), (b"abcabc", b"abc"), (b"x", b"x")]
)
def test_beginning_and_end_never_overlap(one, two):
    log = HttpRecords()
    first, second = (log.pack(key, "m", GAME, seen_body(body)).sent for key, body in (("1", one), ("2", two)))
    assert first.read() == one
    assert second.read(one) == two


def test_a_request_that_is_too_long_is_cut_and_nothing_is_based_on_it():
    log = HttpRecords()
    huge = b"".join(sha256(b"%d" % number).digest() for number in range(MOST_BYTES // 32 + 100))
    first = log.pack("1", "m", GAME, seen_body(huge)).sent
    assert first.cut
    assert first.read() == huge[:MOST_BYTES]
    assert log.pack("2", "m", GAME, seen_body(huge[:100])).sent.base is msgspec.UNSET


def received(body):
    kept = HttpRecords().pack("k", "m", GAME, Clean("", "", b"", 200, body)).received
    return HttpRecord("now", "http://x", PackedBody(), 200, kept)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "x", "reasoning_content": "I think."}}]},
        {"choices": [{"message": {"content": "x", "reasoning": "I think."}}]},
        {"choices": [{"message": {"reasoning": "I think.", "reasoning_details": [{"text": "I think."}]}}]},
        {"choices": [{"message": {"content": [{"type": "thinking", "thinking": [{"text": "I think."}]}]}}]},
        {"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "I think."}]}]},
        {"content": [{"type": "thinking", "thinking": "I think.", "signature": "s"}, {"type": "text", "text": "x"}]},
        {"candidates": [{"content": {"parts": [{"text": "I think.", "thought": True}, {"text": "x"}]}}]},
    ],
)
def test_thoughts_are_found_in_every_protocol(body):
    assert thoughts_of(received(json.dumps(body).encode())) == "I think."


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"choices": null}', b'{"choices": [null, {"message": 1}], "content": "x", "output": {}}'],
)
def test_without_thoughts_there_is_no_trace(body):
    assert thoughts_of(received(body)) is None
    packed = received(b"{}").received.packed
    assert zlib.decompress(b64decode(packed)) == b"{}"
