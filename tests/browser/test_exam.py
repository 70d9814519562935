"""The page of an exam: the ranking, the costliest answers beside the solution, two side by side, and as one file."""

import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.browser.axe import findings
from tests.browser.conftest import EVIL, hostile, molt_bench, only_new, until, viewing

pytestmark = pytest.mark.slow
Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exam of a model that answers with markup, and two bots."""
    from tests.agents.llm.provider import Provider

    made = tmp_path_factory.mktemp("exams") / "runs"
    with Provider(policy=hostile, latency_s=0.01) as provider:
        model = {"id": "gpt", "displayName": EVIL, "type": "llm:openai:test", "baseUrl": provider.url}
        config = {
            "participants": [model, "tag", "random"],
            "llm": {"backoffS": 0.01, "prices": {"openai:test": {"input": 3.0, "output": 15.0, "cachedInput": 0.3}}},
            "outputDir": str(made),
        }
        path = made.parent / "exam.json"
        path.write_text(json.dumps(config))
        asked = ["exam", "--config", str(path), "--questions", "20", "--quiet", "--no-cost-limit"]
        molt_bench(*asked, env={**os.environ, "OPENAI_API_KEY": "k"})
    return made


@pytest.fixture(scope="module")
def url(folder: Path) -> Any:
    with closing(viewing(folder)) as viewer:
        yield next(viewer)


def test_the_list_leads_to_the_exam_and_its_answers(visit: Visit, url: str) -> None:
    page = visit(url)
    page.locator("h2", has_text="Exams").wait_for()
    page.locator("section.part tbody a").first.click()
    until(page, "document.querySelector('#costliest-of')")
    assert "not winnings" in page.inner_text("main")
    assert page.locator("table").first.locator("tbody tr").count() == 3
    page.locator("#costliest-of").select_option("gpt")
    until(page, "document.querySelector('details summary')")
    page.locator("details summary").first.click()
    assert page.locator("details[open] p").first.inner_text()
    assert "%" in page.locator("table").nth(1).inner_text()
    page.locator("#side-first").select_option("random")
    page.locator("#side-second").select_option("tag")
    assert page.locator("table").nth(2).locator("tbody tr").count() > 1


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_axe_finds_nothing(visit: Visit, url: str, folder: Path, width: int, scheme: str) -> None:
    for address in (url, f"{url}#/exam/{only_new(folder, set())}"):
        page = visit(address, width=width, scheme=scheme)
        until(page, "document.querySelector('table')")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert findings(page) == []


def test_one_file_holds_the_exam(visit: Visit, folder: Path) -> None:
    target = folder.parent / "exam.html"
    molt_bench("report", str(folder / only_new(folder, set())), "--html", str(target))
    page = visit(target.as_uri())
    until(page, "document.querySelector('#costliest-of')")
    assert page.locator("h2").all_inner_texts() == ["Ranking", "Costliest answers", "Side by side"]
    assert target.stat().st_size < 1_900_000
