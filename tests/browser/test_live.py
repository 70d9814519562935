"""A run that goes on: its page keeps itself up to date and leaves the reader in peace."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from molt_bench.runs.lines import LineFile
from tests.browser.axe import findings
from tests.browser.conftest import PROGRAM, Runs, until

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def matches(page: Any) -> int:
    return int(page.locator(".facts dd").first.inner_text().replace(",", ""))


def test_a_running_run_updates_itself_and_loses_neither_scroll_nor_choice(visit: Visit, tmp_path: Path) -> None:
    participants = "tag,tight,callstation,maniac"
    sizes = ["--seeds", "6", "--hands", "60", "--max-matches", "80", "--set", "stop.adjacentConfidence=null"]
    playing = subprocess.Popen(
        [*PROGRAM, "--participants", participants, *sizes, "--quiet", "--output-dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    viewing = subprocess.Popen(
        [*PROGRAM, "view", str(tmp_path), "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert viewing.stdout is not None
        found = re.search(r"http://\S+/", viewing.stdout.readline())
        assert found
        page = visit(found[0])
        until(page, "document.querySelector('.card .leaders')", seconds=60)  # the list keeps itself up to date, too
        page.locator(".card a").first.click()
        page.wait_for_selector(".facts dd")
        assert page.locator(".badge").first.inner_text() == "running"
        until(page, "document.querySelectorAll('#part-winnings option').length > 2", seconds=60)
        page.locator("#winnings-pair").select_option(index=1)
        page.locator("#winnings-pair").focus()
        page.evaluate("document.getElementById('part-winnings').scrollIntoView()")
        page.wait_for_timeout(100)
        place = page.locator("#part-winnings").bounding_box()["y"]
        before = matches(page)
        until(page, f"Number(document.querySelector('.facts dd').textContent) > {before + 1}", seconds=60)
        assert abs(page.locator("#part-winnings").bounding_box()["y"] - place) < 3, "what is looked at stays there"
        assert page.locator("#winnings-pair").evaluate("e => e.selectedIndex") == 1
        assert page.evaluate("document.activeElement.id") == "winnings-pair"
        assert "match" in page.locator("#status").inner_text()
        until(page, "document.querySelector('.badge')?.textContent === 'finished'", seconds=120)
        until(page, "document.querySelector('#status').textContent.includes('finished')")
        until(page, "document.querySelector('.facts dd').textContent === '80'", seconds=60)
    finally:
        for process in (playing, viewing):
            process.terminate()
            process.wait(30)
            if process.stdout:
                process.stdout.close()


def test_the_hands_of_a_running_run_update_themselves(visit: Visit, runs: Runs, tmp_path: Path) -> None:
    """The journal of a finished run is written again, line by line, as a run in progress writes it."""
    folder = tmp_path / runs.bots
    folder.mkdir()
    lines = (runs.folder / runs.bots / "journal.jsonl").read_bytes().splitlines()
    (folder / "master-seed").write_text(json.loads(lines[-1]).get("masterSeed", ""))
    (folder / "journal.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[:12]))
    written = LineFile(str(folder / "journal.jsonl"), new=False)
    written.cut((folder / "journal.jsonl").stat().st_size)
    viewing = subprocess.Popen(
        [*PROGRAM, "view", str(tmp_path), "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert viewing.stdout is not None
        found = re.search(r"http://\S+/", viewing.stdout.readline())
        assert found
        page = visit(f"{found[0]}#/run/{runs.bots}/hands")
        count = page.locator(".count")
        assert count.inner_text().endswith("hands so far")
        assert "1 of 6 matches" in page.locator(".live-now").inner_text()
        assert "Time to go" in page.locator(".live-now").inner_text()
        assert findings(page) == []
        page.locator("#filter-lines").select_option("no")
        page.evaluate("document.querySelector('.v-list').scrollTop = 100")
        before = count.inner_text()
        for line in lines[12:20]:
            written.append(line)
        until(page, f"document.querySelector('.count').textContent !== {before!r}", seconds=60)
        assert page.locator("#filter-lines").input_value() == "no"
        assert page.evaluate("document.querySelector('.v-list').scrollTop") == 100
        until(page, "document.querySelector('.live-now').textContent.includes('2 of 6 matches')", seconds=60)
        for line in lines[20:]:
            written.append(line)
        written.close()
        until(page, "!document.querySelector('.count').textContent.includes('so far')", seconds=60)
        assert page.locator(".live-now").count() == 0
        assert count.inner_text().endswith("of 960 hands")
    finally:
        written.close()
        viewing.terminate()
        viewing.wait(30)
        if viewing.stdout:
            viewing.stdout.close()
