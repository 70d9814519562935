"""The page of an invitation in a browser: usable on a phone, in light and dark."""

from typing import Any

import pytest

from tests.browser.axe import findings
from tests.serve.tables import a_lobby, serving

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_usable_on_a_phone(chromium: Any, scheme: str) -> None:
    lobby = a_lobby()
    with serving(lobby) as table:
        page = chromium.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(table.url)
        assert "Live <b>agent</b>" in page.locator("main").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert not findings(page)
        assert not wrong
        page.close()
        assert lobby.missing()  # nobody has come: a person looked
