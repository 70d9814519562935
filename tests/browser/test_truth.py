"""What a run shows is right, the same on every page, and leads somewhere."""

import csv
import functools
import http.server
import io
import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from molt_bench.plugins.view import publish
from molt_bench.plugins.view.inlined import STATIC
from molt_bench.plugins.view.open_run import OpenRun
from tests.browser.conftest import Runs, as_number, molt_bench, only_new, until, viewing
from tests.browser.listed import rows

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]

HOSTILE = [
    *("</script><script>alert(1)</script>", "\u202egnp.exe\u202c", "a" * 200, "W" * 60, "   ", "same", "same "),
    *(
        "The Extraordinarily Verbose Reasoning Model v4.5 (high effort, 64k thinking)",
        "\x1b[31mred\x07\n",
        "'\"`;$(rm)",
    ),
    *("\u65e5\u672c\u8a9e\u306e\u540d\u524d", "\U0001f600" * 12),
]


@pytest.fixture(scope="module")
def hostile(runs: Runs) -> str:
    """A run of twelve agents with names that mean harm, beside the other runs."""
    kinds = ["tag", "tight", "callstation", "random"] * 3
    config = {
        "participants": [
            {"id": f"agent-{at}", "type": kind, "displayName": name}
            for at, (kind, name) in enumerate(zip(kinds, HOSTILE, strict=True))
        ],
        "seeds": {"perMatch": 1},
        "game": {"handsPerGame": 3},
        "scheduler": {"policy": "round_robin"},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 14}},
        "outputDir": str(runs.folder),
    }
    path = runs.folder.parent / "hostile.json"
    path.write_text(json.dumps(config))
    known = {each.name for each in runs.folder.iterdir() if each.is_dir()}
    molt_bench("--config", str(path), "--quiet")
    return only_new(runs.folder, known)


def told(server: str, path: str) -> Any:
    with urllib.request.urlopen(f"{server}api/runs/{path}.json") as answer:
        return json.load(answer)


def test_the_list_and_the_page_have_the_same_order_and_at_most_three_numbers(
    visit: Visit, server: str, runs: Runs
) -> None:
    page = visit(f"{server}#/run/{runs.bots}")
    names = page.locator(".leaderboard tbody th bdi").all_inner_texts()
    rates = [as_number(text) for text in page.locator(".leaderboard tbody .strong").all_inner_texts()]
    assert rates == sorted(rates, reverse=True)
    assert page.locator(".leaderboard thead th:visible").count() == 4
    page.get_by_role("button", name="All columns").click()
    assert page.locator(".leaderboard thead th:visible").count() > 6
    listed = visit(server).locator(".card", has_text=runs.bots).locator(".leaders bdi").all_inner_texts()
    assert listed == names
    payoffs = visit(f"{server}#/run/{runs.bots}").locator(".heat tbody th bdi").all_inner_texts()
    assert payoffs == names


def test_every_hand_that_a_cut_file_lists_opens(visit: Visit, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "_IN_A_FILE", 30)
    target = runs.folder.parent / "cut.html"
    target.write_text(publish.html_file(OpenRun.open(runs.folder / runs.bots)), "utf-8")
    page = visit(f"{target.as_uri()}#/run/run/hands")
    assert "of" in page.locator(".count").inner_text()
    page.get_by_role("button", name="Biggest swings first").click()
    places = page.locator(".v-space .v-row a").evaluate_all("all => all.slice(0, 20).map((a) => a.hash)")
    assert len(places) == 20
    for place in places:
        page.evaluate("hash => { location.hash = hash; }", place)
        until(page, f"document.querySelector('.felt') && location.hash.startsWith({json.dumps(place.split('?')[0])})")


def test_every_attempt_of_a_model_is_shown(visit: Visit, server: str, runs: Runs) -> None:
    found = None
    for hand in range(1, 9):
        data = told(server, f"{runs.models}/hand/1/0/{hand}")
        for side in data["sides"]:
            for step, each in enumerate(side["steps"]):
                exchange = side["decisions"][each["decision"]]["exchange"] if each["decision"] is not None else None
                if exchange and len(exchange["attempts"]) > 1:
                    found = found or (hand, step, side["seating"], exchange)
    assert found, "a model fails now and then"
    hand, step, seating, exchange = found
    page = visit(f"{server}#/run/{runs.models}/hand/1/0/{hand}?step={step}")
    panel = page.locator(f"section[aria-labelledby=side-{seating}] .decision")
    assert panel.locator(".attempt").count() == len(exchange["attempts"])
    assert "Attempt 1 failed" in panel.inner_text()
    assert exchange["attempts"][0]["error"]["kind"] in panel.inner_text()
    assert "Tokens in (all)" in panel.inner_text()


def test_the_way_from_a_hand_to_the_next_stays_in_the_list(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.models}/hands?agent=gpt&opponent=plain&fault=yes")
    hashes = page.locator(".v-space .v-row a").evaluate_all("all => all.map((a) => a.hash.split('?')[0])")
    deals = list(dict.fromkeys(hashes))
    assert len(deals) > 2
    page.locator(".v-space .v-row a").first.click()
    page.wait_for_selector(".felt")
    for number, deal in enumerate(deals[1:3], start=2):
        page.get_by_role("link", name="Next hand").click()
        until(page, f"document.querySelector('.crumbs')?.textContent.includes('Hand {number} of')")
        assert page.evaluate("location.hash").startswith(f"{deal}?")
    page.locator(".crumbs a", has_text="in the list").click()
    until(page, "document.querySelector('#filter-fault')?.value === 'yes'")


def test_hands_are_found_by_position_cards_and_kind_of_fault(visit: Visit, server: str, runs: Runs) -> None:
    mine = [(row, row.players.index("gpt")) for row in rows(server, runs.models) if "gpt" in row.players]
    page = visit(f"{server}#/run/{runs.models}/hands?agent=gpt&position=button")
    button = [row for row, own in mine if ("a_on_button" in row.marks) == (own == 0)]
    assert int(page.locator(".count").inner_text().split(" ")[0]) == len(button)
    page.locator("#filter-position").select_option("")
    page.locator("#filter-cards").fill("A")
    held = [row for row, own in mine if row.cards[own].startswith("A")]
    assert int(page.locator(".count").inner_text().split(" ")[0]) == len(held)
    page.locator("#filter-cards").fill("")
    page.locator("#filter-kind").select_option("unparsable")
    wrong = [row for row, own in mine if "unparsable" in row.faults[own]]
    assert int(page.locator(".count").inner_text().split(" ")[0]) == len(wrong) > 0


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_hostile_names_break_no_page_at_any_width(visit: Visit, server: str, hostile: str, width: int) -> None:
    places = [
        "#/",
        f"#/run/{hostile}",
        f"#/run/{hostile}/hands",
        f"#/run/{hostile}/match/1",
        f"#/run/{hostile}/hand/1/0/1",
    ]
    for place in [*places, "#/history"]:
        page = visit(server + place, width=width)
        until(page, "!document.body.textContent.includes('Being counted')")
        page.wait_for_timeout(150)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, place
        assert page.locator("main script, main img, main b").count() == 0
        page.close()


def test_agents_of_one_name_can_be_told_apart_and_none_is_without_a_name(
    visit: Visit, server: str, hostile: str
) -> None:
    page = visit(f"{server}#/run/{hostile}")
    until(page, "document.querySelector('.leaderboard')")
    names = page.locator(".leaderboard tbody th bdi").all_inner_texts()
    assert len({*names}) == len(names) == 12
    assert {"agent-4", "same (agent-5)", "same (agent-6)"} <= {*names}
    marks = page.locator(".leaderboard tbody th .mark").evaluate_all(
        "all => all.map((mark) => getComputedStyle(mark).backgroundColor)"
    )
    assert len({*marks}) == 12


def test_charts_and_tables_can_be_saved(visit: Visit, server: str, runs: Runs) -> None:
    page = visit(f"{server}#/run/{runs.bots}")
    page.wait_for_selector("#part-convergence svg")
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            page.locator("#part-convergence").get_by_role("button", name=kind).first.click()
        assert Path(saved.value.path()).read_bytes().startswith(start)
    with page.expect_download() as saved:
        page.locator("#part-matches").get_by_role("button", name="CSV").click()
    lines = Path(saved.value.path()).read_text("utf-8").splitlines()
    assert len(lines) == 7
    assert lines[0].startswith("Match")


@pytest.fixture(scope="module")
def site(runs: Runs) -> Iterator[str]:
    """The address of a published site on a plain web server."""
    target = runs.folder.parent / "site"
    molt_bench("export", str(runs.folder), "--format", "site", "--output", str(target))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(target))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_a_published_site_shows_every_page_and_offers_the_files(visit: Visit, site: str, runs: Runs) -> None:
    page = visit(site)
    page.get_by_role("link", name=runs.bots).first.click()
    page.wait_for_selector(".leaderboard")
    with page.expect_download() as saved:
        page.locator("#part-reproduce a", has_text="leaderboard.json").click()
    content = Path(saved.value.path()).read_bytes()
    assert content == (runs.folder / runs.bots / "leaderboard.json").read_bytes()
    page.get_by_role("link", name="All hands").click()
    page.wait_for_selector(".v-space .v-row")
    page.locator(".v-space .v-row a").first.click()
    page.wait_for_selector(".felt")
    page.evaluate("location.hash = '#/history'")
    until(page, "document.querySelector('h1')?.textContent === 'History'")


#: The functions of a script of the pages that imports nothing.
TEXT = (STATIC / "text.js").read_text("utf-8").replace("export ", "")


def test_amounts_are_rounded_once(visit: Visit, server: str) -> None:
    """A minute never has 60 seconds, and what is nearly 20 cents is no $0.2."""
    said = visit(server).evaluate(f"""() => {{
      {TEXT}
      return [[59.96, 119.7, 9.996, 3599.6, 7.5].map(seconds), [0.2, 0.098, 0.0027, 1234.5, 0].map(dollars)];
    }}""")
    assert said == [
        ["1 min 0 s", "2 min 0 s", "10.0 s", "1 h 0 min", "7.50 s"],
        ["$0.20", "$0.098", "$0.0027", "$1,234.50", "$0"],
    ]


def test_numbers_are_written_as_the_formatter_of_the_browser_writes_them(visit: Visit, server: str) -> None:
    wrong = visit(server).evaluate(f"""() => {{
      {TEXT}
      const values = [0, 1.005, 1.45, 2.5, 0.05, 0.005, 0.5, 999.995, 1e6, 1e-7, 9.9e-7, 0.1 + 0.2, 4.35, 1e12, 2e21];
      for (let at = 1; at < 20000; at += 1) {{
        values.push(at / 200, at * 7919 / 1000, Math.sqrt(at), at * 1e5 + 0.125, Math.sin(at) * 10 ** (at % 14 - 3));
      }}
      const formats = [0, 1, 2].map((digits) =>
        new Intl.NumberFormat("en-US", {{ minimumFractionDigits: digits, maximumFractionDigits: digits }}));
      return values.flatMap((value) => [value, -value || 0]).flatMap((value) => [0, 1, 2].map((digits) =>
        [value, fixed(value, digits), formats[digits].format(value).replace("-", "\u2212")]))
        .filter(([, ours, theirs]) => ours !== theirs).slice(0, 9);
    }}""")
    assert wrong == []


def test_the_order_by_rating_shows_ratings_and_every_table_can_be_saved(visit: Visit, tmp_path: Path) -> None:
    config = {
        "participants": ["tag", "random", "callstation"],
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 5},
        "stop": {"adjacentConfidence": {"method": "openskill"}, "budget": {"maxMatches": 3}},
        "outputDir": str(tmp_path / "runs"),
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    molt_bench("--config", str(tmp_path / "config.json"), "--quiet")
    name = only_new(tmp_path / "runs", set())
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "journal.jsonl").write_text("{")
    with closing(viewing(tmp_path / "runs")) as viewer:
        url = next(viewer)
        page = visit(url)
        until(page, "document.querySelector('.card .leaders')")
        shown = page.locator(".leaders .number").all_inner_texts()
        assert all(text.startswith("mu ") for text in shown)
        broken = page.locator("tbody tr", has_text="broken").locator("td.number").all_inner_texts()
        assert {*broken} == {"\N{EN DASH}"}, "nothing is known about it, not even how many agents it has"
        page.goto(f"{url}#/run/{name}")
        until(page, "document.querySelector('.leaderboard tbody tr')")
        visible = page.locator(".leaderboard thead th:visible").all_inner_texts()
        assert [visible[0], visible[1], visible[3]] == ["Rank", "Agent", "Rating, mu \N{PLUS-MINUS SIGN} sigma"]
        rated = [as_number(text.split(" ")[0]) for text in page.locator(".leaderboard tbody .strong").all_inner_texts()]
        assert rated == sorted(rated, reverse=True)
        for place, title, lines in (("match/1", "Match 1", 3), ("hands?street=3", "Hands", None)):
            page.goto(f"{url}#/run/{name}/{place}")
            until(page, f"document.title.startsWith('{title}')")  # the page before it stays until then
            with page.expect_download() as saved:
                page.get_by_role("button", name="CSV").click()
            rows = list(csv.reader(io.StringIO(Path(saved.value.path()).read_text("utf-8"))))
            wanted = lines or 1 + int(page.locator(".count").inner_text().split(" ")[0])
            assert len(rows) == wanted
        page.close()
