"""The lobby and the page of an invitation in a browser: usable on a phone, and nothing tells whom an agent plays."""

from typing import Any

import pytest

from tests.browser.axe import findings
from tests.serve.tables import a_lobby, serving

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_are_usable_on_a_phone(chromium: Any, scheme: str) -> None:
    lobby = a_lobby()
    with serving(lobby) as table:
        page = chromium.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        for url, said in ((table.url.partition("/j/")[0], "Waiting for 1 of 1"), (table.url, "Live <b>agent</b>")):
            page.goto(url)
            assert said in page.locator("main").inner_text()
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            assert not findings(page)
        assert not wrong
        page.close()
        assert lobby.missing()  # nobody has come: a person looked
