"""Looks for a text in all that models said, in a process of its own.

A regular expression can take forever, and while Python looks for one, nothing else runs in that process. So whoever
started this one ends it when its time is up. It starts often, so it imports little.
"""

import re
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final, TypeAlias

import msgspec

from molt_bench.errors import AgentFailed
from molt_bench.llm import reply

#: Characters around a hit, and of the hit itself, that are shown.
_AROUND: Final = 80
_LONGEST_HIT: Final = 200
#: Texts that JSON always writes as they are, unless it writes a character by its number.
_PLAIN: Final = re.compile(r"[a-z0-9 ,.'!?:;()_+%$#=*@~^|-]+")
#: How the line of a model begins.
_SAID: Final = re.compile(rb'{\s*"line"\s*:\s*"exchange"')
#: Where a text was found: start and end.
_Found: TypeAlias = tuple[int, int]
_Finder: TypeAlias = Callable[[str], _Found | None]


class Task(msgspec.Struct):
    """What to look for, and where.

    Attributes:
        path: The file of replies.
        size: Bytes of it that count.
        games: The games whose exchanges may be shown: match, seed and seating.
        skip: Hits that are not described, because the reader has seen them.
        most: Hits that are described after those.
    """

    path: str
    size: int
    query: str
    regex: bool
    games: list[tuple[int, int | str, str]]
    skip: int = 0
    most: int = 100


class Hit(msgspec.Struct):
    """One attempt at a decision in which the text was found, and the text around it."""

    match: int
    seed: int | str
    seating: str
    hand: int
    decision: int
    attempt: int
    agent: str
    where: str
    before: str
    hit: str
    after: str


class Result(msgspec.Struct):
    """What was found: a problem with the query, or all places (match, seed, seating, hand) and some of the hits."""

    problem: str | None = None
    total: int = 0
    places: list[tuple[int, int | str, str, int]] = []
    hits: list[Hit] = []


class _Game(msgspec.Struct, frozen=True):
    match: int
    seed: int | str
    seating: str


class _Exchange(msgspec.Struct, tag="exchange", tag_field="line"):
    """What is needed of an exchange, as the file has it."""

    participant: str
    game: _Game
    hand: int
    decision: int
    attempt: int
    outcome: str
    text: str
    finish: str | None = None


class _Object(msgspec.Struct):
    reasoning: str | None = None


_decoder: Final = msgspec.json.Decoder(_Exchange)
_object_decoder: Final = msgspec.json.Decoder(_Object)


def main() -> None:
    """Read a task from standard input, and write its result to standard output."""
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=Task)
    with open(task.path, "rb") as file:
        sys.stdout.buffer.write(msgspec.json.encode(search(file, task)))


def search(file: BinaryIO, task: Task) -> Result:
    """Look through a file of replies, in the order in which they were written. Case does not matter."""
    if not task.regex:
        task.query = task.query.lower()
    try:
        find = _pattern(task.query) if task.regex else _text(task.query)
    except ValueError as error:
        return Result(problem=str(error))
    result, places, games = Result(), dict[tuple[int, int | str, str, int], None](), {*task.games}
    for line in _lines(file, task.size):
        if not _may_hold(line, task):
            continue
        exchange = _decoder.decode(line)
        game = exchange.game
        found = _hit(exchange, find) if (game.match, game.seed, game.seating) in games else None
        if found is not None:
            result.total += 1
            places[game.match, game.seed, game.seating, exchange.hand] = None
            if task.skip < result.total <= task.skip + task.most:
                result.hits.append(found)
    result.places = [*places]
    return result


def _lines(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Return the lines of a file that models said, up to a size."""
    for line in file:
        size -= len(line)
        if size < 0:
            return
        if _SAID.match(line):
            yield line


def _may_hold(line: bytes, task: Task) -> bool:
    """Return whether an exchange may hold the text; most that do not are left aside without reading them."""
    if task.regex or not _PLAIN.fullmatch(task.query):
        return True
    low = line.lower()
    return task.query.encode() in low or rb"\u" in low


def _pattern(query: str) -> _Finder:
    try:
        pattern = re.compile(query, re.IGNORECASE | re.MULTILINE)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        raise ValueError(f"not a regular expression: {error}") from error
    if pattern.search("") is not None:
        raise ValueError("this expression also matches no text at all, so it would find every reply")

    def find(text: str) -> _Found | None:
        found = pattern.search(text)
        return found and found.span()

    return find


def _text(query: str) -> _Finder:
    def find(text: str) -> _Found | None:
        at = text.lower().find(query)
        return None if at < 0 else (at, at + len(query))

    return find


def _hit(exchange: _Exchange, find: _Finder) -> Hit | None:
    """Return where the text is in what a model said: in its reasoning, or else in its reply as it came."""
    for where, text in (("reasoning", _reasoning(exchange) or ""), ("reply", exchange.text)):
        found = find(text)
        if found is not None:
            start, end = found
            return Hit(
                match=exchange.game.match,
                seed=exchange.game.seed,
                seating=exchange.game.seating,
                hand=exchange.hand,
                decision=exchange.decision,
                attempt=exchange.attempt,
                agent=exchange.participant,
                where=where,
                before=text[max(0, start - _AROUND) : start],
                hit=text[start:end][:_LONGEST_HIT],
                after=text[end : end + _AROUND],
            )
    return None


def _reasoning(exchange: _Exchange) -> str | None:
    if exchange.outcome != "reply" or "{" not in exchange.text:
        return None
    if exchange.text.startswith("{"):  # nearly always, and quicker than the general way
        try:
            return _object_decoder.decode(exchange.text).reasoning
        except (msgspec.MsgspecError, RecursionError):
            pass
    try:
        states = '"strategy"' in exchange.text
        return reply.read_reply(exchange.text, exchange.finish, strategy=states).reasoning
    except AgentFailed:
        return None
