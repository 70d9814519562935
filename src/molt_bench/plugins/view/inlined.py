"""The pages as one HTML text with their style and script inside: a browser asks once, and may run nothing else."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Final

from molt_bench.errors import MoltBenchError

#: The style and the modules of the pages, and their script, which is made from the modules when the package is built.
STATIC: Final = Path(__file__).parent / "static"
_BUNDLE: Final = Path(__file__).parent / "bundle.js"
#: Where the data of a page that has no server goes.
DATA: Final = '<script type="application/json" id="data">{}</script>'
_STYLE: Final = re.compile(r'<link rel="stylesheet" href="([^"]+)">\n?')
_SCRIPT: Final = '<script type="module" src="app.js"></script>'


def script_of_pages() -> str:
    """Return the script of the pages."""
    return _read(_BUNDLE)


def inlined(script: str, *, deferred: bool = False) -> tuple[str, str]:
    """Return the pages with a script in place of the one that they load, and the headers that allow script and style.

    If it is `deferred`, it is a module in the head, so that the text of the body is what a reader sees.
    Raises MoltBenchError if the pages cannot be read, or lack what is replaced.
    """
    page = _read(STATIC / "index.html")
    for wanted in (_SCRIPT, DATA, "<head>", "</head>"):
        if page.count(wanted) != 1:
            raise MoltBenchError(f"index.html has {wanted} {page.count(wanted)} times: expected it once")
    style = "\n".join([_read(STATIC / name) for name in _STYLE.findall(page)]).replace("</", "<\\/")
    script = re.sub(r"<(?=/script|!--|script)", r"\\x3C", script, flags=re.IGNORECASE)  # nothing closes its element
    head = f"<style>{style}</style>\n" + (f'<script type="module">{script}</script>\n' if deferred else "")
    page = page.replace(_SCRIPT, "" if deferred else f"<script>{script}</script>")
    page = _STYLE.sub("", page).replace("</head>", f"{head}</head>", 1)
    return page, f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MoltBenchError(f"{path} of the pages cannot be read: {error}") from error


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
