"""The spectators' page in a browser: names and hidden cards stay hidden, and a name is nothing but text."""

from typing import Any

import pytest

from molt_bench.config.sections import GameConfig
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from tests.browser.axe import findings
from tests.browser.conftest import until
from tests.serve.tables import TOKEN, serving

pytestmark = pytest.mark.slow

EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e'
SHOWN = "document.getElementById('tables').children.length"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_spectators_see_tables_and_standings_and_no_secrets(chromium: Any, scheme: str) -> None:
    lobby = Lobby([Invited("live", TOKEN)], titles={"live": EVIL, "callstation": "Caller"}, game=GameConfig())
    lobby.spectators.delay_s = 0.0
    lobby.spectators._results = ((1, ("live", "callstation"), -250),)
    lobby.spectators._standings = (
        ("live", {"matches": 2, "bbPer100": -12.5, "halfWidth": 30.25}),
        ("callstation", {"matches": 2, "bbPer100": 12.5, "halfWidth": None}),
    )
    with serving(lobby) as table:
        base = table.url.partition("/j/")[0]
        page = chromium.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.goto(base)
        page.get_by_role("link", name="Watch").click()
        table.play(hands=2, close="over")
        turn = table.turn()
        until(page, SHOWN, seconds=60)
        assert page.locator(".playing.back").count() == 4
        text = page.locator("main").inner_text()
        assert "Caller" not in text
        assert "alert" not in text
        assert "\N{MINUS SIGN}12.5 ± 30.3" in text or "\N{MINUS SIGN}12.5 ± 30.2" in text
        assert "A table waits for a decision" in text
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert not findings(page)
        page.goto(f"{base}/watch?host={lobby.host_token}")
        until(page, SHOWN, seconds=60)
        assert EVIL.replace("\u202e", "\\u202e") in page.locator("#waiting").inner_text()
        assert "\N{MINUS SIGN}250 against Caller" in page.locator("#results").inner_text()
        assert page.locator("main img, main script").count() == 0
        assert page.get_by_role("link", name="The lobby").get_attribute("href") == f"./?host={lobby.host_token}"
        assert not findings(page)
        table.act(turn, "fold")
        turn = table.turn()
        while turn is not None:
            turn = table.act(turn, wait=60).json().get("turn")
        until(page, "document.getElementById('said').textContent.includes('The run has ended')", seconds=60)
        assert not wrong
        page.close()
