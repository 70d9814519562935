"""What models said is found from the list of hands, on a server, in a single file and on a published site."""

import functools
import http.server
import json
import re
import threading
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.axe import findings
from tests.browser.conftest import Runs, molt_bench, until

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def answer(server: str, run: str, query: str, *, regex: bool = False) -> list[dict[str, Any]]:
    """Return every attempt at a decision in which a model said something, and what of it."""
    with urllib.request.urlopen(f"{server}api/runs/{run}/said.json") as said:
        rows = json.load(said)
    pattern = re.compile(query if regex else re.escape(query), re.IGNORECASE | re.MULTILINE)
    found = []
    for match, seed, hand, seating, *_, reasoning, reply in rows:
        hit = pattern.search(reasoning or "") or pattern.search(reply)
        if hit:
            found.append({"place": (match, seed, hand, seating), "hit": hit[0]})
    return found


def many_hands(found: list[dict[str, Any]]) -> int:
    return len({each["place"] for each in found})


@pytest.fixture(scope="module")
def site(runs: Runs) -> Iterator[str]:
    """The address of a published site of the runs."""
    target = runs.folder.parent / "site"
    molt_bench("export", str(runs.folder), "--format", "site", "--output", str(target))
    handler = functools.partial(QuietHandler, directory=str(target))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_address[1]}/"
        served.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def find(page: Any, text: str, *, regex: bool = False) -> None:
    page.locator("#filter-regex").set_checked(regex)
    page.locator("#filter-q").fill(text)
    page.locator("#filter-q").press("Enter")
    until(page, "!document.querySelector('.count').textContent.startsWith('Searching')", seconds=40)


def hands(page: Any) -> int:
    return int(page.locator(".count").inner_text().split(" ")[0].replace(",", ""))


def test_hits_are_listed_and_lead_to_their_decision(visit: Visit, server: str, runs: Runs) -> None:
    found = answer(server, runs.models, "refuse")
    page = visit(f"{server}#/run/{runs.models}/hands")
    find(page, "refuse")
    assert hands(page) == many_hands(found) > 0
    assert page.locator(".found h2").inner_text().startswith(f"{len(found)} hits in ")
    assert page.locator(".hits li").count() == min(500, len(found))
    assert "q=refuse" in page.url
    assert findings(page) == []
    page.locator(".hits a").first.click()
    page.wait_for_selector(".felt")
    match, seed, hand, _ = found[0]["place"]
    assert f"/hand/{match}/{seed}/{hand}?" in page.url
    assert page.locator(".decision mark").first.inner_text() == found[0]["hit"]
    assert "in the list" in page.locator(".crumbs").inner_text()


@pytest.mark.parametrize("where", ["server", "single", "site"])
def test_texts_and_expressions_are_found_everywhere(
    visit: Visit, request: pytest.FixtureRequest, runs: Runs, server: str, where: str
) -> None:
    home = request.getfixturevalue(where)
    run = "run" if where == "single" else runs.models
    page = visit(f"{home}#/run/{run}/hands")
    for text, regex in (("REFUSE <img", False), (r"^i refuse\b.*img", True), (r"says \d*7\.$", True)):
        find(page, text, regex=regex)
        expected = answer(server, runs.models, text, regex=regex)
        assert hands(page) == many_hands(expected) > 0, text
        assert page.locator(".found h2").inner_text().startswith(f"{len(expected):,} hits in ")
    page.locator(".hits a").first.click()
    page.wait_for_selector(".felt")
    assert page.locator(".decision mark").count() > 0


@pytest.mark.parametrize("where", ["single", "site"])
def test_an_expression_that_takes_forever_does_not_freeze_the_page(
    visit: Visit, request: pytest.FixtureRequest, runs: Runs, where: str
) -> None:
    home = request.getfixturevalue(where)
    run = "run" if where == "single" else runs.models
    page = visit(f"{home}#/run/{run}/hands")
    find(page, "(.+)+(.+)+\N{SECTION SIGN}", regex=True)
    assert "stopped after 10 s" in page.locator(".warning").inner_text()


def test_a_bad_expression_is_one_clear_line(visit: Visit, server: str, single: str, runs: Runs) -> None:
    for home, run in ((server, runs.models), (single, "run")):
        page = visit(f"{home}#/run/{run}/hands")
        find(page, "[a", regex=True)
        assert page.locator(".warning").inner_text().startswith("not a regular expression: ")
        assert hands(page) == 0


def test_a_run_without_models_has_nothing_to_search(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hands")
    assert page.locator("#filter-q").count() == 0


def test_next_and_previous_stay_within_the_hits(visit: Visit, server: str, runs: Runs) -> None:
    deals = sorted({each["place"][:3] for each in answer(server, runs.models, "refuse")})
    page = visit(f"{server}#/run/{runs.models}/hands?q=refuse")
    page.locator(".v-space .v-row a").first.click()
    page.wait_for_selector(".felt")
    page.keyboard.press("ArrowDown")
    match, seed, hand = deals[1]
    until(page, f"location.hash.includes('/hand/{match}/{seed}/{hand}?')")
    until(page, f"document.querySelector('.crumbs').textContent.includes('2 of {len(deals)} in the list')")
