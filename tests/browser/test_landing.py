"""The landing page of an invitation in a browser: usable on a phone, tests the connection, shows results at the end."""

from typing import Any

import pytest

from molt_bench import make_agent, play_game
from molt_bench.config.game import GameConfig
from molt_bench.runs.journal_lines import Game
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from tests.browser.axe import findings
from tests.browser.conftest import until
from tests.serve.tables import TOKEN, serving

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_guest_tests_its_connection_on_a_phone_and_sees_its_results(chromium: Any, scheme: str) -> None:
    record = play_game((make_agent("random"), make_agent("maniac")), seed=1, hands=4)
    lobby = Lobby([Invited("random", TOKEN)], titles={"random": "R" * 60}, game=GameConfig())
    lobby.finished_games = lambda: [Game(1, record)]
    with serving(lobby) as table:
        page = chromium.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(table.url)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        page.get_by_role("button", name="Test my connection").click()
        until(page, "document.getElementById('tested').textContent.includes('Your connection works')", seconds=60)
        assert page.locator("#results").is_hidden()
        page.get_by_role("button", name="Copy").first.click()
        until(page, "/Copied|Marked/.test(document.querySelector('button.copy').textContent)", seconds=60)
        assert not findings(page)
        lobby.close("the run is over")
        until(page, "!document.getElementById('results').hidden", seconds=60)
        chips = f"{record.net[0]:+,}"
        assert [cell.strip() for cell in page.locator("#games td").all_inner_texts()] == ["1", "4", chips, "0"]
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert not wrong
        page.close()
        assert lobby.missing()  # nobody has come: a person looked
