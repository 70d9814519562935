"""For everybody: no serious finding of axe in either theme, and no page wider than its screen."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Runs

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


def places(runs: Runs) -> list[str]:
    return [
        "#/",
        f"#/run/{runs.bots}",
        f"#/run/{runs.models}",
        f"#/run/{runs.bots}/match/1",
        f"#/run/{runs.bots}/hands",
        f"#/run/{runs.bots}/hand/3/1/2?step=5",
        f"#/run/{runs.models}/hand/1/0/1?step=3",
        "#/history",
        "#/history/tight",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit: Visit, server: str, runs: Runs, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    for place in places(runs):
        page = visit(server + place, scheme=scheme)
        for finding in axe.run(page).response["violations"]:
            if finding["impact"] in ("serious", "critical"):
                found.append((place, finding["id"], [node["html"][:200] for node in finding["nodes"][:3]]))
        page.close()
    assert not found


@pytest.mark.parametrize("width", [360, 768, 1280, 3840])
def test_no_page_is_wider_than_its_screen(visit: Visit, server: str, runs: Runs, width: int) -> None:
    for place in places(runs):
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
    for place in places(runs):
        page.evaluate("hash => { location.hash = hash; }", place)
        page.wait_for_timeout(500)
    assert page.evaluate("window.shifted") < 0.1, "what counts as good for a whole visit"
