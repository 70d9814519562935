"""Keys of models' servers: they are cut out of everything that is kept or shown."""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from molt_bench.agents.settings_base import hide_key
from molt_bench.llm.talk.reply import whole_characters
from molt_bench.llm.types import readable

#: What JSON can write instead of a character of a usual key.
_ESCAPED: Final = re.compile(rb"\\(?:/|u00[2-7])")
#: A key that JSON writes as it is, unless it escapes what it need not.
_USUAL_KEY: Final = re.compile(r"[ !#-\[\]-~]*")


class Keys:
    """The keys of one model, and other values that are secret."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        secret = [key for key in keys if hide_key(key, key) != key]  # some are too short to be secret
        self._usual = all(map(_USUAL_KEY.fullmatch, secret))
        self._written = [key.encode() for key in secret] if self._usual else []
        # Each as JSON writes it, and as it is.
        self._keys = [*dict.fromkeys(form for key in secret for form in (_in_json(key), key))]

    def cut(self, text: str) -> str:
        """Return a text without them, and without halves of characters, which no file could hold."""
        shown = whole_characters(text)
        for key in self._keys:
            shown = hide_key(shown, key)
        return shown

    def cut_body(self, body: bytes) -> bytes:
        """Return a body without them, also where JSON writes their characters in another way."""
        if self._nowhere_in(body):
            return body
        text = self.cut(body.decode("utf-8", "replace"))
        if "\\" in text:
            read = _read(body)
            if self.cut(read) != read:
                return self.cut(read).encode()
        return text.encode()

    def _nowhere_in(self, body: bytes) -> bool:
        """Return whether it is plain that none of them is in a body, which is most often so."""
        if not self._usual or any(key in body for key in self._written) or _ESCAPED.search(body):
            return False
        if body.isascii():
            return True
        try:
            return bool(body.decode())
        except UnicodeDecodeError:
            return False


def _in_json(key: str) -> str:
    return msgspec.json.encode(whole_characters(key)).decode()[1:-1]


def _read(body: bytes) -> str:
    """Return a JSON object as we write it; an empty one if it is none."""
    found = readable(msgspec.json.decode, body)
    return msgspec.json.encode(found if isinstance(found, dict) else {}).decode()
