"""The duplicate replayer is stepped through by keyboard, and every hand and step has a link of its own."""

import json
import urllib.request
from collections.abc import Callable
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


def test_arrow_keys_step_through_both_seatings(visit: Visit, server: str, runs: Runs) -> None:
    data = hand(server, runs.bots, "3/1/2")
    last = max(len(side["steps"]) for side in data["sides"])
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
    assert counter(page) == f"Step 1 of {last}"
    for at in range(1, last):
        page.keyboard.press("ArrowRight")
        assert counter(page) == f"Step {at + 1} of {last}"
        for pane, side in zip(page.locator("section.side").all(), data["sides"], strict=True):
            step = side["steps"][min(at, len(side["steps"]) - 1)]
            assert step["text"] in pane.locator("[aria-current=step]").inner_text()
            assert pane.locator(".board .playing:not(.slot)").count() == len(step["board"])
            assert f"{step['pot']:,}" in pane.locator(".felt .pot").inner_text()
    page.keyboard.press("ArrowRight")
    assert counter(page) == f"Step {last} of {last}", "it stays at the end"
    page.keyboard.press("ArrowLeft")
    assert counter(page) == f"Step {last - 1} of {last}"
    page.keyboard.press("Home")
    assert counter(page) == f"Step 1 of {last}"
    page.keyboard.press("End")
    assert counter(page) == f"Step {last} of {last}"


def test_up_and_down_go_to_the_neighbouring_hands(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
    page.keyboard.press("ArrowDown")
    until(page, "location.hash.includes('/hand/3/1/3') && document.querySelector('.felt')")
    until(page, "document.querySelector('h1')?.textContent.includes('hand 3')")
    page.keyboard.press("ArrowUp")
    until(page, "document.querySelector('h1')?.textContent.includes('hand 2')")


def test_space_plays_and_pauses_and_a_question_mark_lists_the_keys(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
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
    assert f"The lines diverge at step {data['parted'] + 1}" in page.locator(".summary").inner_text()
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
