"""A run that goes on: its page keeps itself up to date and leaves the reader in peace."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import PROGRAM, until

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
