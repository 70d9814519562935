"""Measure how fast the pages of a run of 100,000 hands open in Chromium.

The server's part is also in `pipeline.py`. It is CPU time, so that a busy machine says the same. Of the browser it is
the CPU time of the page's main thread. `usable` is what a reader waits, by the clock, of a viewer that has just
started: of a busy machine it says little. The list of a folder of 100 runs is measured as well, cold and warm.
"""

import gzip
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import msgspec
from rows import row

from molt_bench.plugins.view.library import Library
from molt_bench.plugins.view.server import answer

HANDS = 100_000
ROUNDS = 5
PAGES = {"run page": "", "hands list": "/hands"}
RUNS = 100
#: Seconds until a reader can use the page.
GOALS = {"run page": 0.8, "hands list": 0.5}
READY = {"run page": "#part-leaderboard tbody tr", "hands list": ".v-space .v-row"}
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
#: What is done to the list, as scripts; each is repeated.
ACTS = {
    "filter by street": "at => change('street', ['1', '3', '0', '2'][at % 4])",
    "filter by agent and cards": "at => (change('agent', 'tight'), change('cards', ['AA', 'AKs, 72'][at % 2]))",
    "sort by pot": "() => document.querySelector('[data-key=pot]').click()",
    "biggest swings first": "() => [...document.querySelectorAll('.bar button')][0].click()",
}
SETUP = """() => {
  window.change = (field, value) => {
    const control = document.getElementById(`filter-${field}`);
    control.value = value;
    control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input'));
  };
}"""


@contextmanager
def long_run(*, bots: str = "tight,callstation,random") -> Iterator[Path]:
    """Play a run of 100,000 hands, and yield the folder that it is in."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = ["--seeds", "10", "--hands", "100", "--max-matches", str(HANDS // 2000)]
        stop = ["--set", "stop.adjacentConfidence=null", "--quiet", "--output-dir", folder]
        subprocess.run([program(), "--participants", bots, *sizes, *stop], check=True, capture_output=True)
        yield Path(folder)


def program() -> str:
    """Return the path of the command."""
    return str(Path(sys.executable).with_name("molt-bench"))


def seconds_of_pages(folder: Path) -> dict[str, tuple[float, int]]:
    """Return the CPU seconds of the server for each page, cold and compressed, and the bytes that it sends."""
    return {name: _median(_page_seconds(folder, name) for _ in range(ROUNDS)) for name in PAGES}


def _median(found: Iterator[tuple[float, int]]) -> tuple[float, int]:
    seconds, sizes = zip(*found, strict=True)
    return median(seconds), sizes[-1]


def _page_seconds(folder: Path, page: str) -> tuple[float, int]:
    (run,) = Library(folder).ids()
    start = process_time()
    library = Library(folder)
    paths = [PAGES[page]] if page == "run page" else ["/names", PAGES[page]]
    bodies = [msgspec.json.encode(answer(library, f"api/runs/{run}{path}.json")) for path in paths]
    return process_time() - start, sum(len(gzip.compress(body, 1)) for body in bodies)


def list_seconds(folder: Path) -> tuple[float, float]:
    """Return the seconds, by the clock, of the list and the history of 100 copies of a run: at first, and once more."""
    (run,) = Library(folder).ids()
    with tempfile.TemporaryDirectory() as many:
        for at in range(RUNS):
            shutil.copytree(folder / run, Path(many, f"2026-01-01T{at // 60:02}-{at % 60:02}-00"))
        times = []
        for _ in range(2):
            start = perf_counter()
            library = Library(many)
            msgspec.json.encode([library.runs_page(), library.history_page()])
            times.append(perf_counter() - start)
    return times[0], times[1]


def print_server(folder: Path) -> None:
    """Print what the server needs."""
    for name, (seconds, size) in seconds_of_pages(folder).items():
        row(f"{name} of {HANDS:,} hands, the server's CPU", seconds, GOALS[name], " s", digits=2)
        print(f"  it sends {size / 1024:,.0f} KiB, compressed")
    cold, warm = list_seconds(folder)
    row(f"list and history of {RUNS} runs, cold", cold, 1.0, " s", digits=2)
    row(f"list and history of {RUNS} runs, warm", 1000 * warm, 100, " ms")


@contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """Yield the address of the viewer, as soon as it says so."""
    command = [program(), "view", str(folder), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+/", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()


def print_browser(folder: Path) -> None:
    """Print what the browser needs, and what a reader waits."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    (run,) = Library(folder).ids()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        for name, place in PAGES.items():
            times = [_opened(browser, folder, name, f"#/run/{run}{place}") for _ in range(3)]
            if name == "hands list":
                _print_acts(browser, folder, f"#/run/{run}{place}")
            row(f"{name}, the browser's CPU", median(each[1] for each in times), GOALS[name], " s", digits=2)
            row(f"{name}, usable, wall clock, cold", median(each[0] for each in times), GOALS[name], " s", digits=2)
        browser.close()


def _opened(browser: Any, folder: Path, name: str, place: str) -> tuple[float, float]:
    """Open a page of a viewer that has just started; return what a reader waits, and the browser's CPU time."""
    with viewer(folder) as url:
        page, tool = _page(browser)
        start = perf_counter()
        page.goto(f"{url}{place}")
        page.wait_for_selector(READY[name])
        times = perf_counter() - start, _spent(tool)
        page.context.close()
    return times


def _page(browser: Any) -> tuple[Any, Any]:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    tool = page.context.new_cdp_session(page)
    tool.send("Performance.enable", {"timeDomain": "threadTicks"})
    return page, tool


def _spent(tool: Any) -> float:
    found = {each["name"]: each["value"] for each in tool.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"])


def _print_acts(browser: Any, folder: Path, place: str) -> None:
    with viewer(folder) as url:
        page, tool = _page(browser)
        page.goto(f"{url}{place}")
        page.wait_for_selector(READY["hands list"])
        page.evaluate(SETUP)
        for name, act in ACTS.items():
            times = []
            for at in range(ROUNDS):
                before = _spent(tool)
                page.evaluate(f"({act})({at})")
                times.append(1000 * (_spent(tool) - before))
            row(f"hands list, {name}, the browser's CPU", median(times), 100, " ms")
        page.context.close()


def main() -> None:
    """Measure and print."""
    with long_run() as folder:
        print_server(folder)
        print_browser(folder)


if __name__ == "__main__":
    main()
