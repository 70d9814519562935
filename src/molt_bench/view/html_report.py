"""The single file: a run and its pages in one HTML file, to be mailed or archived.

It loads nothing: its content security policy allows only its own script and style, by their hashes. Embedded data
cannot close the element it is in. Hands are compressed, since a thousand of them take several megabytes as text; if not
all fit, the file holds and lists those with the biggest swings.
"""

import zlib
from base64 import b64encode
from math import inf
from typing import Any, Final

import msgspec

from molt_bench.view.chosen_deals import chosen_deals
from molt_bench.view.hand_columns import hand_columns
from molt_bench.view.hand_page import hand_page
from molt_bench.view.history import chapter_of, history
from molt_bench.view.match_page import match_page, played_hands
from molt_bench.view.open_run import OpenRun
from molt_bench.view.pages import DATA, inlined, script_of_pages
from molt_bench.view.run_counts import Deal
from molt_bench.view.run_names import names_data
from molt_bench.view.run_page import run_page, run_summary
from molt_bench.view.run_parts import reproduce_data

#: The id of the run inside the file.
ONLY_RUN: Final = "run"
#: The largest size of the file, and of its hands once decompressed, in bytes.
_LARGEST: Final = 1_900_000
_LARGEST_UNPACKED: Final = 32_000_000
#: Hands that are compressed between checks of the size.
_AT_ONCE: Final = 25
#: Compressed bytes of a hand in the list of hands, at most.
_LISTED: Final = 110

#: Decompresses the hands, adds them to the other data, then starts the pages.
_START: Final = """\
(async () => {
  const place = document.getElementById("data");
  try {
    const bytes = Uint8Array.from(atob(document.getElementById("packed").textContent.trim()), (c) => c.charCodeAt(0));
    const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
    place.textContent = JSON.stringify({ ...JSON.parse(place.textContent), ...(await unpacked.json()) });
  } catch (error) {
    console.error("the hands could not be unpacked", error);
  }
  start();
})();
"""


def html_report(run: OpenRun) -> str:
    """Return a run as one HTML file."""
    page, allowed = inlined(f"function start() {{\n{script_of_pages()}}}\n{_START}")
    known = _overview(run)
    room = _LARGEST - len(escaped_json(known).encode()) - len(page.encode())
    packed, count, of = _packed_hands(run, known[f"api/runs/{ONLY_RUN}.json"], max(0, room))
    text = (
        f"This file holds {count:,} of {of:,} deals: those with the biggest swings, and those that its pages link to."
    )
    known["limits"] = {"hands": count, "of": of, "text": text} if count < of else None
    allowed += "; img-src data:; worker-src blob:"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    data = f'<script type="application/json" id="data">{escaped_json(known)}</script>'
    data += f'\n<script type="text/plain" id="packed">{packed}</script>'
    return page.replace(DATA, data).replace("<head>", f"<head>\n{head}", 1)


def escaped_json(value: Any) -> str:
    r"""Encode JSON so that it is safe inside a script element.

    >>> escaped_json("</script>&\u2028")
    '"\\u003c/script\\u003e\\u0026\\u2028"'
    """
    text = msgspec.json.encode(value).decode()
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _overview(run: OpenRun) -> dict[str, Any]:
    """Return the data of the first pages by their paths."""
    return {
        "api/runs.json": [{**run_summary(run), "id": ONLY_RUN}],
        "api/history.json": history([chapter_of(run)]),
        f"api/runs/{ONLY_RUN}/names.json": {**names_data(run), "id": ONLY_RUN, "name": run.id},
        f"api/runs/{ONLY_RUN}.json": {
            **run_page(run),
            "id": ONLY_RUN,
            "name": run.id,
            # The reader is on another machine: no path of this one.
            "reproduce": reproduce_data(run, run.id),
        },
    }


class _Pack:
    """The entries of one JSON object, compressed as they are added."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(9, wbits=31)
        self._packed = self._packer.compress(b"{")
        self._unpacked = 0

    def add(self, entries: dict[str, Any], *, room: float = inf) -> bool:
        """Add entries unless that would take too much room; return whether they were added."""
        texts = [msgspec.json.encode(path) + b":" + msgspec.json.encode(value) for path, value in entries.items()]
        piece = (b"," if self._unpacked else b"") + b",".join(texts)
        packer = self._packer.copy()
        packed = self._packed + packer.compress(piece)
        too_long = len(packed) + len(packer.copy().flush()) > room or self._unpacked + len(piece) > _LARGEST_UNPACKED
        if too_long and room < inf:
            return False
        self._packed, self._packer, self._unpacked = packed, packer, self._unpacked + len(piece)
        return True

    def text(self) -> str:
        """Return the compressed object as text."""
        return b64encode(self._packed + self._packer.compress(b"}") + self._packer.flush()).decode()


def _packed_hands(run: OpenRun, known: dict[str, Any], room: int) -> tuple[str, int, int]:
    """Return hands and a list of them, compressed; how many those are; and how many there are."""
    pack, kept = _Pack(), set[Deal]()
    matches = {match: match_page(run, match) for match in sorted(run.pairs)}
    pack.add({f"api/runs/{ONLY_RUN}/match/{match}.json": page for match, page in matches.items()})
    places = chosen_deals(run, known, matches)
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        pages = {
            f"api/runs/{ONLY_RUN}/hand/{m}/{s}/{h}.json": hand_page(run, m, s, h, sections=False) for m, s, h in some
        }
        # Base64 makes it a third longer; the list of the hands comes last.
        if not pack.add(pages, room=room * 3 // 4 - 100 - _LISTED * (len(kept) + len(some))):
            break
        kept.update(some)
    pack.add({f"api/runs/{ONLY_RUN}/hands.json": hand_columns(run, kept)})
    pack.add({f"api/runs/{ONLY_RUN}/lines/{match}.json": played_hands(run, match, kept) for match in matches})
    return pack.text(), len(kept), len(places)
