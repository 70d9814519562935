"""Measure how fast the pages of a run of 100,000 hands are there: `make viewing`, about two minutes.

The server's part is also in `make pipeline`. It is CPU time, so that a busy machine says the same. Of the browser it is
the CPU time of the page's main thread. `usable` is what a reader waits, by the clock: of a busy machine it says little.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, sleep
from typing import Any

import msgspec

from molt_bench.view.library import Library, answer
from molt_bench.view.run_list import RunList

HANDS = 100_000
ROUNDS = 5
PAGES = {"run page": "", "hands list": "/hands"}
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
    (run,) = RunList(folder).ids()
    paths = (
        [f"api/runs/{run}.json"]
        if page == "run page"
        else [f"api/runs/{run}/{name}.json" for name in ("names", "hands")]
    )
    start, size = process_time(), 0
    library = Library(folder)
    for path in paths:
        size += len(gzip.compress(msgspec.json.encode(answer(library, path)), compresslevel=1, mtime=0))
    return process_time() - start, size


def print_server(row: Callable[..., None], folder: Path) -> None:
    """Print what the server needs."""
    for name, (seconds, size) in seconds_of_pages(folder).items():
        row(f"{name} of {HANDS:,} hands, the server's CPU", seconds, GOALS[name], " s", digits=2)
        print(f"  it sends {size / 1024:,.0f} KiB")


@contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """Yield the address of the viewer, when it has loaded what it needs."""
    command = [program(), "view", str(folder), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+/", process.stdout.readline())
            assert found is not None
            before = -1.0
            while before != (before := _cpu_of(process.pid)):
                sleep(1)
            yield found[0]
        finally:
            process.terminate()


def _cpu_of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def print_browser(row: Callable[..., None], folder: Path) -> None:
    """Print what the browser needs, and what a reader waits."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    (run,) = RunList(folder).ids()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        for name, place in PAGES.items():
            times = []
            for _ in range(3):
                with viewer(folder) as url:
                    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
                    tool = page.context.new_cdp_session(page)
                    tool.send("Performance.enable", {"timeDomain": "threadTicks"})
                    start = perf_counter()
                    page.goto(f"{url}#/run/{run}{place}")
                    page.wait_for_selector(READY[name])
                    times.append((perf_counter() - start, _spent(tool)))
                    if name == "hands list" and len(times) == 3:
                        _print_acts(row, page, tool)
                    page.context.close()
            row(f"{name}, the browser's CPU", median(each[1] for each in times), GOALS[name], " s", digits=2)
            row(f"{name}, usable, wall clock, cold", median(each[0] for each in times), GOALS[name], " s", digits=2)
        browser.close()


def _spent(tool: Any) -> float:
    found = {each["name"]: each["value"] for each in tool.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"])


def _print_acts(row: Callable[..., None], page: Any, tool: Any) -> None:
    page.evaluate(SETUP)
    for name, act in ACTS.items():
        times = []
        for at in range(ROUNDS):
            before = _spent(tool)
            page.evaluate(f"({act})({at})")
            times.append(1000 * (_spent(tool) - before))
        row(f"hands list, {name}, the browser's CPU", median(times), 100, " ms")


def main() -> None:
    """Measure and print."""
    from pipeline import machine, row

    machine()
    with long_run() as folder:
        print_server(row, folder)
        print_browser(row, folder)


if __name__ == "__main__":
    main()
