"""The list of hands: filters, sorting, links, and 100,000 rows."""

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Runs, as_number, until

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def columns(server: str, run: str) -> Any:
    with urllib.request.urlopen(f"{server}api/runs/{run}/hands.json") as answer:
        return json.load(answer)


def count(page: Any) -> int:
    return int(page.locator(".count").inner_text().split(" ")[0].replace(",", ""))


def test_each_filter_leaves_the_hands_it_names(visit: Visit, server: str, runs: Runs) -> None:
    data = columns(server, runs.models)
    cells = data["columns"]
    total = len(cells["net"])
    flags, agent = cells["flags"], data["agents"].index("gpt")
    page = visit(f"{server}#/run/{runs.models}/hands")
    assert count(page) == total
    expected = {
        "street": ("3", sum(street == 3 for street in cells["street"])),
        "showdown": ("yes", sum(bool(flag & 1) for flag in flags)),
        "allin": ("no", sum(not flag & 2 for flag in flags)),
        "fault": ("yes", sum(bool(flag & 12) for flag in flags)),
        "agent": ("gpt", sum(agent in pair for pair in zip(cells["a"], cells["b"], strict=True))),
    }
    for field, (value, hands) in expected.items():
        page.get_by_role("button", name="Clear").click()
        page.locator(f"#filter-{field}").select_option(value)
        assert count(page) == hands, field
        assert f"{field}={value}" in page.url
    page.get_by_role("button", name="Clear").click()
    page.locator("#filter-pot").fill("4")
    assert count(page) == sum(pot >= 400 for pot in cells["pot"])


def test_filters_and_order_are_in_the_link(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hands?showdown=yes&sort=pot&down=1")
    assert page.locator("#filter-showdown").input_value() == "yes"
    pots = [as_number(text) for text in page.locator(".v-space .v-pot").all_inner_texts()]
    assert pots == sorted(pots, reverse=True)
    assert len(pots) > 5


def test_the_biggest_swings_come_first_on_demand_and_lead_to_their_hand(visit: Visit, server: str, runs: Runs) -> None:
    data = columns(server, runs.bots)["columns"]
    page = visit(f"{server}#/run/{runs.bots}/hands")
    page.get_by_role("button", name="Biggest swings first").click()
    first = page.locator(".v-space .v-row").first.locator(".v-net").inner_text()
    assert abs(as_number(first)) == max(map(abs, data["net"])) / 100
    page.locator(".v-space .v-row a").first.click()
    page.wait_for_selector(".felt")


def test_who_comes_back_from_a_hand_finds_the_list_where_it_was(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hands?sort=pot&down=1")
    page.evaluate("document.querySelector('.v-list').scrollTop = 4000")
    page.wait_for_timeout(200)
    page.locator(".v-space .v-row a").nth(12).click()
    page.wait_for_selector(".felt")
    page.go_back()
    until(page, "document.querySelector('.v-list')?.scrollTop === 4000")


def test_no_hand_passing_is_said(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hands?pot=100000")
    assert page.get_by_text("No hand passes these filters.").is_visible()


def test_a_hundred_thousand_hands_scroll_and_filter_without_lag(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}")
    rows = 100_000
    many = {
        **{key: value for key, value in columns(server, runs.bots).items() if key != "losses"},
        "columns": {
            **{key: [at % 169 for at in range(rows)] for key in ("cardsA", "cardsB")},
            **{key: [0] * rows for key in ("faultsA", "faultsB")},
            "match": [1 + at // 4000 for at in range(rows)],
            "seed": [at // 40 % 100 for at in range(rows)],
            "seating": [at % 2 for at in range(rows)],
            "hand": [1 + at % 40 for at in range(rows)],
            "a": [at % 3 for at in range(rows)],
            "b": [3] * rows,
            "net": [at * 7919 % 20001 - 10000 for at in range(rows)],
            "pot": [at * 104729 % 20000 for at in range(rows)],
            "street": [at % 4 for at in range(rows)],
            "flags": [at % 8 for at in range(rows)],
        },
    }
    page.route("**/lines/*.json", lambda route: route.fulfill(json={}))
    page.route("**/hands.json", lambda route: route.fulfill(json=many))
    page.evaluate(f"location.hash = '#/run/{runs.bots}/hands'")
    page.wait_for_selector(".v-space .v-row", timeout=120_000)  # the driver hands over four megabytes
    assert count(page) == rows
    usual = page.evaluate("""async () => {
      const box = document.querySelector(".v-list");
      const times = [];
      for (let at = 0; at < 60; at += 1) {
        const began = performance.now();
        box.scrollTop = (box.scrollHeight / 60) * at;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - began);
      }
      return times.sort((one, other) => one - other)[30];
    }""")
    assert usual < 400, "a scroll takes a few frames, on a busy machine too"
    assert page.locator(".v-space .v-row").count() < 100, "only rows on screen exist"
    page.evaluate("document.querySelector('.v-list').scrollTop = 1e9")
    until(page, "document.querySelector('.v-space').lastChild.getAttribute('aria-rowindex') === '100001'")
    took = page.evaluate("""() => {
      const select = document.getElementById("filter-street");
      const times = ["1", "3", "0", "2"].map((street) => {
        const began = performance.now();
        select.value = street;
        select.dispatchEvent(new Event("change"));
        return performance.now() - began;
      });
      return Math.min(...times);
    }""")
    assert took < 400
    assert count(page) == 25_000
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Pot bb").click()
    pots = [as_number(text) for text in page.locator(".v-space .v-pot").all_inner_texts()]
    largest = sorted(many["columns"]["pot"], reverse=True)
    assert pots == [pot / 100 for pot in largest[: len(pots)]]
