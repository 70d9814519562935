"""The lobby in a browser: its host sees who is away, who forfeited and who left; latecomers learn of the end."""

import re
from typing import Any

import pytest

from molt_bench.config.game import GameConfig
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from tests.browser.axe import findings
from tests.browser.conftest import until
from tests.serve.tables import TOKEN, serving

pytestmark = pytest.mark.slow


def test_the_host_sees_who_is_away_who_forfeited_and_who_left(chromium: Any) -> None:
    lobby = Lobby(
        [Invited("live", TOKEN)],
        titles={"live": "<i>Ann</i>"},
        game=GameConfig(action_timeout_s=0.2),
        reconnect_s=0.2,
    )
    with serving(lobby) as table:
        base = table.url.partition("/j/")[0]
        table.client.get("v1/turn", params={"wait": 0})  # it comes, and is never seen again
        table.play(1, 2, hands=3, wait=True)
        page = chromium.new_page(viewport={"width": 360, "height": 740})
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(base)
        assert "Ann" not in page.locator("main").inner_text()
        page.goto(f"{base}/?host={lobby.host_token}")
        assert page.locator("td").nth(0).inner_text() == "<i>Ann</i>"
        said = page.locator("td").nth(1).inner_text()
        assert re.fullmatch(r"away for \d+ s; 2 games forfeited", said), said
        lobby.invitations[0].left = True
        until(page, "document.querySelector('main').innerText.includes('the run goes on without it')", seconds=60)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert not findings(page)
        lobby.close("the run is over")
        until(page, "document.getElementById('state').textContent === 'The run is over.'", seconds=60)
        page.goto(f"{table.url}/")  # a latecomer
        until(page, "document.getElementById('state').textContent.includes('The run has ended')", seconds=60)
        assert not wrong
        page.close()
