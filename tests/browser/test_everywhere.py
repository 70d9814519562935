"""Three priced models that make faults, and twelve hostile names: through every page, figure, export and site."""

import csv
import functools
import http.server
import io
import json
import os
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.browser.axe import findings
from tests.browser.conftest import EVIL, molt_bench, only_new, settled, until, viewing
from tests.browser.conftest import hostile as hostile_reply
from tests.browser.test_truth import HOSTILE

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]
SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Everything:
    """A folder with a run of three models, one of twelve hostile names, and two of the same bots on different cards."""

    folder: Path
    models: str
    names: str
    bots: tuple[str, str]

    def places(self) -> list[str]:
        return [
            "#/",
            *(
                f"#/run/{run}{page}"
                for run in (self.models, self.names)
                for page in ("", "/hands", "/match/1", "/hand/1/0/1")
            ),
            "#/history",
            "#/history/gpt",
            "#/history/agent-2",
        ]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Everything:
    folder = tmp_path_factory.mktemp("everything") / "runs"
    made: list[str] = []

    def play(config: dict[str, Any], *flags: str) -> None:
        path = folder.parent / "config.json"
        path.write_text(json.dumps({**config, "outputDir": str(folder)}))
        molt_bench(
            "--config", str(path), "--quiet", "--no-cost-limit", *flags, env={**os.environ, "OPENAI_API_KEY": "k"}
        )
        made.append(only_new(folder, {*made}))

    play_models(play)
    kinds = ["tag", "tight", "callstation", "random"] * 3
    named = zip(kinds, HOSTILE, strict=True)
    play(
        {
            "participants": [
                {"id": f"agent-{at}", "type": kind, "displayName": name} for at, (kind, name) in enumerate(named)
            ],
            "seeds": {"perMatch": 1},
            "game": {"handsPerGame": 3},
            "scheduler": {"policy": "round_robin"},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 14}},
        },
    )
    for seed in ("one", "two"):
        play(
            {
                "participants": ["tag", "callstation", "random"],
                "seeds": {"perMatch": 3, "masterSeed": seed},
                "game": {"handsPerGame": 6},
                "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3}},
            }
        )
    return Everything(folder, made[0], made[1], (made[2], made[3]))


def play_models(play: Callable[..., None]) -> None:
    from tests.llm.provider import Provider

    with Provider(policy=hostile_reply, latency_s=0.01) as provider:
        models = [
            {"id": "gpt", "displayName": EVIL, "type": "llm:openai:test", "baseUrl": provider.url},
            {"id": "plain", "type": "llm:openai:test2", "baseUrl": provider.url},
            {"id": "cheap", "displayName": "=1+1", "type": "llm:openai:test3", "baseUrl": provider.url},
        ]
        prices = {
            f"openai:test{at}": {"input": usd, "output": 5 * usd, "cachedInput": usd / 10}
            for at, usd in (("", 3.0), ("2", 1.0), ("3", 0.01))
        }
        play(
            {
                "participants": [*models, {"id": "tag", "type": "tag", "anchor": True}],
                "seeds": {"perMatch": 2},
                "game": {"handsPerGame": 5},
                "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 6}},
                "llm": {"backoffS": 0.01, "prices": prices},
            }
        )


@pytest.fixture(scope="module")
def viewer(everything: Everything) -> Iterator[str]:
    yield from viewing(everything.folder)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_every_page_fits_and_shows_what_was_said_as_text(
    visit: Visit, viewer: str, everything: Everything, width: int, scheme: str
) -> None:
    for place in everything.places():
        page = visit(viewer + place, width=width, scheme=scheme)
        until(page, "!document.body.textContent.includes('Being counted')")
        page.wait_for_timeout(150)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, place
        assert page.locator("main script, main img, main b, main iframe").count() == 0
        if width == 1280:
            assert findings(page) == [], place
        page.close()


def test_models_are_shown_with_dollars_and_faults(visit: Visit, viewer: str, everything: Everything) -> None:
    page = visit(f"{viewer}#/run/{everything.models}")
    assert page.locator("#part-costs tbody tr").count() == 3
    assert page.locator("#part-faults tbody tr").count() >= 1
    page.get_by_role("button", name="All columns").click()
    assert page.locator(".leaderboard thead").get_by_text("$ per 100 hands").is_visible()


def test_every_chart_is_a_picture_and_every_table_a_table(visit: Visit, viewer: str, everything: Everything) -> None:
    """What is saved can be read by strict readers, and no cell is a formula."""
    for run in (everything.models, everything.names):
        page = visit(f"{viewer}#/run/{run}", accept_downloads=True)
        page.wait_for_selector("#part-convergence svg")
        buttons = page.locator("button.download:visible")
        kinds = buttons.all_inner_texts()
        assert {"SVG", "PNG", "CSV"} == {*kinds}
        for at, kind in enumerate(kinds):
            with page.expect_download() as saved:
                buttons.nth(at).click()
            content = Path(saved.value.path()).read_bytes()
            if kind == "SVG":
                assert ElementTree.fromstring(content).tag == f"{SVG}svg"
            elif kind == "PNG":
                assert content.startswith(b"\x89PNG")
            else:
                rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))
                assert len({len(row) for row in rows}) == 1, saved.value.suggested_filename
                assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "\t"))]


@pytest.mark.parametrize("form", ["phh", "csv"])
def test_every_export_takes_them(everything: Everything, tmp_path: Path, form: str) -> None:
    for run in (everything.models, everything.names):
        target = tmp_path / run
        molt_bench("export", str(everything.folder / run), "--format", form, "--output", str(target))
        files = [path for path in (target.rglob("*") if target.is_dir() else [target]) if path.is_file()]
        assert files
        for path in files:
            text = path.read_bytes().decode("utf-8")
            assert text
            assert "\x1b" not in text
            assert "\u202e" not in text


@pytest.fixture(scope="module")
def site(everything: Everything) -> Iterator[str]:
    """The address of the published site on a plain web server."""
    target = everything.folder.parent / "site"
    molt_bench("export", str(everything.folder), "--format", "site", "--output", str(target))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(target))
    http.server.SimpleHTTPRequestHandler.log_message = lambda *_: None  # type: ignore[method-assign]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_every_link_of_the_published_site_leads_somewhere(visit: Visit, site: str) -> None:
    page = visit(site)
    waiting, seen, files = ["#/"], {"#/"}, set[str]()
    while waiting:
        place = waiting.pop()
        page.evaluate("hash => { location.hash = hash; }", place)
        until(page, f"decodeURI(location.hash) === {json.dumps(urllib.parse.unquote(place))} || true")
        page.wait_for_timeout(60)
        settled(page)
        found = page.locator("a[href]").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
        files |= {href for href in found if not href.startswith("#")}
        for href in found:
            bare = href.split("?")[0]
            if href.startswith("#") and bare not in seen:
                seen.add(bare)
                waiting.append(bare)
    assert len(seen) > 80
    assert {"#/history", "#/history/gpt"} <= seen
    assert [href for href in files if href.endswith(".zip")]
    for href in files:
        with urllib.request.urlopen(urllib.parse.urljoin(site, href)) as answer:
            assert answer.status == 200


def test_statistics_are_shown_by_position_and_opponent(visit: Visit, viewer: str, everything: Everything) -> None:
    page = visit(f"{viewer}#/run/{everything.bots[0]}")
    part = page.locator("#part-styles")
    assert part.locator("tbody tr").count() == 3
    part.locator("select").select_option("position")
    assert part.locator("tbody tr").count() == 6
    with urllib.request.urlopen(f"{viewer}api/runs/{everything.bots[0]}/styles.json") as answer:
        groups = json.load(answer)["styleGroups"]
    own = [each for each in groups if each["player"] == "tag" and each["position"] == "button"]
    counts, chances = (sum(each[key][0] for each in own) for key in ("counts", "of"))
    row = part.locator("tbody tr", has_text="tag").first
    assert "button" in row.locator("th").inner_text()
    assert f"{counts:.0f} of {chances}" in row.locator("td").first.inner_text()
    assert "put money" in row.locator("td").first.get_attribute("title")
    part.locator("select").select_option("v tag")
    assert part.locator("tbody th bdi").all_inner_texts() == ["callstation", "random"]
    with page.expect_download() as saved:
        part.get_by_role("button", name="CSV").click()
    assert Path(saved.value.path()).read_text("utf-8").startswith("Against,VPIP")
    page.get_by_text("What these figures mean").click()
    assert "a split pot counts as won" in part.inner_text()


def test_history_has_a_line_for_every_agent_and_the_reason_where_there_is_none(
    visit: Visit, viewer: str, everything: Everything
) -> None:
    page = visit(f"{viewer}#/history")
    page.wait_for_selector(".chart svg")
    assert page.locator(".chart svg path.line").count() == 3, "no line joins results against other opponents"
    assert page.locator(".chart svg circle.dot").count() == 3 + 2 + 2, "those who played more than once"
    shown = page.locator("section", has_text="Changes from run to run").inner_text()
    assert "cannot be compared" in shown
