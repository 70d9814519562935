"""Each page of the docs is of one kind: start, how to, reference or why; and nothing is said on two of them."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
KINDS = ("start", "how-to", "reference", "why")
PAGES = [page for kind in KINDS for page in sorted((DOCS / kind).glob("*.md"))]
#: Generated, from texts that other pages have as well.
GENERATED = ("glossary.md",)
#: The most words of a page to follow step by step, and of a paragraph.
PAGE, PARAGRAPH = 900, 150
#: So many words in a row are a sentence that was copied.
ROW = 14


def prose(page):
    """Return the text of a page without code and pictures."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<picture>.*?</picture>", "", text, flags=re.DOTALL)


def paragraphs(page):
    """Return the paragraphs and items of a page; rows of tables are none."""
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:- |\d+\. ))", prose(page))
    return [part for part in parts if not part.lstrip().startswith(("|", "#", "<!--"))]


def name_of(page):
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name in ("start", "how-to")], ids=name_of)
def test_a_page_to_follow_states_its_time_is_short_and_has_no_measurements(page):
    text = prose(page)
    assert re.match(r"# .+\n\n\*\*Time:\*\* ", text)
    assert len(text.split()) <= PAGE
    assert "---:" not in text, "columns of figures belong to `why`"
    assert "benchmarks/" not in text.replace("benchmarks/README", "")


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name == "reference"], ids=name_of)
def test_a_page_to_look_things_up_has_no_measurements(page):
    assert not re.search(r"benchmarks/\w+\.py", prose(page)), "what was measured belongs to `why`"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_paragraph_has_one_idea(page):
    assert [part[:80] for part in paragraphs(page) if len(part.split()) > PARAGRAPH] == []


def rows(page):
    """Return every row of words of a page."""
    for part in paragraphs(page):
        words = re.findall(r"[\w'`-]+", re.sub(r"\]\([^)]*\)", "]", part).lower())
        yield from (" ".join(words[at : at + ROW]) for at in range(len(words) - ROW + 1))


def test_nothing_is_said_twice():
    said, twice = {}, []
    for page in PAGES:
        if page.name not in GENERATED:
            for row in rows(page):
                if said.setdefault(row, name_of(page)) != name_of(page):
                    twice.append(f"{said[row]} and {name_of(page)}: {row}")
    assert twice == []
