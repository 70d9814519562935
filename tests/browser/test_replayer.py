"""The duplicate replayer is stepped through by keyboard, and every hand and step has a link of its own."""

import json
import urllib.request
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import pytest

from tests.browser.conftest import Runs, until

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def hand(server: str, run: str, place: str) -> Any:
    with urllib.request.urlopen(f"{server}api/runs/{run}/hand/{place}.json") as answer:
        return json.load(answer)


def counter(page: Any) -> str:
    return str(page.locator(".counter").inner_text())


def rows_of(data: Any) -> list[list[int | None]]:
    """Return which steps of both sides stand side by side: the first ones of each street, then the second ones."""
    found: list[list[int | None]] = []
    for street in ("preflop", "flop", "turn", "river"):
        own = [[at for at, step in enumerate(side["steps"]) if step["street"] == street] for side in data["sides"]]
        found += [list(row) for row in zip_longest(*own)]
    return found


def test_arrow_keys_step_through_both_seatings_aligned_by_street(visit: Visit, server: str, runs: Runs) -> None:
    data = hand(server, runs.bots, "3/1/2")
    rows = rows_of(data)
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
    decided = [
        [None if at is None else data["sides"][side]["steps"][at]["decision"] for side, at in enumerate(row)]
        for row in rows
    ]
    first = next(at for at, found in enumerate(decided) if found != [None, None])
    assert counter(page) == f"Step {first + 1} of {len(rows)}", "it starts at the first decision"
    page.keyboard.press("Home")
    now = [0, 0]
    for at, row in enumerate(rows):
        if at:
            page.keyboard.press("ArrowRight")
        assert counter(page) == f"Step {at + 1} of {len(rows)}"
        now = [before if cell is None else cell for before, cell in zip(now, row, strict=True)]
        current = page.locator(".lines .now td").all()
        for pane, cell, side, index in zip(
            page.locator("section.side").all(), current, data["sides"], now, strict=True
        ):
            step = side["steps"][index]
            if row[data["sides"].index(side)] is not None:
                assert step["text"] in cell.locator("[aria-current=step]").inner_text()
            assert pane.locator(".board .playing:not(.slot):not(.ghost)").count() == len(step["board"])
            assert f"{step['pot']:,}" in pane.locator(".felt .pot").inner_text()
    last = len(rows)
    page.keyboard.press("ArrowRight")
    assert counter(page) == f"Step {last} of {last}", "it stays at the end"
    page.keyboard.press("ArrowLeft")
    assert counter(page) == f"Step {last - 1} of {last}"
    page.keyboard.press("Home")
    assert counter(page) == f"Step 1 of {last}"
    page.keyboard.press("End")
    assert counter(page) == f"Step {last} of {last}"


def test_numbers_jump_to_the_streets(visit: Visit, server: str, runs: Runs) -> None:
    data = hand(server, runs.bots, "3/1/2")
    flop = next(at for at, row in enumerate(rows_of(data)) if "flop" in street_of(data, row))
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
    page.keyboard.press("2")
    assert counter(page).startswith(f"Step {flop + 1} of")
    page.keyboard.press("1")
    assert counter(page).startswith("Step 1 of")


def street_of(data: Any, row: list[int | None]) -> set[str]:
    return {side["steps"][at]["street"] for side, at in zip(data["sides"], row, strict=True) if at is not None}


def test_cards_lie_face_down_until_the_showdown_on_demand(visit: Visit, server: str, runs: Runs) -> None:
    number = ends(server, runs, showdown=True)
    data = hand(server, runs.bots, f"3/1/{number}")
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/{number}?step=4")
    side = page.locator("section.side").first
    everything = side.locator(".hole .playing:not(.back)").count()
    page.locator("#cards").select_option("none")
    assert (everything, side.locator(".hole .back").count()) == (4, 4)
    assert side.locator(".equity").count() == 0, "equities would tell"
    assert "won" not in page.locator(".summary").inner_text()
    texts = page.locator(".lines").inner_text()
    assert data["sides"][0]["steps"][-1]["text"] not in texts, "nor does the list of steps tell what comes"
    page.locator("#cards").select_option("A")
    shown = [card.get_attribute("aria-label") for card in side.locator(".hole .playing").all()]
    assert shown.count("hidden card") == 2
    assert shown[2 * data["sides"][0]["players"].index(1)] == "hidden card", "A sees its own"
    assert "cards=A" in page.url
    page.keyboard.press("End")
    assert side.locator(".hole .back").count() == 0
    assert side.locator(".equity").count() > 0
    assert "bb" in page.locator(".summary").inner_text()


def test_what_the_opponent_said_is_hidden_with_its_cards(visit: Visit, server: str, runs: Runs) -> None:
    # B may never have been asked in a hand, and the cards are others in every run.
    number, side, decision = next(
        (number, side, step["decision"])
        for number in range(1, 9)
        for side in hand(server, runs.models, f"1/0/{number}")["sides"][:1]
        for step in side["steps"]
        if step["decision"] is not None and side["players"][step["seat"]]
    )
    said = side["decisions"][decision]["exchange"]["attempts"][-1]["reply"]
    where = f"{server}#/run/{runs.models}/hand/1/0/{number}?seating=AB&decision={decision}"
    page = visit(f"{where}&cards=A")
    panel = page.locator("section.side").first.locator(".decision")
    assert panel.get_by_text("What was said is hidden with the cards.").is_visible()
    assert said[:20] not in panel.inner_text()
    page.locator("#cards").select_option("B")
    assert not panel.get_by_text("hidden with the cards").count()


def test_cards_that_were_not_dealt_are_grey_and_say_so(visit: Visit, server: str, runs: Runs) -> None:
    number = ends(server, runs, showdown=False)
    data = hand(server, runs.bots, f"3/1/{number}")
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/{number}?step=99")
    for pane, side in zip(page.locator("section.side").all(), data["sides"], strict=True):
        assert pane.locator(".ghost").count() == len(side["undealt"])
        assert pane.get_by_text("not dealt, would have come").count() == (1 if side["undealt"] else 0)
    page.keyboard.press("Home")
    assert page.locator(".ghost").count() == 0
    page.locator("#cards").select_option("none")
    for _ in range(len(rows_of(data)) - 1):
        assert page.locator(".ghost").count() == 0, "a line that has ended does not tell what comes in the other"
        page.keyboard.press("ArrowRight")
    assert page.locator(".ghost").count() > 0


def ends(server: str, runs: Runs, *, showdown: bool) -> int:
    """Return the number of a hand that ends with a showdown in both seatings, or without one in the first."""
    for number in range(1, 21):
        sides = hand(server, runs.bots, f"3/1/{number}")["sides"]
        shown = [any(step["kind"] == "showdown" for step in side["steps"]) for side in sides]
        if all(shown) if showdown else not shown[0]:
            return number
    raise AssertionError("no such hand")


def test_up_and_down_go_to_the_neighbouring_hands(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
    page.keyboard.press("ArrowDown")
    until(page, "location.hash.includes('/hand/3/1/3') && document.querySelector('.felt')")
    until(page, "document.querySelector('h1')?.textContent.includes('hand 3')")
    page.keyboard.press("ArrowUp")
    until(page, "document.querySelector('h1')?.textContent.includes('hand 2')")


def test_space_plays_and_pauses_and_a_question_mark_lists_the_keys(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2?step=0")
    page.keyboard.press("Space")
    until(page, "document.querySelector('.counter').textContent.startsWith('Step 3 ')", seconds=10)
    page.keyboard.press("Space")
    held = counter(page)
    page.wait_for_timeout(1500)
    assert counter(page) == held
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()


def test_a_link_opens_the_hand_at_its_step(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2?step=4", permissions=["clipboard-read", "clipboard-write"])
    assert counter(page).startswith("Step 5 of")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Copy link").click()
    until(page, "document.querySelector('.controls .copy').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == f"{server}#/run/{runs.bots}/hand/3/1/2?step=3"


def test_where_the_lines_diverge_is_marked_and_what_it_cost_is_said(visit: Visit, server: str, runs: Runs) -> None:
    for number in range(1, 21):
        data = hand(server, runs.bots, f"3/1/{number}")
        if data["parted"] is not None and data["cost"]:
            break
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/{number}")
    assert f"The lines diverge at step {data['parted'] + 1}:" in page.locator(".summary").inner_text()
    assert f"{abs(data['cost']):,.2f} bb" in page.locator(".summary").inner_text()
    page.get_by_role("button", name="Where the lines diverge").click()
    assert counter(page).startswith(f"Step {data['parted'] + 1} of")
    assert page.locator(".part-mark").count() >= 1


def test_the_same_cards_lie_in_the_same_seats_on_both_sides(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
    cards = [
        [card.get_attribute("aria-label") for card in side.locator(".hole .playing").all()]
        for side in page.locator("section.side").all()
    ]
    assert cards[0] == cards[1]
    assert len(cards[0]) == 4
    seats = [side.locator(".plate .who bdi").all_inner_texts() for side in page.locator("section.side").all()]
    assert seats[0] == seats[1][::-1]


def test_what_a_model_saw_and_said_is_beside_its_decision(visit: Visit, server: str, runs: Runs) -> None:
    data = hand(server, runs.models, "1/0/1")
    side = data["sides"][0]
    at = next(index for index, step in enumerate(side["steps"]) if step["decision"] is not None)
    exchange = side["decisions"][side["steps"][at]["decision"]]["exchange"]
    assert exchange
    page = visit(f"{server}#/run/{runs.models}/hand/1/0/1?step={at}")
    panel = page.locator("section.side").first.locator(".decision")
    assert exchange["model"] in panel.inner_text()
    panel.locator("summary", has_text="Prompt").first.click()
    assert exchange["attempts"][0]["prompt"][:40].split("\n")[0] in panel.inner_text()
