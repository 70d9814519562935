"""Exchanges are exported whatever text is in them."""

import json

import pytest

from molt_bench.agents.llm.sending.http_record import Clean, HttpRecords
from molt_bench.agents.llm.types import Exchange
from molt_bench.errors import JournalError
from molt_bench.report.exports.whole_exchanges import whole_exchanges
from molt_bench.runs.exchange_file import ExchangeFile
from molt_bench.specs import GameLabel

GAME = GameLabel(1, "s", "AB")
BODIES = {
    "half a character": b'{"text": "\\ud83d"}',
    "half a character in a key": b'{"\\udc00": 1}',
    "bytes that are no text": b"\xff\xfe{",
    "a number that is none": b'{"logprob": NaN}',
    "an endless number": b'{"n": ' + b"9" * 5000 + b"}",
    "deep nesting": b"[" * 3000 + b"]" * 3000,
    "nothing": b"",
    "a control character": b'{"text": "\\u0000\\u2028"}',
}


def exported(folder, received, *, spoil=None):
    exchange = Exchange(
        key="k",
        participant="m",
        game=GAME,
        hand=1,
        decision=0,
        attempt=1,
        prompt_hash="p",
        mode="text",
        outcome="reply",
        text="said",
    )
    seen = Clean("2026-01-01T00:00:00Z", "http://127.0.0.1/v1", received, 200, received)
    wire = HttpRecords().pack("k", "m", GAME, seen)
    file = ExchangeFile(str(folder / "exchanges.jsonl"))
    file.begin({"m": "skill"}, {"m": "strict/2"})
    file.add(
        Exchange(**{name: getattr(exchange, name) for name in exchange.__struct_fields__ if name != "wire"}, wire=wire)
    )
    file.close()
    if spoil is not None:
        path = folder / "exchanges.jsonl"
        path.write_bytes(spoil(path.read_bytes()))
    return [*whole_exchanges(folder, lambda _: True)]


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_of_any_text_is_one_line_of_json(kind, tmp_path):
    (line,) = exported(tmp_path, BODIES[kind])
    found = json.loads(line.encode(), parse_constant=pytest.fail)
    assert line.count("\n") == 1
    if kind.startswith("half"):
        assert found["wire"]["received"] == json.loads(BODIES[kind])


def test_a_body_that_cannot_be_unpacked_is_named_by_its_line(tmp_path):
    def spoil(content):
        at = content.index(b'"packed":"') + len(b'"packed":"')
        return content[: at + 4] + b"AAAA" + content[at + 8 :]

    with pytest.raises(JournalError, match="line 2 is damaged"):
        exported(tmp_path, b'{"text": "well"}', spoil=spoil)
