"""Every page opens on real runs, served and from the single file, without an error and without asking another host."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import EVIL, MINUS, Runs, as_number, settled, until

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def test_the_list_leads_to_both_runs(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(server)
    assert page.locator("h1").inner_text() == "Runs"
    for run in (runs.bots, runs.models):
        page.get_by_role("link", name=run).first.click()
        until(page, f"document.querySelector('h1')?.textContent.includes('{run}')")
        page.go_back()
        until(page, "document.querySelector('h1')?.textContent === 'Runs'")


def test_the_run_page_shows_every_part_of_a_run_of_bots(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}")
    until(page, "document.querySelector('#part-grades') && document.querySelector('#part-winnings')")
    titles = page.locator("main h2").all_inner_texts()
    assert titles == [
        "Leaderboard",
        "Head to head",
        "Match by match",
        "Winnings and luck",
        "Playing styles",
        "Grade of decisions",
        "Matches",
        "Disclosure card",
        "Reproduce this run",
        "Words on this page",
    ]
    rows = page.locator(".leaderboard tbody tr")
    assert rows.count() == 4
    assert all(re.search(rf"[+{MINUS}]\d", text) for text in rows.all_inner_texts())
    assert page.locator(".leaderboard tbody .interval circle").count() == 4
    until(page, "document.querySelectorAll('.chart svg path.line').length >= 8")


def test_costs_and_faults_are_shown_where_there_are_some(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.models}")
    titles = page.locator("main h2").all_inner_texts()
    assert "What it cost" in titles
    assert "Faults" in titles
    page.locator("#part-faults a").first.click()
    page.wait_for_selector(".felt")


def test_a_link_to_a_part_goes_there(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}?at=matches")
    assert page.locator("#part-matches h2").evaluate("e => e === document.activeElement")
    page.get_by_role("navigation", name="On this page").get_by_role("link", name="Leaderboard").click()
    until(page, "document.activeElement.id === 'title-leaderboard'")


def test_a_match_leads_to_its_biggest_hand(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/match/1")
    nets = [abs(as_number(text)) for text in page.locator("tbody tr td:nth-child(2)").all_inner_texts()]
    assert nets == sorted(nets, reverse=True), "biggest swings first"
    page.locator("tbody tr a").first.click()
    page.wait_for_selector(".felt")
    assert page.locator(".felt").count() == 2


def test_history_shows_one_agent_over_its_runs(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/history")
    page.locator("tbody").first.get_by_role("link", name="tight").click()
    until(page, "document.querySelector('h1')?.textContent === 'tight'")
    assert page.locator("main table tbody").first.locator("tr").count() == 2


def test_a_page_that_is_not_there_says_so_and_leads_back(visit: Visit, server: str) -> None:
    page = visit(server)
    page.evaluate("location.hash = '#/nowhere'")
    page.wait_for_selector(".failure")
    page.get_by_role("link", name="Back to all runs").click()
    until(page, "document.querySelector('h1')?.textContent === 'Runs'")


def test_going_back_returns_to_where_one_was(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}")
    page.evaluate("window.scrollTo(0, 700)")
    page.wait_for_timeout(150)
    page.evaluate(f"location.hash = '#/run/{runs.bots}/match/1'")
    until(page, "document.querySelector('h1')?.textContent.startsWith('Match 1')")
    page.go_back()
    until(page, "window.scrollY === 700")


def test_the_theme_can_be_chosen_and_is_remembered(visit: Visit, server: str) -> None:
    page = visit(server)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    page.locator("#theme").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    page.reload()
    settled(page)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_the_config_can_be_copied(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#part-reproduce .copy").first.click()
    until(page, "document.querySelector('#part-reproduce .copy').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()").startswith("molt-bench ")


def test_the_single_file_holds_every_page(visit: Visit, single: str) -> None:
    page = visit(f"{single}#/")
    assert page.locator(".leaderboard tbody tr").count() == 3
    page.get_by_role("link", name="Hands", exact=True).click()
    page.wait_for_selector(".v-space .v-row")
    page.locator(".v-space .v-row a").first.click()
    page.wait_for_selector(".felt")
    page.get_by_role("link", name="Match 1").click()
    until(page, "document.querySelector('h1')?.textContent.startsWith('Match 1')")


def test_names_and_replies_are_text_and_nothing_else(visit: Visit, server: str, single: str, runs: Runs) -> None:
    for start, run in ((server, runs.models), (f"{single}", "run")):
        page = visit(f"{start}#/run/{run}")
        text = page.locator("main").inner_text()
        assert "<script>alert(1)</script>\\u202eevil\\u202c" in text
        assert EVIL not in text
        assert page.locator("main script, main img, main b").count() == 0
        assert "\u202e" not in page.locator("main").inner_html()


def test_a_reply_with_markup_is_shown_as_it_came_and_a_long_one_is_cut(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.models}/hands?agent=gpt")
    places = set(page.locator(".v-space .v-row a").evaluate_all("all => all.map((a) => a.hash.split('?')[0])"))
    seen = {"refused": False, "cut": False}
    for place in sorted(places):
        page.evaluate("hash => { location.hash = hash; }", place)
        until(page, f"document.querySelector('.felt') && location.hash.startsWith('{place}?')")
        for _ in range(int(page.locator("input.steps").get_attribute("max")) + 1):
            said = page.locator(".decision").all_inner_texts()
            seen["refused"] |= any("I refuse <img src=x onerror=alert(1)>" in text for text in said)
            more = page.get_by_role("button", name="Show all")
            if not seen["cut"] and more.count():
                more.first.click()
                long = "all => all.some((e) => e.textContent.length > 15000)"
                seen["cut"] = page.locator(".said, .prose").evaluate_all(long)
            page.keyboard.press("ArrowRight")
        if all(seen.values()):
            break
    assert seen == {"refused": True, "cut": True}
    assert page.locator("main script, main img, main b").count() == 0
