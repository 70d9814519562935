"""Grades in the pages: the reference's mix at a decision, mistakes in the list of hands, the section of a run."""

import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Runs, as_number, until
from tests.browser.listed import rows

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def told(server: str, path: str) -> Any:
    with urllib.request.urlopen(f"{server}api/runs/{path}.json") as answer:
        return json.load(answer)


def test_the_replayer_shows_the_mix_and_what_was_given_away(visit: Visit, server: str, runs: Runs) -> None:
    side = told(server, f"{runs.bots}/hand/3/1/2")["sides"][0]
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2?seating=AB&decision=1")
    pane = page.locator("section.side").first
    grade = side["grades"][1]
    rows = pane.locator(".mix-row")
    assert rows.count() == len(grade["options"])
    for row, option in zip(rows.all(), grade["options"], strict=True):
        shares = row.locator(".share").all_inner_texts()
        assert as_number(shares[0].rstrip("%")) == pytest.approx(100 * option["chance"], abs=0.51)
        assert as_number(shares[1].removesuffix(" bb")) == pytest.approx(option["value"], abs=0.0051)
    said = pane.locator(".mix p").last.inner_text()
    assert (f"Gives away {grade['loss']:.2f} bb" in said) if grade["loss"] else ("Nothing is better" in said)


def test_hands_are_filtered_and_sorted_by_the_size_of_the_mistake(visit: Visit, server: str, runs: Runs) -> None:
    listed = rows(server, runs.bots)
    page = visit(f"{server}#/run/{runs.bots}/hands?sort=loss&down=1")
    page.locator("#filter-mistake").fill("1")
    expected = sum(max(row.losses) >= 1000 for row in listed)
    until(page, f"document.querySelector('.count').textContent.startsWith('{expected:,} of')")
    shown = [as_number(text) for text in page.locator(".v-space .v-loss").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    page.locator("#filter-agent").select_option("tag")
    own = [row for row in listed if "tag" in row.players]
    expected = sum(row.losses[row.players.index("tag")] >= 1000 for row in own)
    until(page, f"document.querySelector('.count').textContent.startsWith('{expected:,} of')")


def test_the_page_of_a_graded_run_leads_to_the_costliest_decision(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}?at=grades")
    section = page.locator("#part-grades")
    assert "not the ranking" in section.inner_text()
    section.locator("summary").click()
    lost = section.locator("details tbody tr").first.locator("td").last.inner_text()
    section.locator("details tbody a").first.click()
    until(page, "document.querySelector('.mix')")
    said = re.findall(r"Gives away ([\d,.]+) bb", page.locator(".duplicate").inner_text())
    assert as_number(lost) in [pytest.approx(as_number(each), abs=0.011) for each in said]


def test_a_run_without_grades_and_a_single_file_show_none(visit: Visit, server: str, single: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.models}/hands")
    assert page.locator("#filter-mistake").count() == 0
    page = visit(f"{single}#/run/run/hand/1/0/1?step=3")
    assert page.locator(".felt").count() >= 1
    assert page.locator(".mix").count() == 0


def test_a_key_leads_to_the_next_costly_decision_also_in_a_later_hand(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/1/0/1?step=0")
    seen = set()
    for _ in range(4):
        before = page.evaluate("location.hash")
        page.keyboard.press("n")
        until(page, f"location.hash !== {before!r} && document.querySelector('.decision .mix p.bad')")
        seen.add(page.evaluate("location.hash"))
    assert len(seen) == 4
