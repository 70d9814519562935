"""Real runs, the real server and a real Chromium. `make slow SUITE=browser` installs what this needs."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from molt_bench.plugins.view.inlined import STATIC

ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROGRAM = [str(Path(sys.executable).with_name("molt-bench"))]
MINUS = "\N{MINUS SIGN}"
EVIL = "<script>alert(1)</script>\u202eevil\u202c"
LONG_REPLY = "long " * 4000


def molt_bench(*args: str, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*PROGRAM, *args], capture_output=True, text=True, timeout=300, check=False, **more)
    assert done.returncode == 0, done.stderr
    return done


@dataclass
class Runs:
    """A folder with two runs."""

    folder: Path
    bots: str
    models: str


def hostile(prompt: str, body: Any) -> Any:
    """Answer like a model, but now and then with markup, a turned text, or a very long one."""
    from tests.llm import wire

    turn = sum(prompt.encode()) % 7
    if turn == 0:
        return "I refuse <img src=x onerror=alert(1)> \u202egnihton"
    reply = wire.default_policy(prompt, body)
    reply["reasoning"] = "<b>hard</b> " + (LONG_REPLY if turn == 1 else reply["reasoning"])
    return reply


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    from tests.llm.provider import Provider

    folder = tmp_path_factory.mktemp("runs")
    limits = ["--seeds", "4", "--hands", "20", "--max-matches", "6", "--set", "stop.adjacentConfidence=null", "--quiet"]
    molt_bench("--participants", "tag,tight,callstation,random", *limits, "--output-dir", str(folder))
    bots = only_new(folder, set())
    molt_bench("grade", str(folder / bots))
    with Provider(policy=hostile, latency_s=0.01) as provider:
        config = {
            "participants": [
                {"id": "gpt", "displayName": EVIL, "type": "llm:openai:test", "baseUrl": provider.url},
                {"id": "plain", "type": "llm:openai:test2", "baseUrl": provider.url},
                {"id": "tight", "type": "tight", "anchor": True},
            ],
            "seeds": {"perMatch": 2},
            "game": {"handsPerGame": 8},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3}},
            "llm": {
                "backoffS": 0.01,
                "prices": {
                    "openai:test": {"input": 3.0, "output": 15.0, "cachedInput": 0.3},
                    "openai:test2": {"input": 1.0, "output": 5.0, "cachedInput": 0.3},
                },
            },
            "outputDir": str(folder),
        }
        path = folder.parent / "models.json"
        path.write_text(json.dumps(config))
        molt_bench("--config", str(path), "--quiet", "--no-cost-limit", env={**os.environ, "OPENAI_API_KEY": "k"})
    return Runs(folder, bots, only_new(folder, {bots}))


def only_new(folder: Path, known: set[str]) -> str:
    (found,) = {path.name for path in folder.iterdir() if path.is_dir()} - known
    return found


@pytest.fixture(scope="session")
def server(runs: Runs) -> Iterator[str]:
    """The address of `molt-bench view` over the runs."""
    yield from viewing(runs.folder)


def viewing(folder: Path) -> Generator[str]:
    """Yield the address of `molt-bench view` over a folder."""
    with subprocess.Popen(
        [*PROGRAM, "view", str(folder), "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+/", line)
        try:
            assert found, line
            yield found[0]
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def single(runs: Runs) -> str:
    """The address of a file that holds the run of the models."""
    target = runs.folder.parent / "one.html"
    molt_bench("export", str(runs.folder / runs.models), "--format", "html", "--output", str(target))
    return target.as_uri()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens an address; nothing may fail in the page or be asked of another host."""
    contexts: list[Any] = []
    wrong: list[str] = []
    asked: set[str] = set()
    homes: set[str] = set()

    def open_page(url: str, *, width: int = 1280, height: int = 900, scheme: str = "light", **more: Any) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.add(request.url))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        homes.add(url.split("#")[0].rstrip("/") if url.startswith("file:") else "/".join(url.split("/")[:3]))
        page.goto(url)
        settled(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong
    strangers = [url for url in asked if not url.startswith(("data:", "blob:", *homes))]
    assert not strangers


def as_number(text: str) -> float:
    """Read a number as the pages write it."""
    return float(text.replace(MINUS, "-").replace(",", ""))


def until(page: Any, expression: str, *, seconds: float = 20) -> None:
    """Wait until an expression is true in the page; Playwright's own way is an eval, which the policy forbids."""
    deadline = monotonic() + seconds
    while not page.evaluate(f"() => Boolean({expression})"):
        assert monotonic() < deadline, f"never true: {expression}"
        page.wait_for_timeout(50)


def settled(page: Any) -> None:
    """Wait until the page has drawn what it loaded, and has not failed."""
    page.wait_for_selector(".page:not([aria-busy])", timeout=15_000)
    assert page.locator(".failure").count() == 0, page.locator(".failure").inner_text()


def with_modules(visit: Callable[..., Any], url: str) -> Any:
    """Open a page that can import the scripts one by one, as the viewer does not serve them."""
    page = visit(url, bypass_csp=True)
    page.route(
        "**/*.js",
        lambda route: route.fulfill(path=STATIC / route.request.url.rpartition("/")[2], content_type="text/javascript"),
    )
    return page
