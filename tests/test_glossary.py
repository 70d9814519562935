"""The glossary has one source: the page of the docs and the viewer's hover texts are written from it."""

import re
from pathlib import Path

import glossary
import pytest

ROOT = Path(__file__).parents[1]
STATIC = glossary.SCRIPT.parent


def test_the_page_and_the_hover_texts_are_up_to_date():
    assert glossary.PAGE.read_text("utf-8") == glossary.page(), "run `make format`"
    assert glossary.SCRIPT.read_text("utf-8") == glossary.script(), "run `make format`"


@pytest.mark.parametrize("term", ["bb/100", "seed pair", "margin", "lead", "tie", "sure", "estimator", "raw", "±"])
def test_it_has_the_terms_of_the_first_table_and_of_the_pages(term):
    text, link = glossary.TERMS[term]
    assert text.endswith(".")
    assert len(text) < 110  # one line of the script, as its formatter has it
    assert (ROOT / "docs" / link).is_file()


def test_every_term_that_a_page_asks_for_is_there():
    used = {
        (name or key)
        for path in STATIC.glob("*.js")
        for name, key in re.findall(r'GLOSSARY(?:\.(\w+)|\["([^"]+)"\])', path.read_text("utf-8"))
    }
    assert {"bb/100", "raw", "sure", "rank"} <= used <= {*glossary.TERMS}
