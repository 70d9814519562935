"""The pictures of README and docs are there, small, explained in words, and the same for both themes."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
IMAGES = [*re.findall(r'(?:src|srcset)="([^"]+)"', README), *re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)]


def test_every_picture_is_there_and_has_words():
    assert {"docs/images/overview-light.svg", "docs/images/overview-dark.svg"} <= {*IMAGES}
    for name in IMAGES:
        assert 0 < (ROOT / name).stat().st_size < 200_000, name
    assert "![](" not in README
    assert all(re.search(r'alt="[^"]{20,}"', tag) for tag in re.findall(r"<img[^>]*>", README))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_overview_follows_the_first_output_for_both_themes_and_loads_nothing(theme):
    assert README.index("Results: benchmark-results/") < README.index(f"overview-{theme}.svg") < 1900
    root = ElementTree.parse(ROOT / "docs" / "images" / f"overview-{theme}.svg").getroot()
    text = " ".join(root.itertext())
    for words in ("Same cards, seats swapped", "Luck taken out", "A ranking, and how sure it is"):
        assert words in text
    assert not [each for each in root.iter() if each.tag.endswith(("script", "image", "style"))]
    assert not [key for each in root.iter() for key in each.attrib if key.endswith("href") or key.startswith("on")]


#: Each picture of a page of the docs: the page, what is shown in the dark, in words, and in the light.
IN_DOCS = [
    (page, *found)
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for found in re.findall(
        r'<source media="\(prefers-color-scheme: dark\)" srcset="(.+?)">\s*<img alt="(.+?)" src="(.+?)">',
        page.read_text("utf-8"),
    )
]


@pytest.mark.parametrize(("page", "dark", "words", "light"), IN_DOCS, ids=lambda value: getattr(value, "name", None))
def test_every_picture_of_the_docs_is_there_for_both_themes_and_loads_nothing(page, dark, words, light):
    assert len(words) > 40
    assert dark == light.replace("-light.svg", "-dark.svg")
    for name in (dark, light):
        root = ElementTree.parse(page.parent / name).getroot()
        assert not [each for each in root.iter() if each.tag.endswith(("script", "image", "style"))]
        assert not [key for each in root.iter() for key in each.attrib if key.endswith("href") or key.startswith("on")]


def test_the_ideas_of_the_methods_and_the_sandbox_have_a_picture():
    assert {light.removeprefix("../") for _, _, _, light in IN_DOCS} >= {
        f"images/{name}-light.svg" for name in ("seed-pair", "stop", "sandbox")
    }
