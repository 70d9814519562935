"""The single file holds everything, loads nothing, and no text in it becomes a script."""

import gzip
import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from molt_bench.view.html_report import escaped_json, html_report
from molt_bench.view.library import Library
from tests.e2e.shell import one_clear_line, quick
from tests.view.conftest import EVIL


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
def files(library, bots_id, models_id):
    return {run: html_report(library.open(run)) for run in (bots_id, models_id)}


def data_of(page):
    known = json.loads(page.text_of("script", id="data"))
    return known, json.loads(gzip.decompress(b64decode(page.text_of("script", id="packed"))))


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
    assert "\u2028" not in text.partition('id="data">')[2].partition("</script>")[0]
    page = Page(text)
    assert [own.get("id") for tag, own, _ in page.texts if tag == "script"] == ["data", "packed", None]
    known, packed = data_of(page)
    assert known["api/runs/run.json"]["participants"][0]["name"] == EVIL
    decisions = [
        decision
        for path, hand in packed.items()
        if "/hand/" in path
        for side in hand["sides"]
        for decision in side["decisions"]
    ]
    attempts = [each for decision in decisions if decision["exchange"] for each in decision["exchange"]["attempts"]]
    assert any(EVIL in attempt["reply"] for attempt in attempts)
    assert any(EVIL[:9] in fault["message"] for decision in decisions for fault in decision["faults"])


def test_it_has_every_hand_of_a_run_of_usual_size_under_the_paths_of_the_server(files, library, bots_id):
    known, packed = data_of(Page(files[bots_id]))
    assert known["limits"] is None
    assert sum("/hand/" in path for path in packed) == 144
    served = json.loads(json.dumps(library.hand_page(bots_id, 1, 0, 1)))
    for side in served["sides"]:
        side["grades"] = None  # grades of all hands would take too long
    assert packed["api/runs/run/hand/1/0/1.json"] == served
    assert len(packed["api/runs/run/hands.json"]["columns"]["net"]) == 288
    assert {f"api/runs/run/match/{match}.json" for match in (1, 2, 3, 4)} <= packed.keys()
    assert (known["api/runs/run.json"]["id"], known["api/runs/run.json"]["name"]) == ("run", bots_id)


@pytest.fixture
def cut_short(library, bots_id, monkeypatch):
    """Return what a file holds that has room for part of the hands only."""
    monkeypatch.setattr("molt_bench.view.html_report._LARGEST_UNPACKED", 400_000)
    monkeypatch.setattr("molt_bench.view.chosen_deals._MOST_LINKED", 15)
    return data_of(Page(html_report(library.open(bots_id))))


def test_where_not_all_hands_fit_it_says_so(cut_short):
    known, packed = cut_short
    hands = [path for path in packed if "/hand/" in path]
    assert known["limits"]["of"] == 144 > known["limits"]["hands"] == len(hands) > 15
    assert "biggest swings" in known["limits"]["text"]


def test_it_lists_the_hands_it_holds_and_those_are_the_first_of_the_whole_list(cut_short, library, bots_id):
    """Sorted by the size of the swing, as the list itself sorts them."""
    _, packed = cut_short
    columns = packed["api/runs/run/hands.json"]["columns"]
    places = list(zip(columns["match"], columns["seed"], columns["hand"], strict=True))
    assert {f"api/runs/run/hand/{m}/{s}/{h}.json" for m, s, h in places} == {p for p in packed if "/hand/" in p}
    every = library.hand_columns(bots_id)["columns"]
    rows = zip(every["net"], every["match"], every["seed"], every["hand"], strict=True)
    biggest = sorted({(-abs(net), *place) for net, *place in rows})
    held = len({*places}) - 15
    assert {tuple(place) for _, *place in biggest[:held]} <= {*places}


def test_hands_that_the_pages_link_to_come_first(cut_short):
    _, packed = cut_short
    linked = [
        (
            abs(seed["biggest"]["swing"]),
            f"api/runs/run/hand/{page['match']}/{seed['index']}/{seed['biggest']['hand']}.json",
        )
        for path, page in packed.items()
        if "/match/" in path
        for seed in page["seeds"]
    ]
    assert {path for _, path in sorted(linked, reverse=True)[:12]} <= packed.keys()


def test_the_same_run_gives_the_same_bytes(files, runs, bots_id):
    assert html_report(Library(runs).open(bots_id)) == files[bots_id]


def test_json_inside_a_page_has_nothing_that_could_end_it():
    text = escaped_json({EVIL: ["<!--", "]]>", "\u2028\u2029", "'\"&amp;"]})
    assert not {"<", ">", "&", "\u2028", "\u2029"} & {*text}
    assert json.loads(text) == {EVIL: ["<!--", "]]>", "\u2028\u2029", "'\"&amp;"]}


def test_export_writes_the_file_and_bad_input_is_one_clear_line(runs, bots_id, tmp_path):
    done = quick("export", runs / bots_id, "--format", "html", "--output", tmp_path / "run.html")
    assert (done.returncode, done.stdout) == (0, "")
    assert "<title>molt-bench" in (tmp_path / "run.html").read_text("utf-8")
    page = ("--format", "html", "--output")
    one_clear_line(quick("export", runs, *page, tmp_path / "x.html"), "RUN", "the folder of a run")
    one_clear_line(quick("export", runs / bots_id, *page, tmp_path / "none" / "x.html"), "--output")
