"""The list of hands: filters, sorting, links, and 100,000 rows."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Runs, as_number, until, with_modules
from tests.browser.listed import MARKS, hands_of, rows

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def count(page: Any) -> int:
    return int(page.locator(".count").inner_text().split(" ")[0].replace(",", ""))


COLUMNS_OF = """async (run) => {
  const { listOnce } = await import("./listing.js");
  const { columns, startingHands, faultKinds } = await listOnce(run);
  const kinds = (bits) => faultKinds.filter((_, at) => bits & (1 << at));
  return Array.from(columns.net, (net, at) => ({
    place: [columns.match[at], columns.seed[at], columns.hand[at]],
    ...{ seating: columns.seating[at], net, pot: columns.pot[at], street: columns.street[at] },
    flags: columns.flags[at],
    cards: [startingHands[columns.cardsA[at]], startingHands[columns.cardsB[at]]],
    faults: [kinds(columns.faultsA[at]), kinds(columns.faultsB[at])],
  }));
}"""


@pytest.mark.parametrize("which", ["bots", "models"])
def test_the_browser_reads_hands_as_the_rules_do(visit: Visit, server: str, runs: Runs, which: str) -> None:
    run = getattr(runs, which)
    found = with_modules(visit, server).evaluate(COLUMNS_OF, run)
    expected = rows(server, run)
    assert len(found) == len(expected) > 0
    for one, row in zip(found, expected, strict=True):
        assert (tuple(one["place"]), one["seating"]) == (row.place, row.seating)
        assert (one["net"], one["pot"], one["street"]) == (row.net, row.pot, row.street), row
        assert {mark for at, mark in enumerate(MARKS) if one["flags"] >> at & 1} == row.marks, row
        assert one["cards"] == row.cards
        assert [{*kinds} for kinds in one["faults"]] == row.faults


def test_each_filter_leaves_the_hands_it_names(visit: Visit, server: str, runs: Runs) -> None:
    listed = rows(server, runs.models)
    page = visit(f"{server}#/run/{runs.models}/hands")
    assert count(page) == len(listed)
    expected = {
        "street": ("3", sum(row.street == 3 for row in listed)),
        "showdown": ("yes", sum("showdown" in row.marks for row in listed)),
        "allin": ("no", sum("all_in" not in row.marks for row in listed)),
        "fault": ("yes", sum(bool({"fault", "forced"} & row.marks) for row in listed)),
        "agent": ("gpt", sum("gpt" in row.players for row in listed)),
    }
    for field, (value, hands) in expected.items():
        page.get_by_role("button", name="Clear").click()
        page.locator(f"#filter-{field}").select_option(value)
        assert count(page) == hands, field
        assert f"{field}={value}" in page.url
    page.get_by_role("button", name="Clear").click()
    page.locator("#filter-pot").fill("4")
    assert count(page) == sum(row.pot >= 400 for row in listed)


def test_filters_and_order_are_in_the_link(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hands?showdown=yes&sort=pot&down=1")
    assert page.locator("#filter-showdown").input_value() == "yes"
    pots = [as_number(text) for text in page.locator(".v-space .v-pot").all_inner_texts()]
    assert pots == sorted(pots, reverse=True)
    assert len(pots) > 5


def test_the_biggest_swings_come_first_on_demand_and_lead_to_their_hand(visit: Visit, server: str, runs: Runs) -> None:
    listed = rows(server, runs.bots)
    page = visit(f"{server}#/run/{runs.bots}/hands")
    page.get_by_role("button", name="Biggest swings first").click()
    first = page.locator(".v-space .v-row").first.locator(".v-net").inner_text()
    assert abs(as_number(first)) == max(abs(row.net) for row in listed) / 100
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
    lines = ["r{0}f", "r{0}c/kk/kr{0}f", "r{0}c/kr{0}f", "r{0}c/kk/kk/kk"]
    known = hands_of(server, runs.bots)
    first = known["games"][0]["hands"][0].split(":")
    games = [
        {
            **known["games"][at % 2],
            "match": 1 + at // 20,
            "seed": at % 20,
            "faults": [],
            "losses": None,
            "hands": [
                ":".join([str(hand), *first[1:4], "AhKd|7c2d|2h3s4h9cTd", lines[hand % 4].format(200 + at), "-200"])
                for hand in range(1, 101)
            ],
        }
        for at in range(1000)
    ]
    total = 100_000
    page.route("**/hands.json", lambda route: route.fulfill(json={**known, "games": games}))
    page.evaluate(f"location.hash = '#/run/{runs.bots}/hands'")
    page.wait_for_selector(".v-space .v-row", timeout=120_000)  # the driver hands over some megabytes
    assert count(page) == total
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
    assert pots == sorted(pots, reverse=True)
