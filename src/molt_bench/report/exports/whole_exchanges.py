"""Whole exchanges: every question to a model and its answer, with the bodies that went over the wire, unpacked."""

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from molt_bench.agents.llm.providers.table import thoughts_of
from molt_bench.agents.llm.types import Exchange, HttpRecord, PackedBody
from molt_bench.errors import JournalError
from molt_bench.runs.exchange_file import read_exchange
from molt_bench.runs.folder import EXCHANGES
from molt_bench.runs.line_file import whole_lines


def whole_exchanges(folder: Path, wanted: Callable[[Exchange], bool]) -> Iterator[str]:
    """Return the exchanges of a run as JSON lines; raises JournalError if one cannot be read.

    The bodies are JSON objects where they are JSON, texts otherwise.
    """
    path = folder / EXCHANGES
    if not path.exists():
        return
    requests: dict[tuple[Any, ...], tuple[str, bytes]] = {}
    for number, text in enumerate(whole_lines(str(path))[0], start=1):
        line = read_exchange(text, f"{path} line {number}")
        if not isinstance(line, Exchange):
            continue
        plain = msgspec.to_builtins(msgspec.structs.replace(line, wire=UNSET))
        if line.wire is not UNSET:
            place = line.game, line.participant
            base, before = requests.get(place, ("", b""))
            if line.wire.sent.base not in (UNSET, base):
                raise JournalError(f"{path} line {number} is based on a request that does not precede it")
            try:
                sent = line.wire.sent.read(before)
                plain["wire"] = _wire(line.wire, sent)
            except (ValueError, EOFError, zlib.error) as error:
                raise JournalError(f"{path} line {number} is damaged: {error}") from error
            requests[place] = line.key, sent
        if wanted(line):
            yield _line(plain)


def _wire(wire: HttpRecord, sent: bytes) -> dict[str, Any]:
    received = wire.received
    return {
        **msgspec.to_builtins(msgspec.structs.replace(wire, sent=PackedBody(), received=UNSET)),
        "sent": _plain(sent),
        **({"sentCut": True} if wire.sent.cut else {}),
        **({"received": _plain(received.read())} if received else {}),
        **({"receivedCut": True} if received and received.cut else {}),
        "trace": thoughts_of(wire),
    }


def _line(plain: dict[str, Any]) -> str:
    """Return a line of JSON: as it reads, unless it has halves of characters, which no file holds: they are escaped."""
    text = json.dumps(plain, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(plain)
    return f"{text}\n"


def _plain(body: bytes) -> Any:
    """Return a body as JSON, where it is JSON that can be written again, and otherwise as text."""
    try:
        found = json.loads(body, parse_constant=_no_constant)
        json.dumps(found)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
