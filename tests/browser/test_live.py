"""A run that goes on: its page keeps itself up to date and leaves the reader in peace."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from molt_bench.runs.line_file import LineFile
from tests.browser.axe import findings
from tests.browser.conftest import PROGRAM, Runs, until, viewing

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def matches(page: Any) -> int:
    return int(page.locator(".facts dd").first.inner_text().replace(",", ""))


@contextmanager
def played(folder: Path, *, seeds: int, matches: int) -> Iterator[Callable[[int], None]]:
    """Play a run that stands still; what is yielded lets it play so many matches more, at least."""
    sizes = ["--seeds", str(seeds), "--hands", "40", "--max-matches", str(matches)]
    more = ["--set", "stop.adjacentConfidence=null", "--quiet", "--output-dir", str(folder)]
    command = [*PROGRAM, "--participants", "tag,tight,callstation,maniac", *sizes, *more]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def lines() -> int:
        return sum(path.read_bytes().count(b"\n") for path in folder.glob("*/journal.jsonl"))

    def play_on(more_matches: int) -> None:
        wanted = min(lines() + 2 * seeds * more_matches, 1 + 2 * seeds * matches)
        process.send_signal(signal.SIGCONT)
        deadline = monotonic() + 120
        while lines() < wanted:
            assert monotonic() < deadline
            sleep(0.02)
        process.send_signal(signal.SIGSTOP if more_matches < matches else signal.SIGCONT)

    try:
        yield play_on
    finally:
        process.kill()
        process.wait(30)


def test_a_running_run_updates_itself_and_loses_neither_scroll_nor_choice(visit: Visit, tmp_path: Path) -> None:
    """The run stands still while it is looked at: it cannot end before the browser has started."""
    with played(tmp_path, seeds=3, matches=80) as play_on, closing(viewing(tmp_path)) as viewer:
        play_on(8)
        page = visit(next(viewer))
        until(page, "document.querySelector('.card')?.textContent.includes('In progress')", seconds=60)
        page.locator(".card a").first.click()
        page.wait_for_selector(".facts dd")
        assert page.locator(".badge").first.inner_text() == "running"
        until(page, "document.querySelectorAll('#part-winnings option').length > 0", seconds=60)
        page.locator("#part-convergence summary").first.click()
        page.wait_for_selector("#part-convergence details table")
        page.locator("#winnings-pair").select_option(index=1)
        page.locator("#winnings-pair").focus()
        page.evaluate("document.getElementById('part-winnings').scrollIntoView()")
        before = matches(page)
        place = page.locator("#part-winnings").bounding_box()["y"]
        for _ in range(2):
            play_on(3)
            until(page, f"Number(document.querySelector('.facts dd').textContent) > {before + 1}", seconds=120)
            before = matches(page)
            assert page.locator("#part-convergence details table").is_visible(), "what was opened stays open"
            assert abs(page.locator("#part-winnings").bounding_box()["y"] - place) < 3, "what is looked at stays there"
            assert page.locator("#winnings-pair").evaluate("e => e.selectedIndex") == 1
            assert page.evaluate("document.activeElement.id") == "winnings-pair"
        assert "match" in page.locator("#status").inner_text()
        play_on(80)
        until(page, "document.querySelector('.badge')?.textContent === 'finished'", seconds=120)
        until(page, "document.querySelector('#status').textContent.includes('finished')", seconds=60)
        until(page, "document.querySelector('.facts dd').textContent === '80'", seconds=60)
        until(page, "!document.querySelector('main .live')", seconds=120)  # it does not ask any more
        page.close()


class Rewritten:
    """The journal of a finished run, written again line by line, as a run in progress writes it.

    Attributes:
        left: The lines that are still to be written.
    """

    def __init__(self, source: Path, folder: Path, first: int) -> None:
        folder.mkdir()
        lines = (source / "journal.jsonl").read_bytes().splitlines()
        (folder / "master-seed").write_text(json.loads(lines[-1]).get("masterSeed", ""))
        (folder / "journal.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[:first]))
        self._file = LineFile(str(folder / "journal.jsonl"), new=False)
        self._file.cut((folder / "journal.jsonl").stat().st_size)
        self.left = lines[first:]

    def write(self, lines: int) -> None:
        """Write so many lines more."""
        for line in self.left[:lines]:
            self._file.append(line)
        self.left = self.left[lines:]

    def close(self) -> None:
        """End the run."""
        self._file.close()


def test_the_hands_of_a_running_run_update_themselves(visit: Visit, runs: Runs, tmp_path: Path) -> None:
    journal = Rewritten(runs.folder / runs.bots, tmp_path / runs.bots, 12)
    with closing(journal), closing(viewing(tmp_path)) as viewer:
        page = visit(f"{next(viewer)}#/run/{runs.bots}/hands")
        count = page.locator(".count")
        assert count.inner_text().endswith("hands so far")
        assert "1 of 6 matches" in page.locator(".live-now").inner_text()
        assert "Time to go" in page.locator(".live-now").inner_text()
        assert findings(page) == []
        page.locator("#filter-lines").select_option("no")
        page.evaluate("document.querySelector('.v-list').scrollTop = 100")
        before = count.inner_text()
        journal.write(8)
        until(page, f"document.querySelector('.count').textContent !== {before!r}", seconds=60)
        assert page.locator("#filter-lines").input_value() == "no"
        assert page.evaluate("document.querySelector('.v-list').scrollTop") == 100
        until(page, "document.querySelector('.live-now').textContent.includes('2 of 6 matches')", seconds=60)
        journal.write(100)
        journal.close()
        until(page, "!document.querySelector('.count').textContent.includes('so far')", seconds=60)
        assert page.locator(".live-now").count() == 0
        assert count.inner_text().endswith("of 960 hands")


OPEN = "document.getElementById('{}')?.matches(':open')"


def test_a_list_that_is_open_stays_open_while_the_page_updates(visit: Visit, runs: Runs, tmp_path: Path) -> None:
    """In a filter of the hands, and on the page of the run."""
    journal = Rewritten(runs.folder / runs.bots, tmp_path / runs.bots, 18)
    with closing(journal), closing(viewing(tmp_path)) as viewer:
        url = next(viewer)
        shown = {
            "filter-agent": (f"{url}#/run/{runs.bots}/hands", ".count"),
            "winnings-pair": (f"{url}#/run/{runs.bots}", ".facts dd"),
        }
        for control, (address, number) in shown.items():
            page = visit(address)
            until(page, f"document.querySelectorAll('#{control} option').length > 0", seconds=60)
            page.locator(f"#{control}").click()
            assert page.evaluate(OPEN.format(control))
            before = page.locator(number).first.inner_text()
            journal.write(8)
            until(page, f"document.querySelector('{number}').textContent !== {before!r}", seconds=60)
            assert page.evaluate(OPEN.format(control))
            page.close()


def test_hands_that_were_read_before_the_run_ended_are_read_again(visit: Visit, runs: Runs, tmp_path: Path) -> None:
    """Names and hands are two answers: the run may end between them."""
    journal = Rewritten(runs.folder / runs.bots, tmp_path / runs.bots, 12)
    with closing(journal), closing(viewing(tmp_path)) as viewer:
        url = next(viewer)
        page = visit(url)
        before = [page.request.get(f"{url}api/runs/{runs.bots}/hands.json").body()]
        journal.write(100)
        journal.close()
        page.route(
            "**/hands.json",
            lambda route: (
                route.fulfill(body=before.pop(), content_type="application/json") if before else route.continue_()
            ),
        )
        page.goto(f"{url}#/run/{runs.bots}/hands")
        until(page, "document.querySelector('.count')?.textContent.endsWith('of 960 hands')", seconds=60)
        assert page.locator(".live-now").count() == 0
        assert not before
