"""The single file holds everything, loads nothing, and no text in it becomes a script."""

import gzip
import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from molt_bench.plugins.view import publish
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.publish import html_file
from tests.e2e.shell import one_clear_line, quick
from tests.e2e.two_runs import EVIL
from tests.viewing import told


class Page(HTMLParser):
    """What a browser sees in a file: its elements, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.inside = [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag in ("script", "style")
        if self.inside:
            self.texts.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.texts[-1][2] += data

    def text_of(self, tag, **attrs):
        (found,) = [text for name, own, text in self.texts if name == tag and attrs.items() <= own.items()]
        return found


@pytest.fixture(scope="module")
def files(runs, bots_id, models_id):
    return {run: html_file(OpenRun.open(runs / run)) for run in (bots_id, models_id)}


def data_of(text):
    return json.loads(gzip.decompress(b64decode(Page(text).text_of("script", id="packed"))))


def hands_in(data):
    """Return the pages of the hands of a file by match, seed pair and number."""
    pages = [page for path, page in data.items() if "/match/" in path]
    return {(page["match"], *map(int, name.split("/"))): hand for page in pages for name, hand in page["hands"].items()}


def test_it_is_small_and_asks_nobody(files):
    for text in files.values():
        assert len(text.encode()) < 2_000_000
        page = Page(text)
        for tag, attrs in page.elements:
            assert tag not in ("iframe", "object", "embed", "base", "img")
            assert "src" not in attrs
            assert attrs.get("href", "#").startswith(("#", "data:")), (tag, attrs)
            assert not [name for name in attrs if name.startswith("on") or name == "style"]
        code = page.text_of("style") + "".join(text for tag, own, text in page.texts if tag == "script" and not own)
        outside = {*re.findall(r"(?:https?:)?//[\w.-]+\.\w{2,}", re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE))}
        assert {each for each in outside if "www.w3.org" not in each} == set()


def test_its_policy_allows_its_own_script_and_style_alone(files):
    for text in files.values():
        page = Page(text)
        (policy,) = [own["content"] for tag, own in page.elements if own.get("http-equiv") == "Content-Security-Policy"]
        scripts = [text for tag, own, text in page.texts if tag == "script" and "type" not in own]
        assert len(scripts) == 1
        for kind, inside in (("script", scripts[0]), ("style", page.text_of("style"))):
            digest = b64encode(sha256(inside.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert text.index("Content-Security-Policy") < text.index("<style")


def test_hostile_text_stays_text(files, models_id):
    """In names, replies and errors; the file has as many scripts as one with a harmless run."""
    text = files[models_id]
    assert "<script>alert" not in text
    page = Page(text)
    assert [own.get("id") for tag, own, _ in page.texts if tag == "script"] == ["data", "packed", None]
    data = data_of(text)
    assert data["api/runs/run.json"]["participants"][0]["name"] == EVIL
    sides = [side for hand in hands_in(data).values() for side in hand["sides"]]
    decisions = [decision for side in sides for decision in side["decisions"]]
    attempts = [each for decision in decisions if decision["exchange"] for each in decision["exchange"]["attempts"]]
    assert any(EVIL in attempt["reply"] for attempt in attempts)
    assert any(EVIL[:9] in fault["message"] for decision in decisions for fault in decision["faults"])


def test_it_has_every_hand_of_a_run_of_usual_size_as_the_server_shows_it(files, library, bots_id):
    data = data_of(files[bots_id])
    assert data["api/runs/run.json"]["limits"] is None
    hands = hands_in(data)
    assert len(hands) == 144
    served = told(library, bots_id, "/hand/1/0/1")
    for side in served["sides"]:
        del side["grades"]  # grades of all hands would take too long
    assert hands[1, 0, 1] == served
    assert data["api/runs/run/styles.json"] == told(library, bots_id, "/styles")
    assert sum(len(game["hands"]) for game in data["api/runs/run/hands.json"]["games"]) == 288
    assert (data["api/runs/run.json"]["id"], data["api/runs/run.json"]["name"]) == ("run", bots_id)


@pytest.fixture(scope="module")
def cut_short(runs, models_id):
    """Return what a file holds that has room for part of the hands only."""
    with pytest.MonkeyPatch.context() as patched:
        whole = html_file(OpenRun.open(runs / models_id))
        patched.setattr(publish, "_IN_A_FILE", 16)
        patched.setattr(publish, "_LARGEST", len(whole) - 1)
        text = html_file(OpenRun.open(runs / models_id))
    assert len(text) < len(whole)
    return data_of(text)


def test_where_not_all_hands_fit_it_says_so_and_lists_those_that_it_has(cut_short):
    limits, hands = cut_short["api/runs/run.json"]["limits"], hands_in(cut_short)
    assert limits["of"] == 36 > limits["hands"] == len(hands) > 0
    assert "biggest swings" in limits["text"]
    games = cut_short["api/runs/run/hands.json"]["games"]
    assert {(game["match"], game["seed"], number) for game in games for number in game["numbers"]} == {*hands}
    for game in games:
        for number, text in zip(game["numbers"], game["hands"], strict=True):
            sides = hands[game["match"], game["seed"], number]["sides"]
            assert text in [side["notation"] for side in sides]


def test_hands_that_the_pages_link_to_come_first(cut_short):
    linked = {tuple(fault["place"].values()) for fault in cut_short["api/runs/run.json"]["faults"]}
    assert linked
    assert linked <= hands_in(cut_short).keys()


def test_the_same_run_gives_the_same_bytes(files, runs, bots_id):
    assert html_file(OpenRun.open(runs / bots_id)) == files[bots_id]


def test_export_writes_the_file_and_bad_input_is_one_clear_line(runs, bots_id, tmp_path):
    done = quick("export", runs / bots_id, "--format", "html", "--output", tmp_path / "run.html")
    assert (done.returncode, done.stdout) == (0, "")
    assert "<title>molt-bench" in (tmp_path / "run.html").read_text("utf-8")
    page = ("--format", "html", "--output")
    one_clear_line(quick("export", runs, *page, tmp_path / "x.html"), "RUN", "the folder of a run")
    one_clear_line(quick("export", runs / bots_id, *page, tmp_path / "none" / "x.html"), "--output")
