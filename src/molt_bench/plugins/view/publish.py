"""What is published: a run as one HTML file, and runs as a site of plain files for any web host.

Both hold what the server answers, by the same paths, but that the hands of a match come with it. Nothing is computed by
a server, so a large run has, and lists, the hands with the biggest swings. Nothing is shown of a run with live agents
that has not ended.
"""

import re
import shutil
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from molt_bench.errors import MoltBenchError
from molt_bench.plugin import FILES, Export, FolderExport, points
from molt_bench.plugins.view.hand import hand_page
from molt_bench.plugins.view.history import history
from molt_bench.plugins.view.inlined import DATA, STATIC, inlined, script_of_pages
from molt_bench.plugins.view.library import Library, line_of
from molt_bench.plugins.view.open_run import Deal, OpenRun
from molt_bench.plugins.view.pages import curves_page, hands_page, match_page, names_page, run_page, said_page
from molt_bench.plugins.view.reproduce import reproduce
from molt_bench.plugins.view.results import Results, results_of
from molt_bench.plugins.view.sections import Sections
from molt_bench.plugins.view.styles import styles_data
from molt_bench.report.rows import ArtifactCheck, check_artifacts
from molt_bench.runs.run import Run, Said
from molt_bench.specs import GameLabel

#: How many deals of a run are published: on a site, and in a file at first.
_ON_A_SITE: Final = 2000
_IN_A_FILE: Final = 1000
#: The largest size of a file, in bytes.
_LARGEST: Final = 2_000_000
#: How many hands that the pages link to come before the biggest swings.
_MOST_LINKED: Final = 400
_ALLOWED: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "worker-src blob:; base-uri 'none'; form-action 'none'"
)
_MARK: Final = "molt-bench-site"
#: Decompresses the data, then starts the pages.
_START: Final = """\
(async () => {
  const place = document.getElementById("data");
  const bytes = Uint8Array.from(atob(document.getElementById("packed").textContent.trim()), (c) => c.charCodeAt(0));
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  place.textContent = await unpacked.text();
  start();
})();
"""


def data_of(run: OpenRun, name: str, most: int) -> dict[str, Any]:
    """Return the pages of a run under a name, by their paths, with at most so many of its deals."""
    deals = chosen_deals(run)
    kept = {*deals[:most]}
    status = "interrupted" if run.status == "running" else run.status  # nothing goes on there
    about: dict[str, Any] = {
        "id": name,
        "name": run.id,
        "version": None,
        "status": status,
        "live": None,
        "limits": None,
    }
    if len(kept) < len(deals):
        text = f"Here are {len(kept):,} of {len(deals):,} deals of this run: those with the biggest swings."
        about["limits"] = {"hands": len(kept), "of": len(deals), "text": text}
    said: dict[GameLabel, list[Said]] = {}
    for each in run.run.said():
        said.setdefault(each.exchange.game, []).append(each)
    place = f"api/runs/{quote(name)}"
    page = {**run_page(run), **about, "reproduce": reproduce(run, run.id, published=status == "finished")}
    return {
        f"{place}.json": page,
        f"{place}/names.json": {**names_page(run), **about},
        f"{place}/curves.json": curves_page(run),
        f"{place}/styles.json": styles_data(run),
        f"{place}/hands.json": {**hands_page(run, kept), "status": status},
        f"{place}/said.json": said_page(run, kept) if said else [],
        **{f"{place}/match/{match}.json": _match(run, match, kept, said) for match in run.pairs},
    }


def _match(run: OpenRun, match: int, kept: set[Deal], said: dict[GameLabel, list[Said]]) -> dict[str, Any]:
    """Return the page of a match with the pages of its hands, whose links lead to each other alone."""
    hands = {}
    for deal in sorted(each for each in kept if each[0] == match):
        own = [each for game in run.shown(*deal[:2]) for each in said.get(game.label, ())]
        page = hand_page(run, *deal, said=own, sections=False)
        for side in ("previous", "next"):
            if page[side] is not None and tuple(page[side].values()) not in kept:
                page[side] = None
        hands[f"{deal[1]}/{deal[2]}"] = page
    return {**match_page(run, match), "hands": hands}


def chosen_deals(run: OpenRun) -> list[Deal]:
    """Return all deals of a run, the first to publish first: those that its pages link to, then the biggest swings."""
    swings: dict[Deal, int] = {}
    linked: dict[Deal, None] = {}
    for place in run.shown_pairs:
        for game in run.shown(*place):
            for number, net in enumerate(game.record.hand_nets, start=1):
                swings[*place, number] = max(swings.get((*place, number), 0), abs(net))
            for fault in game.record.faults:
                linked[*place, max(1, fault.hand_number)] = None
    linked |= dict.fromkeys(Sections(run).deals())
    first = [deal for deal in linked if deal in swings][:_MOST_LINKED]
    return [*dict.fromkeys([*first, *sorted(swings, key=lambda deal: (-swings[deal], deal))])]


class Html(Export):
    """A page of a run with all that it shows, as one file that loads nothing: to be mailed or archived."""

    file = "run.html"

    def write(self, run: Run, file: IO[bytes]) -> str:
        """Write the file."""
        content = html_file(OpenRun(run).followed()).encode()
        file.write(content)
        return f"{len(content) / 1e6:.2f} MB"


def _checked(run: OpenRun) -> ArtifactCheck:
    """Check the files of a run: what plug-ins say of it is published only if it follows from its games.

    Raises MoltBenchError if it has live agents and has not ended.
    """
    if run.has_guests:
        why = "it has live agents and has not ended, and until then shows neither cards nor names"
        raise MoltBenchError(f"{run.id} cannot be published: {why}")
    found = check_artifacts(run.run, run.rows)
    run.sections = points(FILES).keys().isdisjoint(found.of("differing"))
    return found


def html_file(run: OpenRun) -> str:
    """Return a run as one HTML file, with as many deals as leave it small enough to be mailed.

    Its content security policy allows its own script and style alone, by their hashes.
    """
    page, allowed = inlined(f"function start() {{\n{script_of_pages()}}}\n{_START}")
    policy = f"default-src 'none'; {allowed}; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'"
    head = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
    most = _IN_A_FILE
    _checked(run)
    while True:
        packed = zlib.compress(msgspec.json.encode({**data_of(run, "run", most), "single": True}), 9, wbits=31)
        data = '<script type="application/json" id="data"></script>\n<script type="text/plain" id="packed">'
        text = page.replace(DATA, f"{data}{b64encode(packed).decode()}</script>").replace("<head>", head, 1)
        if len(text) <= _LARGEST or most == 0:
            return text
        most //= 2


class Site(FolderExport):
    """Pages, data and files of runs, for any web host, with hashes: an earlier site in its folder is replaced."""

    folder = "site"

    def write(self, source: Path, target: Path, warn: Callable[[str], None]) -> Iterator[str]:
        """Write the site into a folder that is new, empty or a site, and yield the name of each run that is done.

        Raises MoltBenchError if the folder holds something else, or no run can be read.
        """
        library = Library(source)
        if target.absolute().is_relative_to(library.root):
            raise MoltBenchError(f"--output {target} lies in the folder of runs: name a folder outside of it")
        _clear(target)
        _write_pages(target)
        done: list[Results] = []
        problem = None
        for name in library.ids():
            try:
                run = OpenRun.open(library.folder(name))
                _write_run(run, target, warn)
            except MoltBenchError as error:
                problem = problem or error
                warn(f"{name} is left out: {error}")
                continue
            done.append(results_of(run))
            yield name
        if problem is not None and not done:
            raise problem
        lines = [line_of(each) for each in done]
        for line in lines:
            line["status"] = "interrupted" if line["status"] == "running" else line["status"]
        _write(target / "api" / "runs.json", msgspec.json.encode(lines))
        _write(target / "api" / "history.json", msgspec.json.encode(history(done)))
        _write_front(target, lines)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _clear(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise MoltBenchError(f"{target} is a file; name a folder for the site")
    if target.is_dir() and any(target.iterdir()):
        if not (target / _MARK).is_file():
            raise MoltBenchError(f"{target} is not empty and holds no site of molt-bench; name a new folder")
        for name in ("api", "files"):
            shutil.rmtree(target / name, ignore_errors=True)
    _write(target / _MARK, b"A site written by molt-bench; it is replaced when it is written again.\n")


def _write_pages(target: Path) -> None:
    for path in sorted(STATIC.glob("*.css")):
        _write(target / path.name, path.read_bytes())
    _write(target / "app.js", script_of_pages().encode())


def _write_front(target: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Write the page, with what a link to the site shows elsewhere: its title, and the headline of its newest run."""
    name = "no runs" if not lines else lines[0]["id"] if len(lines) == 1 else f"{len(lines):,} runs"
    title, said = escape(f"{name} \N{MIDDLE DOT} molt-bench"), escape((lines and lines[0]["headline"]) or "")
    tags = [f"<title>{title}</title>", f'<meta property="og:title" content="{title}">']
    tags.append('<meta property="og:type" content="website">')
    if said:
        tags += [f'<meta {kind} content="{said}">' for kind in ('name="description"', 'property="og:description"')]
    page = (STATIC / "index.html").read_text("utf-8").replace("<title>molt-bench</title>", "\n".join(tags), 1)
    page = page.replace("<head>", f'<head>\n<meta http-equiv="Content-Security-Policy" content="{_ALLOWED}">', 1)
    _write(target / "index.html", re.sub(r'(id="data">)\{\}', r'\1{"published":true}', page, count=1).encode())


def _write_run(run: OpenRun, target: Path, warn: Callable[[str], None]) -> None:
    files: list[dict[str, Any]] = []
    checked = _checked(run)
    if run.status == "finished":  # else its cards may still be secret, and its files are not final
        wrong = checked.of("differing")
        if wrong:
            why = "not what the journal gives; molt-bench report writes them again"
            warn(f"{run.id}: {', '.join(wrong)} left out: {why}")
        files = _copied(run.id, run.run.folder, checked.of("same"), target)
    data = data_of(run, run.id, _ON_A_SITE)
    data[f"api/runs/{quote(run.id)}.json"]["files"] = files
    for path, content in data.items():
        _write(target / path.replace(quote(run.id), run.id, 1), msgspec.json.encode(content))


def _copied(name: str, source: Path, files: list[str], target: Path) -> list[dict[str, Any]]:
    """Copy files of a folder to a site, also as one archive; return names, sizes and hashes."""
    folder = target / "files" / name
    found: list[dict[str, Any]] = []
    contents = {file: (source / file).read_bytes() for file in files}
    for file, content in contents.items():
        href = f"files/{quote(name)}/{file}"
        found.append({"name": file, "href": href, "bytes": len(content), "sha256": sha256(content).hexdigest()})
    contents["SHA256SUMS"] = "".join(f"{each['sha256']}  {each['name']}\n" for each in found).encode()
    for file, content in contents.items():
        _write(folder / file, content)
    with ZipFile(folder / f"{name}.zip", "w", ZIP_DEFLATED) as archive:  # its bytes depend on nothing but these
        for file, content in contents.items():
            archive.writestr(ZipInfo(f"{name}/{file}"), content, ZIP_DEFLATED)
    return found
