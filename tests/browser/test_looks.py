"""What a reader would stumble over: names that look alike, cut columns, other orders, words that say too little."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.browser import test_everywhere
from tests.browser.conftest import Runs, as_number, molt_bench, only_new, until, viewing, with_modules
from tests.browser.test_everywhere import Everything, Visit

pytestmark = pytest.mark.slow
everything, viewer = test_everywhere.everything, test_everywhere.viewer

ALIKE = ["claude-sonnet-4-5-2025-alpha", "claude-sonnet-4-5-2025-beta"]
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
HEBREW = "\u05e9\u05dc\u05d5\u05dd"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, `names` and `gauntlet`, and one that cannot be read, `broken`."""
    made = tmp_path_factory.mktemp("looks") / "runs"
    config: dict[str, Any] = {
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 6},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 15}},
        "outputDir": str(made),
    }
    names = [*ALIKE, FAMILY, HEBREW, "\u3164\u00a0", "Z" * 70]
    kinds = ["tag", "tight", "callstation", "random", "maniac", "tag"]
    named = [
        {"id": f"agent-{at}", "type": kind, "displayName": name}
        for at, (kind, name) in enumerate(zip(kinds, names, strict=True))
    ]
    gauntlet = {"policy": "gauntlet"}
    for name, more in (
        ("names", {"participants": named, "scheduler": {"policy": "round_robin"}}),
        ("gauntlet", {"participants": ["tag", "random", "callstation"], "scheduler": gauntlet}),
    ):
        path = made.parent / "config.json"
        path.write_text(json.dumps({**config, **more}))
        molt_bench("--config", str(path), "--quiet")
        (made / only_new(made, {"names"})).rename(made / name)
    (made / "broken").mkdir()
    (made / "broken" / "journal.jsonl").write_text("{")
    return made


@pytest.fixture(scope="module")
def url(folder: Path) -> Any:
    with closing(viewing(folder)) as viewer:
        yield next(viewer)


@pytest.mark.parametrize("width", [360, 1280])
def test_names_that_begin_alike_are_not_cut_where_they_differ(visit: Visit, url: str, width: int) -> None:
    whole = "all => all.filter((one) => one.scrollHeight <= one.clientHeight + 1).map((one) => one.textContent)"
    page = visit(f"{url}#/run/names", width=width)
    for place in (".leaderboard tbody th bdi", ".heat thead bdi"):
        assert {*ALIKE} <= {*page.locator(place).evaluate_all(whole)}, place


def test_a_sentence_has_the_names_of_the_table_each_apart_from_its_text(visit: Visit, url: str) -> None:
    page = visit(f"{url}#/run/names")
    shown = {*page.locator(".leaderboard tbody th bdi").all_inner_texts()}
    assert {FAMILY, HEBREW, "\\u3164"} <= shown
    said = page.locator("#part-leaderboard .sentences bdi").all_inner_texts()
    assert shown - {"Z" * 70} <= {*said} <= {*shown, f"{'Z' * 24}\N{HORIZONTAL ELLIPSIS}{'Z' * 24}"}
    assert "agent-" not in page.locator("#part-leaderboard .sentences").inner_text()


def test_every_part_has_the_order_of_the_leaderboard(visit: Visit, url: str) -> None:
    page = visit(f"{url}#/run/names")
    until(page, "document.querySelector('#part-styles tbody')")
    order = page.locator(".leaderboard tbody th bdi").all_inner_texts()
    for place in ("#part-styles tbody th bdi", "#part-convergence figure:first-child .legend bdi"):
        assert page.locator(place).all_inner_texts() == order


def test_a_reference_has_no_interval_anywhere(visit: Visit, url: str) -> None:
    card = visit(url).locator(".card", has_text="gauntlet").locator(".leaders li", has_text="tag")
    assert card.locator(".number").inner_text() == "0.0"
    page = visit(f"{url}#/run/gauntlet")
    assert page.locator("#part-convergence .legend li", has_text="tag").first.inner_text().split() == ["tag", "0.0"]


def test_a_run_that_cannot_be_read_says_so_and_blames_no_server(visit: Visit, url: str) -> None:
    page = with_modules(visit, url)
    said = page.evaluate("""async () => {
      const { load } = await import("./data.js");
      const answer = { ok: false, status: 500, text: async () => JSON.stringify({ error: "line 1 is damaged" }) };
      window.fetch = async () => answer;
      return load("api/runs/broken.json").catch((error) => [error.message, error.hint]);
    }""")
    assert said == ["This cannot be read.", "line 1 is damaged"]


def test_labels_of_an_axis_do_not_touch(visit: Visit, url: str) -> None:
    page = with_modules(visit, url)
    assert (
        page.evaluate("""async () => {
      const { intervalAxis, intervalScale } = await import("./intervals.js");
      const ranges = [[-1012, 518], [-1271, 631], [-1622, 5], [-36, 41], [-5280, 5280], [-3, 12000], [-0.6, 0.8]];
      return ranges.filter(([low, high]) => {
        const axis = intervalAxis(intervalScale([[low, 0], [high, 0]]));
        axis.style.width = "250px";
        document.querySelector("main").append(axis);
        const labels = [...axis.querySelectorAll("span")];
        const boxes = labels.map((text) => text.getBoundingClientRect());
        const texts = labels.map((text) => text.textContent);
        return new Set(texts).size < texts.length || boxes.some((box, at) => at && box.left < boxes[at - 1].right + 2);
      });
    }""")
        == []
    )


def test_no_table_of_a_usual_run_is_cut_on_a_usual_screen(
    visit: Visit,
    viewer: str,
    everything: Everything,
) -> None:
    run = everything.models
    for place in ("#/", f"#/run/{run}", f"#/run/{run}/match/1", "#/history", "#/history/gpt"):
        page = visit(viewer + place)
        until(page, "!document.body.textContent.includes('Being counted')")
        cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)"
        found = page.locator(".scroll:visible").evaluate_all(cut)
        assert found == [], place
        page.close()


def test_a_price_is_the_same_in_the_leaderboard_and_beside_the_costs(
    visit: Visit,
    viewer: str,
    everything: Everything,
) -> None:
    page = visit(f"{viewer}#/run/{everything.models}")
    page.get_by_role("button", name="All columns").click()
    heads = page.locator(".leaderboard thead tr > *").all_inner_texts()
    place = heads.index("$ per 100 hands") + 1
    rows = page.locator(".leaderboard tbody tr")
    names = rows.locator("th bdi").all_inner_texts()
    prices = dict(zip(names, rows.locator(f":scope > :nth-child({place})").all_inner_texts(), strict=True))
    costs = page.locator("#part-costs tbody tr")
    for name, price in zip(
        costs.locator("th bdi").all_inner_texts(), costs.locator("td:nth-child(3)").all_inner_texts(), strict=True
    ):
        assert price == prices[name]


def test_faults_stand_by_agent_the_most_frequent_first(
    visit: Visit,
    viewer: str,
    everything: Everything,
) -> None:
    page = visit(f"{viewer}#/run/{everything.models}")
    rows = page.locator("#part-faults tbody tr")
    listed = rows.locator("th bdi").all_inner_texts()
    counts = [as_number(text) for text in rows.locator("td:nth-child(3)").all_inner_texts()]
    order = page.locator(".leaderboard tbody th bdi").all_inner_texts()
    wanted = sorted(zip(listed, counts, strict=True), key=lambda one: (order.index(one[0]), -one[1]))
    assert [*zip(listed, counts, strict=True)] == wanted


def test_opponents_have_their_names_and_no_column_is_empty(
    visit: Visit,
    viewer: str,
    everything: Everything,
) -> None:
    page = visit(f"{viewer}#/history/plain")
    heads = page.locator("table").first.locator("thead th").all_inner_texts()
    assert "Code" not in heads
    last = page.locator("table").first.locator("tbody tr td").last.inner_text()
    assert "=1+1" in last.split(", ")


@pytest.mark.parametrize("width", [1280, 2560])
def test_the_ways_to_other_hands_stay_together(visit: Visit, server: str, runs: Runs, width: int) -> None:
    page = visit(f"{server}#/run/{runs.bots}/hand/1/0/2", width=width)
    tops = [page.get_by_role("link", name=name).bounding_box()["y"] for name in ("Previous hand", "Next hand")]
    assert tops[0] == tops[1]


def test_grades_stand_in_the_order_of_the_terminal(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}")
    lost = page.locator("#part-grades tbody").first.locator("tr td:nth-child(2)").all_inner_texts()
    found = [as_number(text.split("\n")[0]) for text in lost]
    assert found == sorted(found)
    assert "thousandths of a big blind" in page.locator("#part-grades").inner_text()


def test_a_run_without_a_finished_match_has_no_scale_of_zeros(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(server)

    def answer(route: Any) -> None:
        found = route.fetch().json()
        rows = [{**row, "bb100": None, "halfWidth": None, "ranks": None} for row in found["leaderboard"]]
        route.fulfill(json={**found, "leaderboard": rows, "sentences": []})

    page.route(f"**/api/runs/{runs.bots}.json", answer)
    page.evaluate(f"location.hash = '#/run/{runs.bots}'")
    until(page, "document.querySelector('#part-leaderboard')")
    assert page.locator("#part-leaderboard").inner_text().split("\n")[-1] == "No match is finished yet."


def test_a_hit_that_is_cut_from_a_longer_text_says_so(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.models}/hands?q=hard")
    page.wait_for_selector(".snippet")
    texts = page.locator(".snippet").all_inner_texts()
    assert any(text.endswith("\N{HORIZONTAL ELLIPSIS}") for text in texts)
    assert not any(text.startswith("\N{HORIZONTAL ELLIPSIS}") for text in texts), "it is the first word of a reply"
