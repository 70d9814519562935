"""Search finds what models said, wherever it was said, and no expression can hold it up."""

import json
import re
from time import monotonic

import pytest

from molt_bench.errors import ConfigError
from molt_bench.view.open_run import OpenRun
from molt_bench.view.search import said_in, search_task, searched
from molt_bench.view.site import write_site


@pytest.fixture(scope="module")
def said(library, models_id):
    """Return all that was said in the run of the models, by its place, taken from the pages of its hands."""
    columns = library.hand_columns(models_id)["columns"]
    deals = set(zip(columns["match"], columns["seed"], columns["hand"], strict=True))
    rows = [row for deal in deals for row in said_in(library.hand_page(models_id, *deal))]
    return {tuple(row[:6]): [text or "" for text in row[7:]] for row in rows}


def places(found):
    """Return the places of the hits that are described."""
    keys = ("match", "seed", "hand", "seating", "decision", "attempt")
    return {tuple(hit[key] for key in keys) for hit in found["hits"]}


@pytest.mark.parametrize(
    "query", ["REFUSE", "alert(1)", '"kind"', "\u202egnp", "<!--\u2028&", "call", "nobody says this"]
)
def test_a_plain_text_is_found_wherever_it_was_said_in_any_case(library, models_id, said, query):
    found = library.search(models_id, query)
    expected = {place for place, texts in said.items() if any(query.lower() in text.lower() for text in texts)}
    assert (found["total"], found["searched"]) == (len(expected), len(said))
    assert places(found) <= expected
    assert len(places(found)) == min(100, len(expected))
    hands = set(zip(*(found["hands"][key] for key in ("match", "seed", "hand", "seating")), strict=True))
    assert hands == {place[:4] for place in expected}


@pytest.mark.parametrize("query", [r"exe\S+ \d*7$", r"^I REFUSE\.", r'"amount": ?\d+', r"(?=alert)\w+\(1\)"])
def test_a_regular_expression_finds_what_it_says(library, models_id, said, query):
    pattern = re.compile(query, re.IGNORECASE | re.MULTILINE)
    expected = {place for place, texts in said.items() if any(pattern.search(text) for text in texts)}
    found = library.search(models_id, query, regex=True)
    assert expected
    assert found["total"] == len(expected)
    assert places(found) <= expected


def test_a_hit_shows_the_text_around_it(library, models_id, said):
    for hit in library.search(models_id, "alert(1)")["hits"]:
        place = hit["match"], hit["seed"], hit["hand"], hit["seating"], hit["decision"], hit["attempt"]
        reasoning, reply = said[place]
        assert hit["before"] + hit["hit"] + hit["after"] in (reasoning if hit["where"] == "reasoning" else reply)
        assert hit["agent"].startswith("model-")


def test_later_hits_follow_the_first_ones(library, models_id):
    every = library.search(models_id, "alert")
    later = library.search(models_id, "alert", skip=7)
    assert later["hits"][:20] == every["hits"][7:27]
    assert later["total"] == every["total"]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("[a", "not a regular expression: unterminated"),
        ("(" * 500, "not a regular expression"),
        ("x*", "no text at all"),
    ],
)
def test_a_bad_expression_is_one_clear_line(library, models_id, query, problem):
    task = search_task(library.open(models_id), query, regex=True)
    found = searched(task)
    assert problem in found.problem
    assert "\n" not in found.problem
    assert not found.hits


def test_an_expression_that_takes_forever_is_stopped(library, models_id):
    task = search_task(library.open(models_id), "(.+)+(.+)+\N{SECTION SIGN}", regex=True)
    began = monotonic()
    found = searched(task, limit_s=1.0)
    assert "stopped after 1 s" in found.problem
    assert (found.total, found.hits) == (0, [])
    assert monotonic() - began < 30


@pytest.mark.parametrize("query", ["", "x" * 501])
def test_a_text_must_have_a_reasonable_length(library, models_id, query):
    with pytest.raises(ConfigError, match="1 to 500 characters"):
        library.search(models_id, query)


def test_what_is_said_in_games_with_secret_cards_is_not_found(library, models_id, monkeypatch):
    assert 1 in library.search(models_id, "alert")["hands"]["match"]
    monkeypatch.setattr(OpenRun, "hidden", lambda self, game: game.match == 1)
    assert {*library.search(models_id, "alert")["hands"]["match"]} == {2, 3}


def test_bots_say_nothing(library, bots_id):
    found = library.search(bots_id, "call")
    assert (found["problem"], found["total"], found["hits"]) == (None, 0, [])


def test_the_server_searches(viewer, models_id):
    found = viewer.json(f"/api/runs/{models_id}/search.json?q=refuse&skip=2")
    assert found["total"] > 2
    assert len(found["hits"]) == found["total"] - 2
    assert viewer.ask(f"/api/runs/{models_id}/search.json").status == 404
    assert viewer.ask("/api/runs/none/search.json?q=x").status == 404
    assert "regular expression" in viewer.json(f"/api/runs/{models_id}/search.json?q=%5Ba&regex=1")["problem"]


@pytest.mark.slow
def test_a_published_site_has_what_it_searches_in(runs, models_id, said, tmp_path, library):
    list(write_site(library, tmp_path / "site"))
    rows = json.loads((tmp_path / "site" / "api" / "runs" / models_id / "said.json").read_bytes())
    assert {tuple(row[:6]) for row in rows} == set(said)
    assert "worker-src blob:" in (tmp_path / "site" / "index.html").read_text()
