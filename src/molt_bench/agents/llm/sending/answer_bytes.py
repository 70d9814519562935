"""An HTTP answer, read from its bytes as they come, however they are cut and framed."""

from typing import Any, Final

import msgspec

#: Most bytes of the head of an answer, and of the line before a chunk.
_LONGEST_HEAD: Final = 100_000
#: Answers that have no body.
_WITHOUT_BODY: Final = (204, 304)


class BrokenAnswerError(ConnectionError):
    """An answer that is no HTTP, or that ended too soon."""


class Received(msgspec.Struct, frozen=True):
    """An answer as it came: status, headers (names in lower case), and body, still compressed if it was."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """Return a header; "" if there is none."""
        return next((value for found, value in self.headers if found == name), "")


class AnswerBytes:
    """Reads one answer from bytes as they come.

    Attributes:
        reusable: Whether the connection can be used again afterwards.
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._status = 0
        self._headers: tuple[tuple[str, str], ...] = ()
        self._length: int | None = None
        self._chunks: bytearray | None = None
        self._in_trailer = False
        self.reusable = False

    @property
    def begun(self) -> bool:
        """Whether some of the body has come; blanks do not count, which servers send to keep a connection alive."""
        if not self._status:
            return False
        body = self._chunks if self._chunks is not None else self._bytes
        return bool(body and not body.isspace())

    def take(self, data: bytes) -> Received | None:
        """Take what came next; return the answer when it is whole. Raises BrokenAnswerError if it is no HTTP."""
        self._bytes += data
        while not self._status:
            if not self._read_head():
                return None
        if self._chunks is not None:
            return self._whole(bytes(self._chunks)) if self._read_chunks(self._chunks) else None
        if self._length is not None and len(self._bytes) >= self._length:
            self.reusable = self.reusable and len(self._bytes) == self._length
            return self._whole(bytes(self._bytes[: self._length]))
        return None

    def ended(self) -> Received | None:
        """Return the answer when the server has closed the connection; None if it is not whole."""
        self.reusable = False
        if self._status and self._length is None and self._chunks is None:
            return self._whole(bytes(self._bytes))
        return None

    def _whole(self, body: bytes) -> Received:
        return Received(self._status, self._headers, body)

    def _read_head(self) -> bool:
        end = self._bytes.find(b"\r\n\r\n")
        if max(end, len(self._bytes) if end < 0 else 0) > _LONGEST_HEAD:
            raise BrokenAnswerError("the head of the answer is too long")
        if end < 0:
            if not b"HTTP/1.".startswith(self._bytes[:7]):
                raise BrokenAnswerError("the answer is no HTTP")
            return False
        first, *lines = self._bytes[:end].decode("latin-1").split("\r\n")
        del self._bytes[: end + 4]
        version, _, rest = first.partition(" ")
        status = rest[:3]
        if version not in ("HTTP/1.1", "HTTP/1.0") or not (status.isdecimal() and status.isascii()):
            raise BrokenAnswerError("the answer is no HTTP")
        if 100 <= int(status) < 200:  # not yet the answer
            return True
        pairs = [line.partition(":") for line in lines]
        self._headers = tuple((name.strip().lower(), value.strip()) for name, _, value in pairs)
        self._status = int(status)
        self._frame(old=version == "HTTP/1.0")
        return True

    def _frame(self, *, old: bool) -> None:
        """Find out from the headers where the body ends."""
        named: dict[str, set[str]] = {}
        for name, value in self._headers:
            named.setdefault(name, set()).add(value.lower())
        connection = " ".join(named.get("connection", ()))
        self.reusable = "keep-alive" in connection if old else "close" not in connection
        lengths = named.get("content-length", set())
        if self._status in _WITHOUT_BODY:
            self._length = 0
        elif "transfer-encoding" in named:
            if named["transfer-encoding"] != {"chunked"}:
                raise BrokenAnswerError("the answer has an unknown transfer encoding")
            self._chunks = bytearray()
        elif lengths:
            (length, *more) = lengths
            if more or not (length.isdecimal() and length.isascii()) or len(length) > 12:
                raise BrokenAnswerError("the answer has no clear length")
            self._length = int(length)
        else:
            self.reusable = False  # it ends with the connection

    def _read_chunks(self, body: bytearray) -> bool:
        """Move whole chunks to the body; return whether the last one has come."""
        at = 0
        while True:
            end = self._bytes.find(b"\r\n", at)
            if end < 0:
                if len(self._bytes) - at > _LONGEST_HEAD and self._in_trailer:
                    raise BrokenAnswerError("the end of the answer is too long")
                break
            if self._in_trailer:
                if end == at:
                    return True
                at = end + 2
                continue
            try:
                size = int(bytes(self._bytes[at:end]).partition(b";")[0].strip(), 16)
            except ValueError:
                raise BrokenAnswerError("a chunk of the answer has no size") from None
            if size < 0:
                raise BrokenAnswerError("a chunk of the answer has no size")
            if size == 0:
                self._in_trailer = True
                at = end + 2
                continue
            start = end + 2
            if len(self._bytes) < start + size + 2:
                break
            if self._bytes[start + size : start + size + 2] != b"\r\n":
                raise BrokenAnswerError("a chunk of the answer has another size than it says")
            body += self._bytes[start : start + size]
            at = start + size + 2
        del self._bytes[:at]
        return False


def fields_of(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON object; none if it is no such thing."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
