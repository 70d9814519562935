"""The description of the package, which an index shows without the files beside it, has no dead link or picture."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import package_readme
import pytest

from molt_bench import __version__

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://git.example.com/people/molt-bench"


def metadata(repository):
    """Return the metadata as the build backend works it out."""
    command = [sys.executable, "-m", "hatchling", "metadata", "--compact"]
    variables = {**os.environ, "MOLT_BENCH_REPOSITORY": repository}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def released():
    return metadata(REPOSITORY)


def test_every_link_and_picture_leads_to_a_file_of_the_tag(released):
    text = released["readme"]["text"]
    assert package_readme.relative(text) == []
    found = re.findall(rf"{REPOSITORY}/(raw|blob)/v{re.escape(__version__)}/([\w./-]+)", text)
    assert [path for _, path in found if not (ROOT / path).is_file()] == []
    pictures = {path for kind, path in found if kind == "raw"}
    assert pictures == {"docs/images/overview-light.svg", "docs/images/replayer-dark.png"}
    assert f"git clone {REPOSITORY} molt-bench && cd molt-bench\n" in text
    assert released["urls"] == {"Source": REPOSITORY}


def test_without_an_address_nothing_is_dead_and_the_words_stay(released):
    told = metadata("")
    assert not told.get("urls")
    text = told["readme"]["text"]
    assert package_readme.relative(text) == []
    assert "docs/images" not in text
    for title in re.findall(r"^## .+$", released["readme"]["text"], re.MULTILINE):
        assert title in text
    assert "MIT licence" in text
    assert "See CONTRIBUTING and the changelog." in text


def test_what_stays_relative_is_noticed():
    for text in ("[a](b.md)", "![a](b.png)", '<img alt="a" src="b.svg">', '<source srcset="b.svg">'):
        assert len(package_readme.relative(text)) == 1
    assert package_readme.relative("[a](https://b) [c](#d)") == []
