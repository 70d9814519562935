"""The docs as a site: every link leads somewhere, nothing comes from elsewhere, and the search works offline.

`make docs` builds the site and runs these; the last ones need chromium.
"""

import functools
import http.server
import re
import shutil
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from schemas import fields_of, schemas

import docs_site
import molt_bench
from molt_bench.cli import app
from molt_bench.config.sections import BenchmarkConfig

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site is not built: make docs"),
]


class Page(HTMLParser):
    """A page: what it links to, what it loads, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(found.get("href", ""))
        self.loads += [found[name] for name in ("src", "srcset") if found.get(name)]


@pytest.fixture(scope="module")
def pages():
    return {path.relative_to(SITE).as_posix(): Page(path) for path in SITE.rglob("*.html")}


def test_every_page_of_the_docs_is_on_the_site(pages):
    for document in docs_site.DOCUMENTS:
        assert document.relative_to(ROOT / "docs").with_suffix(".html").as_posix() in pages
    assert {"index.html", "changelog.html", "contributing.html"} <= pages.keys()


def test_every_link_leads_to_a_file_and_a_place_in_it(pages):
    dead = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or name == "404.html":
                continue
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
            target = target / "index.html" if target.is_dir() else target
            there = target.is_file() and target.is_relative_to(SITE)
            known = pages.get(target.relative_to(SITE).as_posix()) if there else None
            if not there or (parts.fragment and known and unquote(parts.fragment) not in known.places):
                dead.append(f"{name} -> {link}")
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(pages):
    outside = re.compile(r"^(?:[a-z]+:)?//")
    assert [(name, load) for name, page in pages.items() for load in page.loads if outside.match(load)] == []
    for style in SITE.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import\s+)[\"']?(?:https?:)?//", style.read_text("utf-8")), style


def test_every_picture_opens(pages):
    dead = []
    for name, page in pages.items():
        for load in page.loads if name != "404.html" else ():
            if not urlsplit(load).scheme and not (page.path.parent / unquote(urlsplit(load).path)).is_file():
                dead.append(f"{name} -> {load}")
    assert dead == []


def test_the_references_have_every_name_command_and_file(pages):
    api = pages["reference/api.html"].places
    assert [name for name in molt_bench.__all__ if f"{molt_bench._HOMES[name]}.{name}" not in api] == []
    texts = {name: (SITE / "reference" / f"{name}.html").read_text("utf-8") for name in ("commands", "config", "files")}
    for command in app.program.list_commands(None):
        assert f"molt-bench-{command}" in pages["reference/commands.html"].places
        for flag in (flag for each in docs_site.command_of(command).params for flag in each.opts):
            assert not flag.startswith("--") or re.search(rf"<code>[^<]*{flag}\b", texts["commands"]), (command, flag)
    for path in (field.path for field in fields_of(BenchmarkConfig.model_json_schema(by_alias=True))):
        last, heading = path.split(".")[-1], path.lower().replace(".", "")
        assert (
            re.search(rf"<code>(?:\w+\.)?{re.escape(last)}</code>", texts["config"])
            or {heading, last.lower()} & pages["reference/config.html"].places
        ), path
    for file, schema in schemas().items():
        for field in fields_of(schema):
            assert f"<code>{field.path}</code>" in texts["files"], (file, field.path)


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that prints nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def served():
    """The site on a server of this machine."""
    handler = functools.partial(Quiet, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("place", ["disk", "server"])
def test_a_word_is_found_and_nothing_is_asked_of_others(browser, served, place):
    address = SITE.as_uri() if place == "disk" else served
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/index.html")
    page.locator("[data-md-component=search-query]").fill("callstation")
    found = page.locator(".md-search-result__item a").first
    found.wait_for(timeout=60_000)
    assert "callstation" in page.locator(".md-search-result__list").inner_text().lower()
    page.goto(found.evaluate("link => link.href"))
    assert "callstation" in page.content()
    assert [url for url in asked if not url.startswith((address, "data:", "blob:", "about:"))] == []
    page.close()
