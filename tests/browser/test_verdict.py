"""The verdict in five seconds: headline, interval plot, many agents on few screens, hands as they were played."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.browser.axe import findings
from tests.browser.conftest import Runs, molt_bench, only_new, until, viewing
from tests.browser.test_access import Visit

pytestmark = pytest.mark.slow
WIDTHS = [360, 1280, 2560]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The address of a viewer with a run of forty agents, `forty`."""
    folder = tmp_path_factory.mktemp("many") / "runs"
    kinds = ["tag", "tight", "callstation", "random", "maniac"]
    config = {
        "participants": [{"id": f"agent-{at}", "type": kinds[at % 5]} for at in range(40)],
        "seeds": {"perMatch": 1},
        "game": {"handsPerGame": 2},
        "scheduler": {"policy": "round_robin"},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 60}},
        "outputDir": str(folder),
    }
    (folder.parent / "config.json").write_text(json.dumps(config))
    molt_bench("--config", str(folder.parent / "config.json"), "--quiet")
    (folder / only_new(folder, set())).rename(folder / "forty")
    with closing(viewing(folder)) as viewer:
        yield next(viewer)


def test_the_headline_is_the_one_of_the_summary(visit: Visit, server: str, single: str, runs: Runs) -> None:
    said = json.loads((runs.folder / runs.bots / "summary.json").read_bytes())["headline"]
    page = visit(f"{server}#/run/{runs.bots}", width=360, height=800)
    assert page.locator(".headline").inner_text() == said
    assert page.locator(".headline").bounding_box()["y"] < 400, "it is what one sees first"
    assert "bb/100" in visit(single).locator(".headline").inner_text()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_leaderboard_is_an_interval_plot_that_needs_no_sideways_scrolling(
    visit: Visit, server: str, runs: Runs, width: int
) -> None:
    page = visit(f"{server}#/run/{runs.bots}", width=width)
    box, rows = page.locator(".scroll:has(> .leaderboard)"), page.locator(".leaderboard tbody tr")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    for at in range(rows.count()):
        plot = rows.nth(at).locator(".interval").bounding_box()
        assert plot["width"] > 0.5 * width * (0.8 if width > 1280 else 1) * (1 if width == 360 else 0.7)
        dot = rows.nth(at).locator("circle").bounding_box()
        assert plot["x"] - 6 <= dot["x"] <= plot["x"] + plot["width"]
    assert page.locator(".leaderboard .more:visible").count() == 0


def test_a_bracket_joins_those_who_are_not_told_apart(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(server)
    with page.expect_response(f"**/api/runs/{runs.bots}.json") as answer:
        page.evaluate(f"location.hash = '#/run/{runs.bots}'")
    spans = answer.value.json()["rule"]["openRuns"]
    until(page, "document.querySelector('.leaderboard')")
    for first, last in spans:
        assert page.locator(".leaderboard tbody tr").nth(first).locator(".lane.opens").count() >= 1
        assert page.locator(".leaderboard tbody tr").nth(last).locator(".lane.closes").count() >= 1
    assert page.locator(".lane.opens").count() == len(spans)


def test_forty_agents_fit_on_three_screens(visit: Visit, many: str) -> None:
    page = visit(f"{many}#/run/forty")
    until(page, "document.querySelector('.leaderboard')")
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 900
    page.locator("#part-payoff summary").first.click()
    assert page.locator(".heat tbody tr").count() == 40
    page.locator("#part-payoff summary").first.click()
    page.locator("#part-convergence summary").first.click()
    until(page, "document.querySelector('#part-convergence svg path.line:not(.dim)')")
    assert page.locator("#part-convergence figure").first.locator("svg path.line:not(.dim)").count() <= 2
    assert findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_at_any_width(
    visit: Visit, server: str, many: str, runs: Runs, width: int, scheme: str
) -> None:
    wanted = [f"{server}#/run/{runs.bots}", f"{server}#/run/{runs.bots}/hands", f"{many}#/run/forty"]
    for place in [*wanted, f"{server}#/run/{runs.models}/hand/1/0/1", f"{server}#/history"]:
        page = visit(place, width=width, scheme=scheme)
        page.wait_for_timeout(300)
        assert findings(page) == [], place
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        page.close()


def test_a_hand_is_listed_with_its_cards_board_and_line_and_found_by_them(
    visit: Visit, server: str, runs: Runs
) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hands")
    until(page, "document.querySelector('.v-space .v-a .mini')")
    row = page.locator(".v-space .v-row").first
    line = row.locator(".v-line").inner_text()
    assert line.split()[0][0] in "rcfx"
    total = page.locator(".count").inner_text()
    page.get_by_label("Line of play").fill(line)
    page.get_by_label("Line of play").press("Enter")
    page.get_by_label("Match", exact=True).focus()
    until(page, f"document.querySelector('.count').textContent !== {json.dumps(total)}")
    found = f"all => all.length > 0 && all.every((one) => one.innerText.startsWith({json.dumps(line)}))"
    until(page, f"({found})([...document.querySelectorAll('.v-space .v-line')])")
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Its hole cards").fill("AA")
    holes = page.locator(".v-space .v-row").evaluate_all(
        "all => all.map((row) => [...row.querySelectorAll('.v-a .mini, .v-b .mini')].map((one) => one.textContent))"
    )
    assert all(any(cards[0] == cards[2] == "A" for cards in both) for both in holes)


def test_the_controls_of_the_replayer_stay_in_view_on_a_phone(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/3/1/2", width=360, height=700)
    page.evaluate("window.scrollTo(0, 900)")
    box = page.get_by_role("button", name="Step forward").bounding_box()
    assert 0 <= box["y"] < 60
    tall = page.locator(".decision").first.bounding_box()["height"]
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        assert page.locator(".decision").first.bounding_box()["height"] == tall, "nothing moves from step to step"


def test_a_packed_site_shows_every_hand_it_lists_on_a_host_without_ranges(
    visit: Visit, runs: Runs, tmp_path: Path
) -> None:
    import functools
    import http.server
    import threading

    molt_bench("export", str(runs.folder), "--format", "site", "--output", str(tmp_path / "site"))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as host:
        thread = threading.Thread(target=host.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{host.server_port}/"
            page = visit(f"{url}#/run/{runs.bots}/hands")
            until(page, "document.querySelector('.v-space .v-line span')")
            page.locator(".v-space a").first.click()
            page.wait_for_selector(".felt")
            page = visit(f"{url}#/run/{runs.bots}/match/1")
            assert page.locator("tbody tr").count() >= 1
        finally:
            host.shutdown()
            thread.join()
