"""For everybody: axe finds nothing in either theme, and no page wider than its screen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.axe import findings
from tests.browser.conftest import Runs

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def places(runs: Runs) -> dict[str, str]:
    return {
        "runs": "#/",
        "run": f"#/run/{runs.bots}",
        "run of models": f"#/run/{runs.models}",
        "match": f"#/run/{runs.bots}/match/1",
        "hands": f"#/run/{runs.bots}/hands",
        "hand": f"#/run/{runs.bots}/hand/3/1/2?step=5",
        "hand of models": f"#/run/{runs.models}/hand/1/0/1?step=3",
        "history": "#/history",
        "agent": "#/history/tight",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", list(places(Runs(Path(), "", ""))))
def test_axe_finds_nothing(visit: Visit, server: str, runs: Runs, name: str, scheme: str) -> None:
    assert findings(visit(server + places(runs)[name], scheme=scheme)) == []


@pytest.mark.parametrize("width", [360, 768, 1280, 3840])
def test_no_page_is_wider_than_its_screen(visit: Visit, server: str, runs: Runs, width: int) -> None:
    for place in places(runs).values():
        page = visit(server + place, width=width)
        page.wait_for_timeout(150)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, place
        page.close()


def test_every_control_has_a_name_and_a_visible_focus(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2")
    for _ in range(12):
        page.keyboard.press("Tab")
        name, outline = page.evaluate("""() => {
          const e = document.activeElement;
          return [e.getAttribute("aria-label") || e.textContent.trim(), getComputedStyle(e).outlineStyle];
        }""")
        assert name
        assert outline != "none", name


def test_nothing_moves_while_a_page_loads(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(server)
    page.evaluate("""() => {
      window.shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
      }).observe({type: "layout-shift", buffered: true});
    }""")
    for place in places(runs).values():
        page.evaluate("hash => { location.hash = hash; }", place)
        page.wait_for_timeout(500)
    assert page.evaluate("window.shifted") < 0.1, "what counts as good for a whole visit"
