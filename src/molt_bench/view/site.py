"""A site: the pages of a folder of runs as plain files, for any web host.

It has the pages and their data, the files of every finished run, and their hashes, so that a reader can check what is
shown. Nothing of it is computed by a server. Of a large run it holds, and lists, the hands with the biggest swings.
"""

import gzip
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from molt_bench.entry_points import FILES, points
from molt_bench.errors import MoltBenchError
from molt_bench.files import inside, write_whole
from molt_bench.report.artifact_check import check_artifacts
from molt_bench.report.artifacts import ARTIFACTS
from molt_bench.report.rows import Rows
from molt_bench.report.verdict import headline
from molt_bench.runs.folder import JOURNAL, REPLIES
from molt_bench.runs.run import Run
from molt_bench.view.chosen_deals import chosen_deals
from molt_bench.view.hand_columns import hand_columns
from molt_bench.view.hand_page import hand_page
from molt_bench.view.library import Library
from molt_bench.view.match_page import match_page, played_hands
from molt_bench.view.open_run import OpenRun
from molt_bench.view.pages import STATIC, script_of_pages
from molt_bench.view.run_counts import Deal
from molt_bench.view.run_names import names_data
from molt_bench.view.run_page import run_page
from molt_bench.view.run_parts import archive_name, reproduce_data
from molt_bench.view.search import said_in

#: How many deals of a run are published.
MOST_DEALS: Final = 2000
#: The files of a run that are published; never a secret or what a program wrote to its standard error.
_FILES: Final = (JOURNAL, REPLIES, *ARTIFACTS, *points(FILES))
_ALLOWED: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "worker-src blob:; base-uri 'none'; form-action 'none'"
)
_SUMS: Final = "SHA256SUMS"
_MARK: Final = "molt-bench-site"
#: Hands in a piece: what a reader of one hand fetches, with its neighbours.
_IN_A_PIECE: Final = 24


def write_site(
    library: Library, target: Path, *, most_deals: int = MOST_DEALS, warn: Callable[[str], None] = lambda _: None
) -> Iterator[str]:
    """Write the site of a library into a folder, and yield the name of each run that is done.

    The folder must be new, empty or a site written before, which is replaced. `warn` is called with what is left out:
    runs that cannot be read, and files that are not what the journal gives.

    Raises:
        MoltBenchError: The folder holds something else, or no run can be read.
    """
    _clear(target)
    _write_pages(target)
    lines = library.run_list()
    unreadable = [line for line in lines if line["status"] == "unreadable"]
    if unreadable and len(unreadable) == len(lines):
        raise MoltBenchError(unreadable[0]["error"])
    for line in unreadable:
        warn(f"{line['id']} is left out: {line['error']}")
    kept: list[dict[str, Any]] = []
    for line in lines:
        if line in unreadable:
            continue
        run = library.open(line["id"])
        kept.append({**line, "status": _status(run)})
        _write_run(run, target, most_deals, warn)
        yield run.id
    write_json(target / "api" / "runs.json", kept)
    write_json(target / "api" / "history.json", library.history())
    _write_front(target, kept, [library.open(line["id"]) for line in kept[:1]])


def _write_front(target: Path, lines: list[dict[str, Any]], newest: list[OpenRun]) -> None:
    """Say in the page what a link to the site shows elsewhere: its title, and the headline of its newest run."""
    rows = Rows(newest[0].result()) if newest else None
    name = (newest[0].id if len(lines) == 1 else f"{len(lines):,} runs") if newest else "no runs"
    about = {"og:type": "website", "og:title": f"{name} \N{MIDDLE DOT} molt-bench"}
    if rows is not None and rows.matches:
        about["og:description"] = " ".join(headline(rows))
    tags = [f'<meta property="{key}" content="{escape(text)}">' for key, text in about.items()]
    if "og:description" in about:
        tags.append(f'<meta name="description" content="{escape(about["og:description"])}">')
    page = (target / "index.html").read_text("utf-8")
    page = page.replace(
        "<title>molt-bench</title>", "\n".join([f"<title>{escape(about['og:title'])}</title>", *tags]), 1
    )
    write_whole(target / "index.html", page.encode())


def _clear(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise MoltBenchError(f"{target} is a file; name a folder for the site")
    if target.is_dir() and any(target.iterdir()):
        if not (target / _MARK).is_file():
            raise MoltBenchError(f"{target} is not empty and holds no site of molt-bench; name a new folder")
        for name in ("api", "files"):
            shutil.rmtree(target / name, ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)


def _write_pages(target: Path) -> None:
    for path in sorted(STATIC.rglob("*")):
        if path.suffix in (".css", ".html"):
            text = path.read_text("utf-8")
            if path.name == "index.html":
                head = f'<meta http-equiv="Content-Security-Policy" content="{_ALLOWED}">'
                text = text.replace("<head>", f"<head>\n{head}", 1)
                text = re.sub(r'(id="data">)\{\}', r'\1{"published":true}', text, count=1)
            write_whole(target / path.relative_to(STATIC).as_posix(), text.encode())
    write_whole(target / "app.js", script_of_pages().encode())
    write_whole(target / _MARK, b"A site written by molt-bench; it is replaced when it is written again.\n")


def _write_run(run: OpenRun, target: Path, most_deals: int, warn: Callable[[str], None]) -> None:
    files: list[dict[str, Any]] = []
    if run.status == "finished":  # else its cards may still be secret, and its files are not final
        doubtful = _doubtful(run, warn)
        files = _copied(run.id, run.folder, [name for name in dict.fromkeys(_FILES) if name not in doubtful], target)
    page = {
        **run_page(run),
        "status": _status(run),
        "live": None,
        "reproduce": reproduce_data(run, run.id, published=run.status == "finished"),
        "files": files,
    }
    matches = {match: match_page(run, match) for match in sorted(run.pairs)}
    deals = chosen_deals(run, page, matches)
    kept = set(deals[:most_deals])
    names = {**names_data(run), "status": _status(run), "live": None}
    if len(kept) < len(deals):
        text = f"This site holds {len(kept):,} of {len(deals):,} deals of this run: those with the biggest swings."
        page["limits"] = names["limits"] = {"hands": len(kept), "of": len(deals), "text": text}
    place = target / "api" / "runs"
    write_json(place / f"{run.id}.json", page)
    write_json(place / run.id / "names.json", names)
    write_json(place / run.id / "hands.json", {**hand_columns(run, kept), "status": _status(run)})
    said: list[list[Any]] = []
    packs = {}
    for match, found in matches.items():
        for seed in found["seeds"]:
            seed["biggest"]["here"] = (match, seed["index"], seed["biggest"]["hand"]) in kept
        hands = (_hand(run, deal, kept, said) for deal in sorted(kept) if deal[0] == match)
        first = [{"match": found}, {"lines": played_hands(run, match, kept)}]
        packs[match] = write_pack(place / run.id / f"match-{match}.pack", first, hands)
    write_json(place / run.id / "packs.json", packs)
    if run.config.paid():
        write_json(place / run.id / "said.json", said)


def _hand(run: OpenRun, deal: Deal, kept: set[Deal], said: list[list[Any]]) -> dict[str, Any]:
    """Return the page of a hand, without links to hands that are not published; what was said in it goes to `said`."""
    found = hand_page(run, *deal, sections=False)
    for side in ("previous", "next"):
        if found[side] is not None and tuple(found[side].values()) not in kept:
            found[side] = None
    said += said_in(found)
    return found


def _doubtful(run: OpenRun, warn: Callable[[str], None]) -> set[str]:
    """Return the names of a run's files that are not what its journal gives, or cannot be checked."""
    try:
        stored = Run.open(run.folder)
        rows = Rows(stored.result())
    except MoltBenchError as error:
        warn(f"{run.id}: only its records are published, since the other files cannot be checked: {error}")
        return {*ARTIFACTS, *points(FILES)}
    wrong = check_artifacts(stored, rows).of("differing")
    if wrong:
        warn(f"{run.id}: {', '.join(wrong)} left out: not what the journal gives; molt-bench report writes them again")
    return set(wrong)


def _copied(name: str, source: Path, files: list[str], target: Path) -> list[dict[str, Any]]:
    """Copy those files of a folder that are there to a site, also as one archive; return names, sizes and hashes."""
    folder = target / "files" / name
    folder.mkdir(parents=True, exist_ok=True)
    found: list[dict[str, Any]] = []
    for file in files:
        if inside(source, source / file):
            shutil.copyfile(source / file, folder / file)
            content = (folder / file).read_bytes()
            href = f"files/{quote(name)}/{file}"
            found.append({"name": file, "href": href, "bytes": len(content), "sha256": sha256(content).hexdigest()})
    sums = "".join(f"{each['sha256']}  {each['name']}\n" for each in found)
    write_whole(folder / _SUMS, sums.encode())
    with ZipFile(folder / archive_name(name), "w", ZIP_DEFLATED) as archive:  # its bytes depend on nothing but these
        for file in (*[each["name"] for each in found], _SUMS):
            archive.writestr(ZipInfo(f"{name}/{file}"), (folder / file).read_bytes(), ZIP_DEFLATED)
    return found


def _status(run: OpenRun) -> str:
    """Return the status of a run on a site: nothing there goes on."""
    return "interrupted" if run.status == "running" else run.status


def write_json(path: Path, content: Any) -> None:
    """Write the data of a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, msgspec.json.encode(content))


def write_pack(path: Path, first: Iterable[dict[str, Any]], hands: Iterable[dict[str, Any]]) -> list[list[Any]]:
    """Write the pages of a match and of its hands as one file, and return its index: [offset, length, names] each.

    Its pieces are compressed each by itself: a page reads the part that it needs, where a web host knows ranges.
    `first` are pieces by the names of what they have; hands are named by seed pair and number.
    """
    index: list[list[Any]] = []
    pieces = list[bytes]()
    for pages in _pieces(first, hands):
        packed = gzip.compress(msgspec.json.encode(pages), mtime=0)
        index.append([sum(map(len, pieces)), len(packed), [*pages]])
        pieces.append(packed)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, b"".join(pieces))
    return index


def _pieces(first: Iterable[dict[str, Any]], hands: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from first
    rest = iter(hands)
    while some := [*islice(rest, _IN_A_PIECE)]:
        yield {f"{page['seedIndex']}/{page['hand']}": page for page in some}
