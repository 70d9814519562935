"""The table of a person in a browser: on a phone, by keys alone; reloads and second tabs do no harm."""

from typing import Any

import pytest

from molt_bench.config.sections import GameConfig
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from tests.browser.axe import findings
from tests.browser.conftest import until
from tests.serve.tables import TOKEN, Table, serving

pytestmark = pytest.mark.slow

EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
#: A key may answer a decision once it has been on the screen for so long, in milliseconds.
SETTLED_MS = 400
IS_OPEN = "document.getElementById('call').getAttribute('aria-disabled') === 'false'"


def a_lobby(**game: Any) -> Lobby:
    titles = {"live": EVIL}
    return Lobby([Invited("live", TOKEN, None, 1, "ab" * 16)], titles=titles, game=GameConfig(**game))


def opened(chromium: Any, table: Table, *, scheme: str = "light") -> tuple[Any, list[str]]:
    """Open the table page on a phone; return it, and a list of whatever goes wrong on it."""
    page = chromium.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme).new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.goto(f"{table.url}/table")
    return page, wrong


def decision(page: Any, after: str = "") -> str:
    """Wait until another decision is open, or the run is over; return its number, or nothing."""
    ended = "document.getElementById('said').textContent.includes('The run has ended')"
    number = "document.getElementById('actions').dataset.decision"
    until(page, f"{ended} || ({IS_OPEN} && {number} !== undefined && {number} !== '{after}')", seconds=120)
    if page.evaluate(f"() => {ended}"):
        return ""
    page.wait_for_timeout(SETTLED_MS)
    return str(page.evaluate(f"() => {number}"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_person_plays_ten_hands_on_a_phone_by_keys_alone(chromium: Any, scheme: str) -> None:
    with serving(a_lobby()) as table:
        page, wrong = opened(chromium, table, scheme=scheme)
        assert table.lobby.missing()  # looking is not sitting down
        assert not findings(page)
        page.keyboard.press("Enter")
        table.play(hands=10, close="ten hands are enough")
        pressed: list[str] = []
        number = decision(page)
        while number:
            checked = page.locator("#call").inner_text() == "Check"
            can_raise = page.locator("#raising").is_visible()
            turn = len(pressed) % 4
            if turn == 1 and can_raise:
                pressed.append("raiseTo")
                page.keyboard.press("h")
                page.keyboard.press("Enter")
            elif turn == 2 and can_raise:
                pressed.append("raiseTo")
                page.keyboard.press("r")
                page.keyboard.type("min")
                page.keyboard.press("Enter")
            elif turn == 3:
                pressed.append("fold")
                page.keyboard.press("f")
                if checked:
                    assert "Checking is free" in page.locator("#problem").inner_text()
                    page.keyboard.press("f")
            else:
                pressed.append("check" if checked else "call")
                page.keyboard.press("c")
            if len(pressed) == 3:
                assert page.evaluate("document.documentElement.scrollWidth") == 360
                assert not findings(page)
            number = decision(page, number)
        table.join()
        record = table.records[1]
        assert len(record.hand_texts) == 10
        assert record.faults == ()
        assert "The run has ended: ten hands are enough." in page.locator("#said").inner_text()
        assert len(pressed) >= 10
        assert {"fold", "raiseTo"} < {*pressed}
        assert not findings(page)
        assert not wrong
        page.context.close()


def test_what_the_table_shows_is_what_the_agent_was_sent(chromium: Any) -> None:
    with serving(a_lobby()) as table:
        page, wrong = opened(chromium, table)
        page.get_by_role("button", name="Sit down and play").click()
        table.play(hands=2, bot="maniac", close="over")
        decision(page)
        seen = table.turn(wait=0)["observation"]
        cards = page.locator("#felt .playing:not(.back):not(.slot)")
        assert cards.count() == 2 + len(seen["board"])
        assert page.locator("#felt .playing.back").count() == 2
        said = page.locator("#said").inner_text()
        assert f"Pot {seen['pot']:,}, {seen['toCall']:,} to call" in said
        assert page.locator("#said").get_attribute("role") == "status"
        assert page.locator("#clock").inner_text() in ("1:59", "2:00", "1:58", "1:57")
        page.locator("#amount").fill("1")
        page.get_by_role("button", name="Raise to").click()
        assert "too small" in page.locator("#problem").inner_text()
        assert page.locator("h1 img, h1 script").count() == 0
        assert EVIL in page.locator("h1").inner_text()
        html = page.evaluate("document.documentElement.outerHTML")
        assert TOKEN not in html  # it is in the address alone
        assert not wrong
        page.context.close()


def test_a_reload_and_a_second_tab_find_the_open_decision_and_one_answer_counts(chromium: Any) -> None:
    with serving(a_lobby()) as table:
        page, _ = opened(chromium, table)
        page.get_by_role("button", name="Sit down and play").click()
        table.play(hands=3, close="over")
        number = decision(page)
        page.reload()
        assert decision(page) == number  # without sitting down again
        other, _ = opened(chromium, table)
        other.get_by_role("button", name="Sit down and play").click()
        assert decision(other) == number
        page.keyboard.press("c")
        later = decision(page, number)
        assert decision(other, number) == later  # the tab finds out by itself
        page.close()  # in the middle of a hand
        while later:
            other.keyboard.press("c")
            later = decision(other, later)
        table.join()
        assert table.records[1].faults == ()
        other.context.close()
